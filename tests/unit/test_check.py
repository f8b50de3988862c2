"""`centinel check` reads one document as the workflow would, and stores nothing."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from centinel import check, cli
from centinel.http import Client
from centinel.pacing import Pacing
from centinel.record import Json
from tests.sites.server import Answer, Site
from tests.unit.support import PAGE, files_under

KEYS = """kind decided_by inferred reader reader_version recovered_by_fallback notes title chars
text outcome"""
PROSE = "The council met on Monday and set the fees of the town for the year to come. " * 8
PAGE_BODY = (
    f"<!doctype html><html><head><title>Fees</title></head><body><main><h1>Fees</h1><p>{PROSE}</p>"
    "</main></body></html>"
).encode()


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; requests are not paced."""
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    unpaced = functools.partial(Client, rps=1000.0, backoff_seconds=0.01)
    monkeypatch.setattr(check, "Client", unpaced)
    return folder


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Runs the command; returns its exit code, standard output and standard error."""
    code = cli.main(["check", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def as_json(capsys: pytest.CaptureFixture[str], target: str) -> Json:
    """What `--json` says, which is one object on one line."""
    _, out, err = checked(capsys, target, "--json")
    assert (err, out.count("\n")) == ("", 1)
    found: Json = json.loads(out)
    return found


# Files


def test_the_text_is_on_standard_output_and_the_facts_on_standard_error(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "fees.html").write_bytes(PAGE_BODY)
    code, out, err = checked(capsys, "fees.html")
    assert code == 0
    assert out.startswith("# Fees\n\nThe council met on Monday")
    assert "kind: html (decided by magic)" in err.splitlines()
    assert "reader: marked" in err
    assert "title: Fees" in err.splitlines()
    assert "council" not in err


def test_the_json_has_every_field(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "fees.html").write_bytes(PAGE_BODY)
    found = as_json(capsys, "fees.html")
    assert set(KEYS.split()) <= found.keys()
    assert (found["kind"], found["decided_by"], found["inferred"]) == ("html", "magic", False)
    assert (found["outcome"], found["reader"], found["recovered_by_fallback"]) == (
        "text",
        "marked",
        False,
    )
    assert (found["title"], found["chars"]) == ("Fees", len(found["text"]))
    assert (found["size"], found["final_url"], found["http_status"]) == (len(PAGE_BODY), None, None)


def test_a_local_table_is_inferred_from_its_name(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "fees.csv").write_text("name,fee\ndog,20\ncat,10\n")
    found = as_json(capsys, "fees.csv")
    assert (found["kind"], found["decided_by"], found["inferred"]) == ("csv", "extension", True)
    _, _, err = checked(capsys, "fees.csv")
    assert "kind: csv (decided by extension, inferred from the name alone)" in err.splitlines()


def test_a_document_without_text_is_said_and_ends_with_one(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "empty.pdf").write_bytes(b"")
    code, out, err = checked(capsys, "empty.pdf")
    assert (code, out) == (1, "")
    assert "outcome: underivable" in err.splitlines()
    assert "reason: the document is empty (0 bytes)" in err.splitlines()
    assert as_json(capsys, "empty.pdf")["text"] is None


def test_a_recording_waits(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "council.mp3").write_bytes(b"ID3\x04\x00" + bytes(100))
    code, out, _ = checked(capsys, "council.mp3")
    assert (code, out) == (1, "")
    found = as_json(capsys, "council.mp3")
    assert (found["kind"], found["outcome"]) == ("audio", "waiting")


def test_contradictions_are_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "fees.pdf").write_bytes(PAGE_BODY)
    note = "magic says html, but the address ends in .pdf (pdf)"
    assert note in as_json(capsys, "fees.pdf")["notes"]
    assert f"note: {note}" in checked(capsys, "fees.pdf")[2].splitlines()


@pytest.mark.parametrize("target", ["missing.pdf", "folder", "", "ftp://town.example/a"])
def test_a_file_that_cannot_be_had_is_one_line_and_ends_with_two(
    place: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    (place / "folder").mkdir()
    code, out, err = checked(capsys, target)
    assert (code, out) == (2, "")
    assert err.startswith(f"centinel: {target} could not be had: ")
    assert err.count("\n") == 1


# Addresses


def test_an_address_is_fetched_and_read(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.set("/old", Answer(status=302, headers=(("Location", "/fees"),)))
    site.set("/fees", Answer(PAGE_BODY, PAGE))
    code, out, err = checked(capsys, site.address + "/old")
    assert code == 0
    assert out.startswith("# Fees\n")
    assert err.splitlines()[0] == f"answer: 200 at {site.address}/fees"
    found = as_json(capsys, site.address + "/old")
    assert (found["kind"], found["decided_by"]) == ("html", "declared")
    assert (found["final_url"], found["http_status"]) == (site.address + "/fees", 200)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=403), "blocked: http 403"),
        (Answer(status=404), "gone: http 404"),
        (Answer(reset=True), "error: transport: "),
        (Answer(PAGE_BODY, PAGE, cut_after=10), "error: transport: "),
        (Answer(status=302, headers=(("Location", "mailto:x@y"),)), "blocked: address: redirect"),
    ],
)
def test_a_refused_address_is_one_line_and_ends_with_two(
    site: Site, capsys: pytest.CaptureFixture[str], answer: Answer, reason: str
) -> None:
    site.set("/a", answer)
    code, out, err = checked(capsys, site.address + "/a")
    assert (code, out) == (2, "")
    assert err.startswith(f"centinel: {site.address}/a could not be had: {reason}")
    code, out, _ = checked(capsys, site.address + "/a", "--json")
    assert code == 2
    assert json.loads(out)["outcome"] is None


def test_robots_are_honoured(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.set("/robots.txt", Answer(b"User-agent: *\nDisallow: /\n", "text/plain"))
    code, _, err = checked(capsys, site.address + "/a")
    assert (code, site.asked("/a")) == (2, 0)
    assert "blocked: robots" in err


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_password_in_the_target_is_not_shown(
    site: Site, capsys: pytest.CaptureFixture[str], flags: list[str]
) -> None:
    site.set("/fees", Answer(PAGE_BODY, PAGE))
    for path in ("/fees", "/missing"):
        target = site.address.replace("://", "://clerk:hunter2@") + path
        _, out, err = checked(capsys, target, *flags)
        assert "hunter2" not in out + err
    assert all("authorization" not in each.headers for each in site.requests)


# Traces


def test_nothing_is_stored(
    place: Path,
    tmp_path: Path,
    site: Site,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check.tempfile, "tempdir", str(tmp_path))
    (place / "fees.html").write_bytes(PAGE_BODY)
    site.set("/fees", Answer(PAGE_BODY, PAGE))
    before = files_under(tmp_path)
    for target in ("fees.html", "missing", site.address + "/fees", site.address + "/missing"):
        checked(capsys, target)
        checked(capsys, target, "--json")
    assert files_under(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


def test_the_command_is_a_program(place: Path, tmp_path: Path) -> None:
    (place / "fees.html").write_bytes(PAGE_BODY)
    before = files_under(tmp_path)
    program = Path(sys.executable).parent / "centinel"
    ended = subprocess.run(
        [program, "check", "fees.html"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout.splitlines()[0]) == (0, "# Fees")
    assert "kind: html (decided by magic)" in ended.stderr
    ended = subprocess.run([program, "check", "x"], capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"Traceback" not in ended.stderr
    assert files_under(tmp_path) == before


def test_the_program_reads_an_address_of_this_machine(tmp_path: Path, site: Site) -> None:
    site.set("/fees", Answer(PAGE_BODY, PAGE))
    before = files_under(tmp_path)
    program = Path(sys.executable).parent / "centinel"
    command = [program, "check", site.address + "/fees", "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    found = json.loads(ended.stdout)
    assert (ended.returncode, found["kind"], found["decided_by"]) == (0, "html", "declared")
    assert found["text"].startswith("# Fees")
    assert files_under(tmp_path) == before


def test_a_reader_of_the_output_that_leaves_early_is_no_fault(place: Path) -> None:
    (place / "large.txt").write_text("A line of the minutes.\n" * 100_000)
    program = Path(sys.executable).parent / "centinel"
    command = f"{program} check large.txt | head -n 1"
    ended = subprocess.run(command, shell=True, capture_output=True, timeout=60, check=False)
    assert ended.stdout == b"A line of the minutes.\n"
    assert b"Traceback" not in ended.stderr


# The configuration of the place


def test_a_wrong_configuration_is_one_line_and_ends_with_two(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "config").mkdir()
    (place / "config" / "config.yaml").write_text("sources: config/sources.yaml\nresult: x\n")
    (place / "config" / "pipeline.yaml").write_text("")
    (place / "fees.html").write_bytes(PAGE_BODY)
    code, out, err = checked(capsys, "fees.html")
    assert (code, out) == (2, "")
    assert err.startswith("centinel: config/config.yaml: unknown key 'result'")
    assert err.count("\n") == 1


def test_the_contact_of_the_place_is_told_to_the_server(
    place: Path, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "config").mkdir()
    text = "sources: s.yaml\nresults: results\ncontact: https://town.example/bot\n"
    (place / "config" / "config.yaml").write_text(text)
    (place / "config" / "pipeline.yaml").write_text("")
    (place / "s.yaml").write_text("")
    checked(capsys, site.address + "/a")
    assert "+https://town.example/bot" in site.requests[-1].headers["user-agent"]


def test_a_command_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == 2
    assert "usage: centinel" in capsys.readouterr().err


def test_pacing_is_that_of_everybody_on_this_machine(tmp_path: Path) -> None:
    asking = Client(tmp_path)
    assert asking.rps == 1.0
    assert asking.pacing.folder == Pacing(asking.wait).folder


# Following


def test_follow_reads_what_the_page_encloses_and_says_what_could_not_be_had(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    links = '<a href="/fees.csv">Fees</a> <a href="/gone.pdf">Budget</a>'
    site.set("/fees.csv", Answer(b"Fee,Euros\nDog,20\n", "text/csv"))
    site.set("/page", Answer(PAGE_BODY.replace(b"</main>", f"{links}</main>".encode()), PAGE))
    code, out, err = checked(capsys, f"{site.address}/page", "--follow")
    assert code == 0
    assert out.startswith("# Fees\n\n")
    assert f"\n<!-- {site.address}/fees.csv -->\n\n| Fee | Euros |\n" in out
    assert "documents that the page encloses: 2" in err
    assert f"\n{site.address}/gone.pdf\ncould not be had: gone: http 404\n" in err


def test_follow_stands_in_the_json(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.set("/fees.csv", Answer(b"Fee,Euros\nDog,20\n", "text/csv"))
    page = PAGE_BODY.replace(b"</main>", b'<a href="/fees.csv">Fees</a></main>')
    site.set("/page", Answer(page, PAGE))
    _, out, _ = checked(capsys, f"{site.address}/page", "--follow", "--json")
    (followed,) = json.loads(out)["followed"]
    assert (followed["target"], followed["kind"]) == (f"{site.address}/fees.csv", "csv")
    assert as_json(capsys, f"{site.address}/page")["followed"] == []
