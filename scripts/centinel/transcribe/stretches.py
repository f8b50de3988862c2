"""Where somebody speaks: from the gate's probabilities to stretches that the engine is given. Pure.

A stretch is speech with its short pauses. The engine looks at thirty seconds at a time whatever it
is given, so that pauses are worth keeping up to a point, and nothing is worth cutting small.
"""

from dataclasses import asdict, dataclass, field

from centinel.record import Json

RATE = 16_000
"""Samples a second: what whisper and the gate are made for."""

FRAME = 512
"""Samples for which the gate gives one probability (Silero VAD at 16 kHz): 32 ms."""


@dataclass(frozen=True)
class GateSettings:
    """What is taken for speech; seconds, and probabilities.

    Tried on an hour of silence, noise and hum with three sentences in it: nothing was missed, and
    nothing else let through. Pauses of up to six seconds are cheaper kept than cut out: a meeting
    with pauses of three took a third less time than with those over three cut, and as few words
    were wrong.
    """

    begins_at: float = 0.5
    ends_below: float = 0.35
    least_speech: float = 0.25
    least_silence: float = 0.3
    pad: float = 0.2
    longest_pause: float = 6.0
    longest_stretch: float = 28.0

    def to_json(self) -> Json:
        """Returns the settings as a transcript records them."""
        return asdict(self)


@dataclass(frozen=True, order=True)
class Stretch:
    """Speech from one sample to another, the second not included."""

    first: int
    last: int

    @property
    def start(self) -> float:
        """Seconds from the beginning of the recording."""
        return self.first / RATE

    @property
    def end(self) -> float:
        return self.last / RATE


def frames_in(seconds: float) -> int:
    """Returns the number of whole frames in some seconds, at least one."""
    return max(1, int(seconds * RATE / FRAME))


@dataclass
class _Region:
    """Voices without a pause that counts, in frames."""

    start: int
    probabilities: list[float] = field(default_factory=list)
    quiet_since: int | None = None


@dataclass
class Stretches:
    """Takes one probability a frame and gives stretches as soon as they have ended."""

    settings: GateSettings = field(default_factory=GateSettings)
    taken: int = 0
    """Frames so far."""
    spoken: int = 0
    """Frames of speech in stretches that were given, without pauses and pads."""
    _region: _Region | None = None
    _chunk: tuple[int, int] | None = None
    """What is to become a stretch: frames, without pads."""
    _chunk_spoken: int = 0
    _given: int = 0
    """The sample up to which stretches were given."""

    def __post_init__(self) -> None:
        given = self.settings
        self._least_speech = frames_in(given.least_speech)
        self._least_silence = frames_in(given.least_silence)
        self._longest_pause = frames_in(given.longest_pause)
        self._longest = frames_in(given.longest_stretch - 2 * given.pad)
        self._pad = int(given.pad * RATE)

    @property
    def needed_from(self) -> int:
        """The first sample that a stretch to come may have."""
        starts = [self.taken]
        if self._chunk is not None:
            starts.append(self._chunk[0])
        if self._region is not None:
            starts.append(self._region.start)
        return max(self._given, min(starts) * FRAME - self._pad)

    def take(self, probability: float) -> list[Stretch]:
        """Returns the stretches that are known to have ended with this frame."""
        now = self.taken
        self.taken += 1
        if self._region is None:
            if probability >= self.settings.begins_at:
                self._region = _Region(now, [probability])
                return []
            return self._after_pause(now)
        self._listen(self._region, now, probability)
        return self._too_long(now + 1)

    def end(self, samples: int) -> list[Stretch]:
        """Returns the stretches that are left at the end of a recording of so many samples."""
        given: list[Stretch] = []
        if self._region is not None:
            until = self._region.quiet_since
            given += self._close(self.taken if until is None else until)
        given += self._give(None)
        cut = (Stretch(each.first, min(each.last, samples)) for each in given)
        return [each for each in cut if each.last > each.first]

    def _listen(self, region: _Region, now: int, probability: float) -> None:
        region.probabilities.append(probability)
        if probability >= self.settings.begins_at:
            region.quiet_since = None
        elif probability < self.settings.ends_below and region.quiet_since is None:
            region.quiet_since = now

    def _after_pause(self, now: int) -> list[Stretch]:
        if self._chunk is not None and now - self._chunk[1] > self._longest_pause:
            return self._give(None)
        return []

    def _too_long(self, now: int) -> list[Stretch]:
        """Ends a region after enough silence, and a stretch before it is too long."""
        region = self._region
        assert region is not None
        if region.quiet_since is not None and now - region.quiet_since >= self._least_silence:
            return self._close(region.quiet_since)
        if self._chunk is not None and now - self._chunk[0] > self._longest:
            return self._give(region.start)
        if now - region.start >= self._longest:
            return self._split(region)
        return []

    def _close(self, end: int) -> list[Stretch]:
        """The region is over: it goes into the open stretch, or opens one."""
        region = self._region
        assert region is not None
        self._region = None
        given: list[Stretch] = []
        if end - region.start < self._least_speech:
            return given
        if self._chunk is not None:
            start, before = self._chunk
            is_far = region.start - before > self._longest_pause
            if not is_far and end - start <= self._longest:
                self._chunk = (start, end)
                self._chunk_spoken += end - region.start
                return given
            given = self._give(region.start)
        self._chunk = (region.start, end)
        self._chunk_spoken = end - region.start
        return given

    def _split(self, region: _Region) -> list[Stretch]:
        """Somebody speaks without a pause: cut where it is most like one, in the second half."""
        half = len(region.probabilities) // 2
        later = region.probabilities[half:]
        at = half + later.index(min(later))
        cut = region.start + at
        self._chunk, self._chunk_spoken = (region.start, cut), at
        self._region = _Region(cut, region.probabilities[at:], region.quiet_since)
        return self._give(cut)

    def _give(self, follows: int | None) -> list[Stretch]:
        """Gives the open stretch with its pads; speech that follows soon shares the pause."""
        if self._chunk is None:
            return []
        start, end = self._chunk
        first = max(self._given, start * FRAME - self._pad, 0)
        last = end * FRAME + self._pad
        if follows is not None:
            last = min(last, (end + follows) * FRAME // 2)
        self.spoken += self._chunk_spoken
        self._chunk, self._chunk_spoken = None, 0
        self._given = last
        return [Stretch(first, last)]
