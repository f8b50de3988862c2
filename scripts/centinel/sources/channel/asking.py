"""How yt-dlp is asked about an address, within the rules of our own requests."""

from urllib.parse import unquote

from centinel.http import Client, user_agent
from centinel.liveness import Refusal
from centinel.pacing import NO_PAUSE_RPS
from centinel.record import Json, Liveness
from centinel.sources.channel import files, listing, places, program, refusals
from centinel.sources.channel.program import Failed, Manner, Said

_NOT_YET = {
    "is_upcoming": "upcoming: it has not begun",
    "is_live": "running now: it is kept once it has ended",
    "post_live": "just ended: what was said in it is still being prepared",
}
"""States in which there is no recording yet; one that runs has no end to be fetched to."""


LACKS_RUNTIME = "_lacks_runtime"
"""The key of a recording whose formats may be missing for want of a JavaScript runtime here."""


def manner(address: str, client: Client) -> Manner:
    """How an address is asked: as ourselves, but on YouTube, where it speaks for its players."""
    ours = None if places.is_youtube(address) else user_agent(client.contact)
    pause = client.interval(address)
    return Manner(ours, pause if pause > 1 / NO_PAUSE_RPS else 0.0, client.stop)


def asked_for_list(tab: places.Tab, client: Client) -> Said | Refusal:
    """Returns the list at an address, without asking for what stands in it; raises OSError."""
    refused = client.admits(tab.address)
    if refused is not None:
        return refused
    try:
        return program.ask(manner(tab.address, client), ["--flat-playlist", tab.address])
    except Failed as error:
        return refusals.refusal(str(error), tab.address)


def extracted(resource: str, client: Client, *, is_part: bool = False) -> Json | Refusal:
    """Returns what is known of a recording; a refusal where there is none yet, or at all.

    Raises Interrupted, and OSError for a fault of this machine.
    """
    address, _, entry = resource.partition("#")
    refused = client.admits(address)
    if refused is not None:
        return refused
    try:
        said = _described(address, client)
    except Failed as error:
        return refusals.refusal(str(error), resource, is_part=is_part)
    info = listing.member(said.value, unquote(entry) if entry else None)
    if info is None:
        gone = "it is not on the page any more" if entry else "a list of recordings, and no one"
        return Refusal(Liveness.GONE if entry else Liveness.ERROR, gone, None, resource)
    state = _NOT_YET.get(str(info.get("live_status")))
    if state is not None:
        return Refusal(Liveness.LIVE, state, None, resource, pause=refusals.RESTS_FOR)
    if said.lacks_runtime:
        info[LACKS_RUNTIME] = True
    return files.public(info, client.private_is_allowed)


def _described(address: str, client: Client) -> Said:
    """What yt-dlp says of an address; without any format it still knows captions and the rest."""
    wanted, how = ["--no-playlist", address], manner(address, client)
    try:
        return program.ask(how, wanted)
    except Failed as error:
        if not refusals.is_for_want_of_formats(str(error)):
            raise
    client.admits(address)  # for its pause: the rules are the same
    return program.ask(how, ["--ignore-no-formats-error", *wanted])
