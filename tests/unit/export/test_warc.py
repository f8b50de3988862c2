"""A WARC export holds what the record has, byte for byte, and says what it does not hold."""

import random
import tracemalloc
from pathlib import Path

import pytest
from warcio.cli import main as warcio

from centinel.export import warc
from centinel.files import read_json
from centinel.store import Store
from tests.unit.export.exporting import SITE, Kept, Read, of_kind, read
from tests.unit.support import assert_valid, files_under, sha256

NEVER_WHOLE = random.Random(0).randbytes(3000)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(Store(tmp_path, "town"))


def about(records: list[Read], uri: str) -> list[tuple[str, str]]:
    """The fields of the last metadata record of an address."""
    return [each for each in of_kind(records, "metadata") if each.uri == uri][-1].fields


def export(kept: Kept, size: int = warc.SIZE) -> list[Read]:
    """Exports, and reads the files that the list names, digests checked."""
    written = warc.write(kept.store, size)
    assert written == read_json(kept.store.warc_list)
    assert_valid([written], "warc_list")
    paths = [kept.store.export / each["name"] for each in written["files"]]
    assert [sha256(path.read_bytes()) for path in paths] == [x["sha256"] for x in written["files"]]
    assert paths == kept.store.warcs()
    return read(paths)


def test_a_page_is_a_response_with_its_bytes_status_headers_and_date(kept: Kept) -> None:
    headers = {"content-type": "text/html", "etag": '"7"', "content-length": "6"}
    seen = kept.see(f"{SITE}/a", b"<p>one", headers=headers, http_status=203)
    records = export(kept)
    assert [each.kind for each in records] == ["warcinfo", "response", "metadata"]
    response = records[1]
    assert (response.uri, response.payload, response.http_status) == (
        f"{SITE}/a",
        b"<p>one",
        "203",
    )
    assert response.named["WARC-Date"] == seen.at
    assert response.named["WARC-Payload-Digest"] == f"sha256:{sha256(b'<p>one')}"
    assert response.named["WARC-Block-Digest"].startswith("sha1:")
    assert response.http == {"Content-Type": "text/html", "Etag": '"7"', "Content-Length": "6"}


def test_encodings_that_were_undone_stand_under_other_names(kept: Kept) -> None:
    headers = {"content-encoding": "gzip", "transfer-encoding": "chunked", "content-length": "31"}
    kept.see(f"{SITE}/a", b"plain again", headers=headers)
    response = of_kind(export(kept), "response")[0]
    assert response.http == {
        "X-Archive-Orig-Content-Encoding": "gzip",
        "X-Archive-Orig-Transfer-Encoding": "chunked",
        "X-Archive-Orig-Content-Length": "31",
        "Content-Length": "11",
    }


def test_the_record_is_told_of_each_observation(kept: Kept) -> None:
    part = f"{SITE}/a/agenda.pdf"
    kept.see(f"{SITE}/a", b"%PDF-1.4", title="One\r\nTwo", parts=[part, part + "2"], notes=["odd"])
    records = export(kept)
    said = about(records, f"{SITE}/a")
    assert ("title", "One Two") in said
    assert [value for name, value in said if name == "parts"] == [part, part + "2"]
    assert ("notes", "odd") in said
    assert ("fingerprint", sha256(b"%PDF-1.4")) in said
    assert ("kind", "text") in said and ("kind_decided_by", "declared") in said
    assert records[2].named["WARC-Refers-To"] == records[1].identifier


def test_a_refusal_is_metadata_with_its_reason_and_never_a_response(kept: Kept) -> None:
    kept.note(f"{SITE}/gone", "gone", reason="http 410", http_status=410)
    kept.note(f"{SITE}/blocked", "blocked", reason="robots", http_status=None)
    kept.discover(2)
    records = export(kept)
    assert [each.kind for each in records] == ["warcinfo", *["metadata"] * 3]
    gone = about(records, f"{SITE}/gone")
    assert ("liveness", "gone") in gone and ("reason", "http 410") in gone
    assert ("liveness", "blocked") in about(records, f"{SITE}/blocked")
    assert ("found", "2") in records[3].fields


