"""What a person finds texts with, of a large archive: `python -m tests.bench.finding_child search`.

`current` and `search` do what those jobs do on an archive that `synthetic.py` made, in its folder;
`texts` first gives its texts a length, since the archive's own are a line. Prints what it took as
JSON, without its imports, and how many links or texts it wrote or removed.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from itertools import accumulate

from snakemake.iocontainers import Snakemake  # noqa: F401 (a job's process holds it too)
from snakemake.logging import logger  # noqa: F401

from centinel.current import mirror
from centinel.search.updating import update
from centinel.standing import texts_of
from centinel.store import Store
from tests.bench import synthetic
from tests.bench.acquire_child import _measured
from tests.bench.synthetic import SILENT, SOURCE

WORDS = 380
"""A text of about three kilobytes, as pages of towns have."""

VOCABULARY = 60_000
POOL = 1 << 20
STEP = 2_654_435_761
"""Prime: the texts of neighbours begin at far places of the pool."""

MENU = "\n".join(
    (
        "[The home page of the town](https://town.example/)",
        "[Write to us, or call](https://town.example/contact)",
        "The office is open from Monday to Friday, 9 to 17",
    )
)
"""What all pages share."""

configuration = synthetic.configuration_of()
store = Store(configuration.results, SOURCE)


def texts() -> int:
    """Writes every text anew, each different, the same on every machine; returns how many."""
    draw = random.Random(1)
    syllables = [one + two for one in "bcdfghklmnprstvw" for two in "aeiou"]
    made = ("".join(draw.choices(syllables, k=draw.randint(1, 5))) for _ in range(VOCABULARY))
    vocabulary = list(dict.fromkeys(made))
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(vocabulary))))
    pool = draw.choices(vocabulary, cum_weights=weights, k=POOL)
    written = 0
    for path in store.text.rglob("*.md"):
        number = int(path.stem[:8], 16)
        start = number * STEP % (POOL - WORDS)
        words = pool[start : start + WORDS]
        lines = [" ".join(words[each : each + 38]) for each in range(0, WORDS, 38)]
        text = "\n\n".join((f"# Document {number}", MENU, *lines)) + "\n"
        path.write_text(text)
        derivation = path.with_suffix(".json")
        told = json.loads(derivation.read_bytes())
        derivation.write_text(json.dumps({**told, "bytes": len(text), "chars": len(text)}))
        written += 1
    return written


def current() -> int:
    """Makes the tree of links what stands now; returns how many links it touched."""
    stand = texts_of(store, configuration.sources[SOURCE], configuration.pipeline)
    done = mirror(store, stand or ())
    return done.added + done.changed + done.removed


def search() -> int:
    """Brings the index up to date; returns how many texts it wrote or removed."""
    done = update(configuration, SILENT)
    return done.added + done.removed


MODES: dict[str, Callable[[], int]] = {"texts": texts, "current": current, "search": search}


def main() -> None:
    """Runs one mode and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=MODES)
    mode = MODES[parser.parse_args().mode]
    touched: list[int] = []
    took = _measured(lambda: touched.append(mode()))
    print(json.dumps({**took, "touched": touched[0]}), flush=True)


if __name__ == "__main__":
    main()
