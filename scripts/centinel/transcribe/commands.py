"""`centinel models`: which there are, fetch one, verify those that are here."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from centinel.configuration import load_files
from centinel.transcribe import models, needs
from centinel.transcribe.models import Pinned
from centinel.transcribe.pulling import NotPulled, fault, pull

RIGHT, WRONG = 0, 1
"""Exit codes: everything that was asked for is here and whole, or not."""


def add_models(parser: argparse.ArgumentParser) -> None:
    """Gives the command its own: list, pull, verify."""
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="the models of config/models.yaml, and what is here")
    listing.set_defaults(act=_list)
    pulling = actions.add_parser("pull", help="fetch one, and verify it")
    pulling.add_argument("name", metavar="NAME")
    pulling.set_defaults(act=_pull)
    verifying = actions.add_parser("verify", help="hash those that are here, or the one named")
    verifying.add_argument("name", metavar="NAME", nargs="?")
    verifying.set_defaults(act=_verify)
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    act: Callable[[argparse.Namespace, Mapping[str, Pinned]], int] = chosen.act
    known = models.pinned(Path.cwd())
    name = getattr(chosen, "name", None)
    if name is not None and name not in known:
        print(f"centinel: no model {name!r}: there are {', '.join(known)}", file=sys.stderr)
        return WRONG
    return act(chosen, known)


def _list(_chosen: argparse.Namespace, known: Mapping[str, Pinned]) -> int:
    print(f"models lie in {models.folder()} (or where {models.VARIABLE} says)")
    for model in known.values():
        is_here = model.path.exists() and model.path.stat().st_size == model.size
        state = "here" if is_here else "cut short" if model.path.exists() else "not here"
        print(f"{model.name:22} {model.size / 1e6:7.0f} MB  {state:9}  {model.note}")
    lacking = needs.missing(load_files(Path.cwd()))
    print(f"to transcribe: {lacking or 'everything is here'}")
    return RIGHT


def _pull(chosen: argparse.Namespace, known: Mapping[str, Pinned]) -> int:
    model = known[chosen.name]
    try:
        pulled = pull(model, load_files(Path.cwd()).contact)
    except (NotPulled, OSError) as error:
        print(f"centinel: not pulled: {error}", file=sys.stderr)
        return WRONG
    how = "was here already" if pulled.was_there else "is here"
    print(f"{model.name} {how}: {model.path}, SHA-256 {model.sha256}")
    return RIGHT


def _verify(chosen: argparse.Namespace, known: Mapping[str, Pinned]) -> int:
    wanted = [known[chosen.name]] if chosen.name else [m for m in known.values() if m.path.exists()]
    faults = {model.name: fault(model) for model in wanted}
    for name, found in faults.items():
        print(f"{name}: {found or 'whole'}")
    if not wanted:
        print(f"no model is in {models.folder()}: centinel models pull NAME")
    return WRONG if any(faults.values()) else RIGHT
