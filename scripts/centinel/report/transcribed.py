"""What became of the recordings of a source, by the engine and the model that heard them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Transcribed:
    """The recordings that one model was given, or waits for."""

    engine: str | None
    """None where nothing was transcribed yet."""
    engine_version: str | None
    model: str | None
    recordings: int
    """Distinct ones: several addresses may give the same bytes."""
    seconds: float
    """Of sound that was decoded."""
    texts: int
    underivable: int
    waiting: int
