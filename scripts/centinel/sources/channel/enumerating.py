"""What a channel publishes now: the lists of all its tabs, each counted, what failed said."""

from dataclasses import dataclass, field
from datetime import date

from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import Resource
from centinel.sources.channel import listing, places, program, refusals
from centinel.sources.channel.asking import asked_for_list
from centinel.sources.channel.listing import Listed
from centinel.sources.channel.program import Said
from centinel.sources.source_kind import Enumeration


def enumerated(address: str, client: Client, today: date) -> Enumeration:
    """Returns every recording that is listed at an address, or says why it could not be.

    Raises Interrupted, and OSError for a fault of this machine.
    """
    found = Enumeration("playlist")
    if program.find() is None:
        found.reason = f"{program.NAME} is not installed on this machine: {program.INSTALL}"
        return found
    _note_version(found, today)
    gathering = _Gathering(found)
    for tab in places.tabs(address):
        gathering.ask(tab, client)
    if gathering.has_no_tab:
        # A channel that the site made has no tabs, and videos.
        gathering.ask(places.whole(address), client)
    gathering.conclude()
    return found


@dataclass
class _Gathering:
    """The lists of one address, as they come."""

    found: Enumeration
    resources: dict[str, Resource] = field(default_factory=dict)
    counts: dict[str, int | None] = field(default_factory=dict)
    """Recordings by tab; None where it is not there, or failed."""
    failed: list[tuple[str, Refusal]] = field(default_factory=list)

    @property
    def has_no_tab(self) -> bool:
        """Whether none of the tabs that were asked for is there."""
        return not self.failed and all(count is None for count in self.counts.values())

    def ask(self, tab: places.Tab, client: Client) -> None:
        """Asks for one list."""
        self.counts[tab.name] = None
        said = asked_for_list(tab, client)
        if isinstance(said, Said):
            listed = listing.read(said.value, tab.address)
            self._take(tab.name, listed, has_given_up=said.is_incomplete)
        elif refusals.is_no_such_tab(said):
            self.found.notes.append(f"{tab.name}: the channel has no such tab")
        else:
            self.failed.append((tab.name, said))

    def _take(self, name: str, listed: Listed, *, has_given_up: bool) -> None:
        """Adds what a list gave to the others."""
        twice = sum(address in self.resources for address in listed.resources)
        for address, resource in listed.resources.items():
            self.resources.setdefault(address, resource)
        also = f", {twice:,} of them in another tab" if twice else ""
        self.found.notes.append(f"{name}: {listed.spoken()}{also}")
        self.counts[name] = len(listed.resources)
        self._add("repeated", listed.repeated + twice)
        self._add("left_out", sum(listed.rejected.values()))
        if has_given_up:
            self.found.cut(f"{name}: the list broke off, it says no more than {listed.seen:,}")
        elif listed.declared is not None and listed.declared > listed.seen:
            declared = f"{listed.declared:,} declared"
            self.found.cut(f"{name}: {listed.seen:,} entries are listed of {declared}")

    def _add(self, figure: str, count: int) -> None:
        self.found.figures[figure] = self.found.figures.get(figure, 0) + count

    def conclude(self) -> None:
        """Says what was found, and what the lists that failed mean for it."""
        found = self.found
        found.figures["tabs"] = self.counts
        found.resources = sorted(self.resources.values(), key=lambda each: each.address)
        if self.failed and all(count is None for count in self.counts.values()):
            found.reason = self.failed[0][1].reason
            return
        for name, refusal in self.failed:
            found.cut(f"{name}: not listed: {refusal.liveness}: {refusal.reason}")
        if not found.resources:
            found.warnings.append("it lists no recording at all")


def _note_version(found: Enumeration, today: date) -> None:
    """Says which yt-dlp listed it, and warns of an old one."""
    version = program.version()
    age = program.age(version, today)
    found.figures |= {"yt_dlp": version, "yt_dlp_age_days": age}
    found.notes.append(f"listed by {program.NAME} {version or 'of an unknown version'}")
    if age is not None and age > program.STALE_DAYS:
        found.warnings.append(
            f"{program.NAME} {version} is {age} days old, and sites change: {program.UPGRADE}"
        )