def test_the_same_bytes_again_are_a_revisit_of_the_first(kept: Kept) -> None:
    first = kept.see(f"{SITE}/a", b"same")
    kept.see(f"{SITE}/b", b"same", headers={"server": "x"})
    kept.see(f"{SITE}/a", b"same")
    records = export(kept)
    (response,) = of_kind(records, "response")
    again = of_kind(records, "revisit")
    assert [each.uri for each in again] == [f"{SITE}/b", f"{SITE}/a"]
    for each in again:
        assert each.payload == b""
        assert each.named["WARC-Profile"].endswith("/revisit/identical-payload-digest")
        assert each.named["WARC-Payload-Digest"] == response.named["WARC-Payload-Digest"]
        assert each.named["WARC-Refers-To-Target-URI"] == f"{SITE}/a"
        assert each.named["WARC-Refers-To-Date"] == first.at
        assert each.named["WARC-Refers-To"] == response.identifier
    assert again[0].http["Server"] == "x"


def test_what_was_redirected_is_a_response_where_it_was_served(kept: Kept) -> None:
    kept.see(f"{SITE}/old", b"moved", final_url=f"{SITE}/new")
    records = export(kept)
    assert [each.uri for each in of_kind(records, "response")] == [f"{SITE}/new"]
    (asked,) = of_kind(records, "revisit")
    assert (asked.uri, asked.http) == (f"{SITE}/old", {}), "no status is claimed of what was asked"
    assert ("final_url", f"{SITE}/new") in about(records, f"{SITE}/old")


def test_members_and_files_are_resources_at_their_own_address(kept: Kept) -> None:
    kept.see(f"{SITE}/a.zip!/b c é.txt", b"member", http_status=None, unpacked_from=sha256(b"zip"))
    kept.see("file:///plan.pdf", b"file", http_status=None, declared_type="application/pdf")
    kept.see("https://video.example/1#metadata", b"{}", http_status=None, declared_type=None)
    records = of_kind(export(kept), "resource")
    assert [(each.uri, each.payload) for each in records] == [
        (f"{SITE}/a.zip!/b%20c%20%C3%A9.txt", b"member"),
        ("file:///plan.pdf", b"file"),
        ("https://video.example/1#metadata", b"{}"),
    ]
    assert [each.named["Content-Type"] for each in records] == [
        "text/plain",
        "application/pdf",
        "application/octet-stream",
    ]


def test_a_part_behind_a_fragment_is_never_shown_as_its_page(kept: Kept) -> None:
    api = "https://api.example/1"
    kept.see(f"{SITE}/page#metadata", b"{}", final_url=api)
    records = export(kept)
    assert [each.uri for each in of_kind(records, "response")] == [api]
    assert of_kind(records, "revisit") == []


@pytest.mark.parametrize("fault", ["missing", "damaged", "set aside"])
def test_a_blob_that_is_not_whole_is_said_and_never_written(kept: Kept, fault: str) -> None:
    seen = kept.see(f"{SITE}/a", b"was whole")
    kept.see(f"{SITE}/b", b"is whole")
    blob = kept.store.blob(seen.blob)
    if fault == "missing":
        blob.unlink()
    elif fault == "damaged":
        blob.write_bytes(b"was hole")
    else:
        blob.rename(blob.with_name(f"{blob.name}.damaged"))
    records = export(kept)
    assert [each.payload for each in of_kind(records, "response")] == [b"is whole"]
    reason = "missing" if fault == "missing" else "damaged"
    assert ("payload", f"not in this export: {reason}") in about(records, f"{SITE}/a")
    written = read_json(kept.store.warc_list) or {}
    assert written["without_bytes"] == [
        {"artifact": f"{SITE}/a", "at": seen.at, "blob": seen.blob, "reason": reason}
    ]


def test_the_files_are_split_by_size_and_say_where_they_go_on(kept: Kept) -> None:
    for number in range(5):
        kept.see(f"{SITE}/{number}", random.Random(number).randbytes(3000))
    records = export(kept, 5000)
    names = ["town.warc.gz", "town-00002.warc.gz", "town-00003.warc.gz"]
    assert [path.name for path in kept.store.warcs()] == names
    for name, following in zip(names, [*names[1:], None], strict=True):
        of_file = [each for each in records if each.file == name]
        assert of_file[0].kind == "warcinfo"
        assert of_file[0].named["WARC-Filename"] == name
        goes_on = [dict(each.fields).get("continued_in") for each in of_kind(of_file, "metadata")]
        assert goes_on[-1] == following
    together = {each.uri: each.file for each in of_kind(records, "response")}
    said = {each.uri: each.file for each in of_kind(records, "metadata") if each.uri}
    assert together == said, "what is said of a response stands in its file"


