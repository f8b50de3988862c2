"""A `yt-dlp` that answers with what a test wrote down: the vendor's JSON, its messages, its exits.

It is run as the real one is, as a program on the PATH. Beside it lie `answers.json`, by address,
and `calls.jsonl`, what it was asked. An answer is `{"json": …}`, `{"error": "…"}`, `{"body": "…"}`
for the bytes at an address, or all of `{"stdout", "stderr", "code"}` as they are; with
`sleep` it takes so many seconds, with `ignoring` it answers that where no format is needed.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(sys.argv[0]).resolve().parent


def option(name: str) -> str | None:
    """The value of `--name=value`."""
    return next(
        (each.partition("=")[2] for each in sys.argv if each.startswith(f"--{name}=")), None
    )


def said(answer: dict[str, Any]) -> int:
    """Says an answer as the program does; returns its exit code."""
    sys.stdout.write("[youtube] Extracting URL\n")
    sys.stdout.flush()
    time.sleep(answer.get("sleep", 0))
    sys.stderr.write(answer.get("stderr", ""))
    if "--ignore-no-formats-error" in sys.argv and "ignoring" in answer:
        print(json.dumps(answer["ignoring"]))
        return 0
    if "error" in answer:
        print("null")
        sys.stderr.write(f"ERROR: {answer['error']}\n")
        return 1
    print(answer["stdout"] if "stdout" in answer else json.dumps(answer["json"]))
    return int(answer.get("code", 0))


def written(answers: dict[str, Any], given: str) -> int:
    """Writes the file that a call with `--load-info-json` wants."""
    info = json.loads(Path(given).read_text())
    stem = (option("output") or "").removesuffix(".%(ext)s")
    if "--write-subs" in sys.argv:
        ((language, (entry,)),) = info["subtitles"].items()
        name = f"{stem}.{language}.{entry['ext']}"
    else:
        entry = info["formats"][-1]
        name = f"{stem}.{entry['ext']}"
    answer = answers[entry["url"]]
    if "error" in answer:
        return said(answer)
    Path(name).write_text(answer["body"])
    print(f"centinel-bytes {len(answer['body'])}")
    return 0


def main() -> int:
    """One call."""
    if "--version" in sys.argv:
        print((HERE / "version").read_text())
        return 0
    answers = json.loads((HERE / "answers.json").read_text())
    with (HERE / "calls.jsonl").open("a") as stream:
        stream.write(json.dumps(sys.argv[1:]) + "\n")
    given = option("load-info-json")
    if given:
        return written(answers, given)
    address = next(each for each in sys.argv[1:] if each.startswith("http"))
    return said(answers[address])


if __name__ == "__main__":
    sys.exit(main())
