"""What the job of one recording does: with what it is transcribed, and where that is kept."""

from pathlib import Path

from centinel.configuration import Configuration
from centinel.progress import Progress
from centinel.store import NOT_INTACT
from centinel.transcribe import ggml, models
from centinel.transcribe.engines import engine
from centinel.transcribe.recording import Machine
from centinel.transcribe.recording import transcribe as heard
from centinel.transcribe.transcript import Shelf, Transcript


def transcribe(
    shelf: Shelf,
    blob: str,
    configuration: Configuration,
    lang: str,
    threads: int,
    progress: Progress,
) -> None:
    """Puts a recording's transcript on the shelf, unless what it was made into is there.

    Raises OSError, BadModel and ToolError for faults of this machine.
    """
    made = shelf.find_made(blob)
    if made is not None:
        shelf.keep(blob, made)
        return
    machine = machine_of(configuration, lang, threads)
    if not shelf.store.is_intact(blob):
        shelf.keep(blob, Transcript.nothing(NOT_INTACT, machine.settings()))
        return
    partial = shelf.partial(blob)
    shelf.keep(blob, heard(shelf.store.blob(blob), machine, partial, progress))
    partial.unlink(missing_ok=True)


def machine_of(configuration: Configuration, lang: str, threads: int) -> Machine:
    """Returns what recordings are transcribed with.

    Raises BadModel for a model that is not what it is taken for, or does not know the language,
    OSError where it cannot be read.
    """
    model = models.chosen(configuration)
    fault = model.fault() or model.does_not_know(lang)
    if fault is not None:
        raise ggml.BadModel(fault)
    return Machine(
        engine=engine(configuration.transcription.engine),
        model=model.path,
        model_name=model.name,
        model_sha256=model.digest(),
        threads=threads,
        language=model.language(lang),
    )


def mebibytes(model: Path) -> int:
    """Returns the memory that a transcription may take, for the scheduler of a cluster.

    Measured with tiny.en (75 MB): 230 to 260 MB; with base (141 MB): 321 MB.
    """
    return 400 + round(1.5 * model.stat().st_size / (1 << 20)) if model.exists() else 1000


def minutes(model: Path, recording: Path) -> int:
    """Returns how long it may take, for the scheduler of a cluster: generous, since what is
    killed goes on where it was.

    Speech takes a tenth of its length with 75 MB of weights on one thread, and more in proportion;
    how long a recording is is guessed from its size, at 32 kbit/s.
    """
    size = recording.stat().st_size if recording.exists() else 0
    weights = model.stat().st_size if model.exists() else 0
    seconds = size / 4000 * 0.1 * max(1.0, weights / 75e6)
    return 30 + round(min(seconds, 7 * 86400) / 60)
