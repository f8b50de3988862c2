"""Fetches a model, when somebody says so: over as many tries as it takes, and verified on disk."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import requests
from requests.structures import CaseInsensitiveDict

from centinel import addresses
from centinel.answers import Answer, Fetched
from centinel.download import KEPT_IN_MEMORY, Download, Wanted
from centinel.files import read_json, sync, write_json
from centinel.http import Client
from centinel.transcribe.models import Pinned, folder, sha256_of

_CHUNK = 1 << 20


class NotPulled(Exception):
    """The model could not be had; the message says why, and what stands."""


class _Kept(Download):
    """A body whose bytes, and the headers that it began with, outlive the process."""

    @property
    def about(self) -> Path:
        return self.path.with_suffix(".part.json")

    def resume(self) -> None:
        """Takes what an earlier process left, where it can be gone on with."""
        about = read_json(self.about)
        if about is None or not self.path.exists():
            return
        self._digest = hashlib.sha256()
        with self.path.open("rb") as stream:
            self.start = bytearray(stream.read(KEPT_IN_MEMORY))
            self._digest.update(self.start)
            self.size = len(self.start)
            while chunk := stream.read(_CHUNK):
                self._digest.update(chunk)
                self.size += len(chunk)
        self.headers = CaseInsensitiveDict(about["headers"])
        if not self.range():
            self.forget()

    def _begin(self, response: requests.Response) -> None:
        super()._begin(response)
        write_json(self.about, {"headers": dict(self.headers)})

    def discard(self) -> None:
        super().discard()
        self.about.unlink(missing_ok=True)


class _Puller(Client):
    """A client whose one body stays where it broke."""

    path: Path

    def _try(
        self,
        address: str,
        conditions: Mapping[str, str],
        max_bytes: int,
        wanted: Wanted | None,
    ) -> Answer | str:
        if urlsplit(address).path == "/robots.txt":
            return super()._try(address, conditions, max_bytes, wanted)
        download = _Kept(self.path, max_bytes, self.stop, wanted)
        download.resume()
        return self._tries(address, conditions, download)


@dataclass(frozen=True)
class Pulled:
    """A model that is on disk, whole."""

    model: Pinned
    was_there: bool


def pull(model: Pinned, contact: str = "") -> Pulled:
    """Fetches a model, unless it is there already; goes on where an earlier pull broke.

    Raises NotPulled where it could not be had or is another one, OSError for a full disk.
    """
    if fault(model) is None:
        return Pulled(model, was_there=True)
    part = model.path.with_suffix(".part")
    client = _Puller(
        folder(),
        contact,
        rps=1000.0,  # one file, asked for by hand
        max_bytes=model.size,
        private_is_allowed=addresses.is_private(urlsplit(model.address).hostname or ""),
    )
    client.path = part
    answer = client.get(model.address)
    if not isinstance(answer, Fetched):
        left = part.stat().st_size if part.exists() else 0
        kept = f"; {left} bytes of {model.size} are kept: pull again to go on" if left else ""
        raise NotPulled(f"{model.name}: {getattr(answer, 'reason', 'http 304')}{kept}")
    if (answer.body.size, answer.body.sha256) != (model.size, model.sha256):
        answer.body.discard()
        part.with_suffix(".part.json").unlink(missing_ok=True)
        raise NotPulled(
            f"{model.name}: {answer.body.size} bytes with the SHA-256 {answer.body.sha256} came, "
            f"not {model.size} with {model.sha256}: they were thrown away"
        )
    return _placed(model, answer)


def _placed(model: Pinned, answer: Fetched) -> Pulled:
    path = answer.body.path
    sync(path)
    path.replace(model.path)
    model.path.with_suffix(".part.json").unlink(missing_ok=True)
    found = fault(model)  # once more, from the disk
    if found is not None:
        raise NotPulled(f"{model.name}: {found}")
    return Pulled(model, was_there=False)


def fault(model: Pinned) -> str | None:
    """Returns why the file of a model is not the model, from all its bytes; None where it is."""
    try:
        size = model.path.stat().st_size
        if size != model.size:
            return f"{model.path} has {size} bytes, not {model.size}"
        found = sha256_of(model.path)
    except FileNotFoundError:
        return "not here"
    return None if found == model.sha256 else f"{model.path} has another SHA-256: {found}"