def test_fewer_files_than_before_leave_none_of_the_earlier(kept: Kept) -> None:
    for number in range(3):
        kept.see(f"{SITE}/{number}", random.Random(number).randbytes(3000))
    export(kept, 1)
    assert len(kept.store.warcs()) == 3
    left = kept.store.export / ".warc.1.tmp"
    left.mkdir()
    export(kept)
    assert sorted(files_under(kept.store.export)) == ["town.warc.gz", "town.warc.json"]
    assert not left.exists(), "of a job that was killed"


def test_the_same_record_gives_the_same_bytes(kept: Kept) -> None:
    kept.see(f"{SITE}/a", b"one")
    kept.see(f"{SITE}/b", b"one", final_url=f"{SITE}/c")
    kept.note(f"{SITE}/d", "gone")
    export(kept)
    before = files_under(kept.store.export)
    export(kept)
    assert files_under(kept.store.export) == before
    identifiers = [each.identifier for each in read(kept.store.warcs())]
    assert len(identifiers) == len(set(identifiers))


def test_warcio_finds_nothing_wrong(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    kept.see(f"{SITE}/a", b"one", headers={"x-näme": "1", "x-title": "Bürger\r\nmeister", "x": ""})
    kept.see(f"{SITE}/empty", b"", size=0)
    kept.see(f"{SITE}/again", b"one", final_url=f"{SITE}/b")
    kept.see("file:///a", NEVER_WHOLE, http_status=None)
    kept.note(f"{SITE}/d", "gone", reason="a reason\nof two lines: and \u2028 more")
    warc.write(kept.store)
    with pytest.raises(SystemExit) as ended:
        warcio(["check", "-v", *map(str, kept.store.warcs())])
    assert not ended.value.code
    said = capsys.readouterr().out
    assert "digest pass" in said and "fail" not in said


def test_what_is_packed_already_is_not_packed_again(kept: Kept) -> None:
    packed, plain = random.Random(0).randbytes(200_000), b"a sentence of many\n" * 10_000
    kept.see(f"{SITE}/packed", packed)
    kept.see(f"{SITE}/plain", plain)
    responses = of_kind(export(kept), "response")
    assert [each.payload for each in responses] == [packed, plain]
    size = kept.store.warc(1).stat().st_size
    assert len(packed) < size < len(packed) + len(plain) // 20


def test_a_record_without_a_line_is_a_file_that_says_so(kept: Kept) -> None:
    kept.store.record.mkdir(parents=True)
    assert [each.kind for each in export(kept)] == ["warcinfo"]


def test_lines_that_are_torn_or_not_exported_are_counted(kept: Kept) -> None:
    kept.see(f"{SITE}/a", b"one")
    month = kept.store.record_months()[0]
    with month.open("ab") as stream:
        stream.write(b'{"type":"request","at":"2026-03-01T12:00:00.000000Z","request":{}}\n')
        stream.write(b'{"type":"status","at":"2026-03-01T12:00:00.000000Z"}\n')
        stream.write(b'{"type":"observa')
    assert [each.kind for each in export(kept)] == ["warcinfo", "response", "metadata"]
    written = read_json(kept.store.warc_list) or {}
    assert written["left_out"] == {"request": 1}
    assert len(written["torn"]) == 2
    assert f"record/{month.name}:4" in written["torn"]


def test_a_fault_of_this_machine_leaves_no_file(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.see(f"{SITE}/a", b"one")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("warcio.warcwriter.WARCWriter.write_record", full)
    with pytest.raises(OSError, match="No space"):
        warc.write(kept.store)
    assert files_under(kept.store.export) == {}
    assert list(kept.store.export.iterdir()) == []


def test_a_large_blob_is_never_held_in_memory(kept: Kept) -> None:
    size = 48 << 20
    kept.see(f"{SITE}/large", bytes(size))
    tracemalloc.start()
    try:
        warc.write(kept.store)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20
    (response,) = of_kind(read(kept.store.warcs()), "response")
    assert response.payload == bytes(size)
