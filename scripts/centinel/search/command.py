"""`centinel search`: prints passages with their citations."""

import argparse
import json
import sys
from pathlib import Path

from centinel.configuration import load_files
from centinel.masking import masked
from centinel.readers.characters import normalise
from centinel.search.database import NoIndex
from centinel.search.finding import BadQuery, Found, find

FOUND, NOTHING_FOUND, NOT_SEARCHED = 0, 1, 2
"""Exit codes."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "search",
        help="find words in the texts that stand now, with page or time",
        description="Passages of current texts in which all the words stand, the best first, each "
        "with its citation: address, title, date, page or time, hash of the bytes, text file. The "
        'query may have the syntax of SQLite\'s FTS5: "a phrase", word*, OR, NOT, NEAR(a b). The '
        "index is made, and brought up to date, by: snakemake --cores 4 results/.search. Exit "
        "code: 0 when something was found, 1 when nothing was, 2 when nothing could be searched.",
    )
    parser.add_argument("words", nargs="+", metavar="WORDS")
    parser.add_argument("--source", metavar="ID", help="only in texts of this source")
    parser.add_argument("--kind", metavar="KIND", help="only in texts of this kind, such as pdf")
    parser.add_argument(
        "--limit", type=_positive, default=10, metavar="N", help="so many passages (10)"
    )
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="the folder of the results")
    parser.add_argument("--json", action="store_true", help="one JSON object with everything")
    parser.set_defaults(run=_run)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 1 << 31:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return int(text)


def _run(chosen: argparse.Namespace) -> int:
    results = chosen.results or load_files(Path.cwd()).results
    words = " ".join(chosen.words)
    try:
        found = find(results, words, source=chosen.source, kind=chosen.kind, limit=chosen.limit)
    except (NoIndex, BadQuery) as error:
        print(f"centinel: search: {error}", file=sys.stderr)
        if chosen.json:
            print(json.dumps({"query": words, "passages": None, "reason": str(error)}))
        return NOT_SEARCHED
    if chosen.json:
        passages = [each.to_json() for each in found]
        print(json.dumps({"query": words, "passages": passages}, ensure_ascii=False))
    else:
        for number, each in enumerate(found, 1):
            print(*_lines(number, each, results), "", sep="\n")
    if not found:
        print("nothing found", file=sys.stderr)
    sys.stdout.flush()
    return FOUND if found else NOTHING_FOUND


def _lines(number: int, found: Found, results: Path) -> list[str]:
    """A passage for a person; what strangers wrote cannot command the terminal."""
    first, *others = found.places
    where = f"page {found.page}" if found.page is not None else found.time
    told = [first.title, where, first.observed_at[:10], first.source, found.kind]
    said = [
        f"{number}. {' · '.join(each for each in told if each)}",
        f"   {masked(first.address)}",
        *(f"   also at {masked(each.address)} ({each.observed_at[:10]})" for each in others),
        f"   {found.snippet}",
        f"   sha256 {first.blob}",
        f"   {results / first.text}",
    ]
    return [normalise(line).replace("\n", " ") for line in said]
