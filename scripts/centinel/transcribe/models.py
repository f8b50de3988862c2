"""Which models there are, where they lie, and whether one is the one that it is taken for."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from centinel.configuration import Configuration, read_yaml
from centinel.schemas import PROJECT, ConfigurationError
from centinel.schemas import check as check_schema
from centinel.store import file_hash
from centinel.transcribe import ggml

FILE = "config/models.yaml"
VARIABLE = "CENTINEL_MODELS"
"""The environment variable that names the folder of models."""


DETECT = "auto"
"""What a source's `lang` says where each recording's language is to be found out."""

ENGLISH = "en"

_CODES = """
af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi
hr ht hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no
oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo
yue zh
"""
LANGUAGES = frozenset(_CODES.split())
"""What Whisper knows (whisper.cpp, `g_lang`): of another it would make anything."""


def primary(lang: str) -> str:
    """Returns the language of a tag such as `en-US` (RFC 5646), in lower case."""
    return lang.replace("_", "-").partition("-")[0].lower()


@dataclass(frozen=True)
class Pinned:
    """A model of `config/models.yaml`: exactly these bytes."""

    name: str
    address: str
    size: int
    sha256: str
    note: str = ""

    @property
    def path(self) -> Path:
        """Where it lies once it is there."""
        return folder() / f"ggml-{self.name}.bin"

    @property
    def pull(self) -> str:
        """The command that fetches it."""
        return f"centinel models pull {self.name}"


@dataclass(frozen=True)
class Chosen:
    """The model that `transcribe.model` says: one that is pinned, or a file as it is."""

    name: str
    """What stands for it in paths."""
    path: Path
    pinned: Pinned | None = None

    def fault(self) -> str | None:
        """Returns why it cannot be used, with what mends it; None where it can.

        Looks at its size and structure, not at all of its bytes: that takes a millisecond.
        """
        mend = self.pinned.pull if self.pinned else "name a ggml model in transcribe.model"
        try:
            size = self.path.stat().st_size
            if self.pinned and size != self.pinned.size:
                return f"the model {self.name} has {size} bytes, not {self.pinned.size}: {mend}"
            ggml.check(self.path)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and self.pinned:
                return f"the model {self.name} is not here: {mend}"
            return f"the model {self.path} cannot be read ({error.strerror}): {mend}"
        except ggml.BadModel as error:
            return f"the model is damaged: {error}: {mend}"
        return None

    def digest(self) -> str:
        """Returns its SHA-256.

        Raises BadModel where it is pinned and has another; OSError where it cannot be read.
        """
        found = sha256_of(self.path)
        if self.pinned and found != self.pinned.sha256:
            raise ggml.BadModel(
                f"{self.path} has the SHA-256 {found}, not {self.pinned.sha256}: "
                f"delete it, then: {self.pinned.pull}"
            )
        return found

    def does_not_know(self, lang: str) -> str | None:
        """Returns why it cannot be used for what a source's `lang` says; None where it can.

        A model that knows only English makes English sentences of any other language. Raises
        BadModel and OSError.
        """
        if primary(lang) in (DETECT, ENGLISH):
            return None
        if primary(lang) not in LANGUAGES:
            return (
                f"the source's lang is {lang}, which Whisper does not know: give another, or auto"
            )
        if ggml.check(self.path).is_multilingual:
            return None
        return (
            f"the model {self.name} knows only English, and the source's lang is {lang}: "
            "name another in transcribe.model, such as tiny or base"
        )

    def language(self, lang: str) -> str | None:
        """Returns the language to give to the engine; None where it is to find it out."""
        if not ggml.check(self.path).is_multilingual:
            return ENGLISH
        return None if primary(lang) == DETECT else primary(lang)


def sha256_of(path: Path) -> str:
    """Returns the SHA-256 of a file; raises OSError."""
    with path.open("rb") as stream:
        return file_hash(stream.fileno())


def folder() -> Path:
    """Returns where models lie: $CENTINEL_MODELS, else the user's cache folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("centinel") / "models"


def pinned(place: Path) -> Mapping[str, Pinned]:
    """Returns the models of a folder's `config/models.yaml`, else the project's own, by name.

    Raises ConfigurationError.
    """
    path = place / FILE
    return _pinned((path if path.exists() else PROJECT / FILE).resolve())


@cache
def _pinned(path: Path) -> Mapping[str, Pinned]:
    """Read once a process: the plan of a run asks for each recording."""
    given = read_yaml(path, FILE)
    check_schema(given, "models", FILE)
    return {name: Pinned(name, **block) for name, block in given["models"].items()}


def chosen(configuration: Configuration) -> Chosen:
    """Returns the model that the configuration names; raises ConfigurationError for one unknown."""
    said = configuration.transcription
    if said.model_is_a_path:
        return Chosen(said.model_name, configuration.folder / Path(said.model).expanduser())
    known = pinned(configuration.folder)
    if said.model not in known:
        raise ConfigurationError(
            f"config/config.yaml: transcribe.model: no model {said.model!r}: use one of "
            f"{', '.join(known)}, or the path of a ggml file, with a slash in it"
        )
    model = known[said.model]
    return Chosen(said.model_name, model.path, model)
