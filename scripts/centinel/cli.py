"""The console command `centinel`."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from centinel import __version__, doctor
from centinel.check import Checked, NotHad, check
from centinel.configuration import load_files
from centinel.ingest import command as ingest
from centinel.investigate import NotAsked, investigate
from centinel.masking import masked
from centinel.schemas import ConfigurationError
from centinel.search import command as search
from centinel.transcribe.commands import add_models

TEXT, NO_TEXT, NOT_HAD = 0, 1, 2
"""Exit codes of `check`."""

OFFERED, NOTHING_OFFERED, NOT_ASKED = 0, 1, 2
"""Exit codes of `investigate`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="centinel", description="Keeps the public record.")
    parser.add_argument("--version", action="version", version=f"centinel {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser(
        "check",
        help="read one document and store nothing",
        description="Reads one document as the workflow would: markdown on standard output, facts "
        "on standard error. Exit code: 0 when text came out, 1 when none did, 2 when the target "
        "could not be had.",
    )
    checking.add_argument("target", metavar="URL|FILE")
    checking.add_argument("--json", action="store_true", help="one JSON object with everything")
    checking.add_argument(
        "--follow", action="store_true", help="read the documents that the page encloses as well"
    )
    checking.set_defaults(run=_check)
    investigating = commands.add_parser(
        "investigate",
        help="say what an address would give, and the block for the sources file",
        description="Asks an address, within 25 requests, who recognises it and why, and ends with "
        "the block to paste into config/sources.yaml. Nothing is stored. Exit code: 0 when a block "
        "is offered, 1 when none is, 2 when the address could not be asked at all.",
    )
    investigating.add_argument("target", metavar="URL")
    investigating.add_argument(
        "--json", action="store_true", help="one JSON object with everything"
    )
    investigating.set_defaults(run=_investigate)
    doctor.add(commands)
    ingest.add(commands)
    search.add(commands)
    add_models(
        commands.add_parser(
            "models",
            help="list, fetch or verify the models that transcribe recordings",
            description="The models of config/models.yaml. Nothing is fetched unless `pull` says "
            "so. Exit code: 0 when what was asked for is here and whole, 1 when not.",
        )
    )
    chosen = parser.parse_args(arguments)
    try:
        code: int = chosen.run(chosen)
    except ConfigurationError as error:
        print(f"centinel: {error}", file=sys.stderr)
        return NOT_HAD
    except BrokenPipeError:
        sys.stderr.close()
        return NO_TEXT
    return code


def _check(chosen: argparse.Namespace) -> int:
    try:
        checked = check(chosen.target, load_files(Path.cwd()), follow=chosen.follow)
    except NotHad as error:
        target = masked(chosen.target)
        print(f"centinel: {target} could not be had: {error}", file=sys.stderr)
        if chosen.json:
            print(json.dumps({"target": target, "outcome": None, "reason": str(error)}))
        return NOT_HAD
    if chosen.json:
        print(json.dumps(checked.to_json(), ensure_ascii=False))
    else:
        _say(checked, chosen.follow)
    sys.stdout.flush()
    return TEXT if checked.outcome.outcome == "text" else NO_TEXT


def _say(checked: Checked, has_followed: bool) -> None:
    """Facts on standard error, texts on standard output; each followed one under its address."""
    for line in checked.facts():
        print(line, file=sys.stderr)
    sys.stdout.write(checked.outcome.text or "")
    if has_followed:
        print(f"documents that the page encloses: {len(checked.followed)}", file=sys.stderr)
    for each in checked.followed:
        address = masked(each.target)
        print(f"\n{address}", *each.facts(), sep="\n", file=sys.stderr)
        if isinstance(each, Checked) and each.outcome.text:
            sys.stdout.write(f"\n<!-- {address} -->\n\n{each.outcome.text}")


def _investigate(chosen: argparse.Namespace) -> int:
    try:
        found = investigate(chosen.target, load_files(Path.cwd()))
    except NotAsked as error:
        target = masked(chosen.target)
        print(f"centinel: {target} could not be asked: {error}", file=sys.stderr)
        if chosen.json:
            print(json.dumps({"target": target, "blocks": [], "reason": str(error)}))
        return NOT_ASKED
    if chosen.json:
        print(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        for line in found.lines():
            print(line)
    sys.stdout.flush()
    if found.blocks:
        return OFFERED
    return NOTHING_OFFERED if found.seed.was_asked else NOT_ASKED


if __name__ == "__main__":
    sys.exit(main())
