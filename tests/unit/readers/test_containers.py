import io
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centinel.kinds import FORMATS
from centinel.readers import containers
from centinel.readers.containers import check_zip, format_of, is_encrypted_package
from centinel.readers.document import Document, GaveWay
from tests.unit.readers.packages import docx, odf, ole, paragraph, xlsx, zip_of

Make = Callable[..., Document]

ROW = '<row r="1"><c r="A1"><v>1</v></c></row>'
TYPES = "[Content_Types].xml"
OPEN_XML = {
    "docm": "application/vnd.ms-word.document.macroEnabled.main+xml",
    "dotx": "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
    "ppsx": "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml",
    "xlsm": "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
    "xltx": "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroEnabled.main",
}
PACKAGES = {
    "docx": docx(paragraph("Agenda")),
    "xlsx": xlsx({"A": ROW}),
    "odt": odf("text", "<text:p>x</text:p>"),
    "ods": odf("spreadsheet", ""),
    "odp": odf("presentation", ""),
    "epub": zip_of({"mimetype": "application/epub+zip\n", "META-INF/container.xml": "<c/>"}),
    "zip": zip_of({"photo.jpg": b"\xff\xd8\xff", "plan.dwg": b"AC1027"}),
    **{
        name: zip_of({TYPES: f'<Override ContentType="{main}"/>'})
        for name, main in OPEN_XML.items()
    },
}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_zip_is_told_by_what_it_holds(make: Make, name: str) -> None:
    assert format_of(make(PACKAGES[name], "zip-container")) == name
    assert name in {row.name for row in FORMATS}


@pytest.mark.parametrize("name", ["docx", "xlsx", "odt", "ods", "odp", "epub", "docm", "xlsb"])
def test_a_zip_that_broke_off_is_told_by_the_headers_of_its_entries(make: Make, name: str) -> None:
    whole = PACKAGES[name]
    assert format_of(make(whole[: whole.rfind(b"PK\x01\x02")], "document")) == name


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ({"word/document.xml": ""}, "docx"),
        ({"xl\\workbook.xml": ""}, "xlsx"),
        ({"/ppt/presentation.xml": ""}, "pptx"),
        ({"xl/workbook.bin": ""}, "xlsb"),
        ({"docs/word/document.xml": ""}, "zip"),
        ({"mimetype": "text/plain", "a": ""}, "zip"),
        ({}, "zip"),
    ],
)
def test_without_a_list_of_types_the_names_of_parts_decide(
    make: Make, parts: dict[str, str], name: str
) -> None:
    assert format_of(make(zip_of(parts), "zip-container")) == name


def test_a_document_with_a_workbook_in_it_is_a_document(make: Make) -> None:
    embedded = docx(paragraph("x"), {"word/embeddings/a.xlsx": PACKAGES["xlsx"]})
    assert format_of(make(embedded, "document")) == "docx"


@pytest.mark.parametrize(
    ("streams", "name"),
    [
        (["WordDocument", "1Table"], "doc"),
        (["PowerPoint Document"], "ppt"),
        (["Workbook"], "xls"),
        (["Book"], "xls"),
        (["__properties_version1.0"], "outlook"),
        (["WordDocument", "Workbook"], "doc"),
        (["Contents"], None),
        (["EncryptedPackage", "EncryptionInfo"], None),
    ],
)
def test_an_ole_file_is_told_by_its_streams(
    make: Make, streams: list[str], name: str | None
) -> None:
    assert format_of(make(ole(streams), "document")) == name
    assert is_encrypted_package(ole(streams)) == ("EncryptedPackage" in streams)


def test_text_that_names_a_stream_is_no_entry_of_the_directory(make: Make) -> None:
    mention = b"x" + "Workbook".encode("utf-16-le") + bytes(200)
    assert format_of(make(ole(["WordDocument"], mention), "document")) == "doc"


@pytest.mark.parametrize("data", [b"%PDF-1.7", b"{\\rtf1 x}", b"text", b"\xd0\xcf\x11\xe0"])
def test_what_is_no_container_has_no_format(make: Make, data: bytes) -> None:
    assert format_of(make(data, "document")) is None


@given(
    data=st.sampled_from([*PACKAGES.values(), ole(["WordDocument"])]),
    cut=st.integers(0, 3000),
    noise=st.binary(max_size=40),
    place=st.integers(0, 3000),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_containers_have_a_format_or_none_and_a_reason_at_most(
    make: Make, data: bytes, cut: int, noise: bytes, place: int
) -> None:
    damaged = data[:place] + noise + data[place + len(noise) : max(4, cut)]
    document = make(damaged, "document")
    assert format_of(document) in {None, *(row.name for row in FORMATS)}
    with suppress(GaveWay):  # a size that lies is a reason of its own
        check_zip(document)


def test_ordinary_packages_are_safe(make: Make) -> None:
    for data in PACKAGES.values():
        check_zip(make(data, "document"))
    check_zip(make(b"no zip at all", "document"))


def test_small_text_may_be_packed_at_any_ratio(make: Make) -> None:
    check_zip(make(xlsx({"A": ROW * 100_000}), "spreadsheet"))


def test_a_bomb_is_told_by_its_ratio(make: Make) -> None:
    data = zip_of({"word/document.xml": bytes(70 << 20)})
    with pytest.raises(GaveWay, match=r"a zip packed 1,02\d to 1, a bomb: 200 is opened"):
        check_zip(make(data, "document"))


def test_a_zip_is_told_by_its_size_unpacked(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "SMALL_UNPACKED", 1 << 40)
    data = zip_of({"a.xml": bytes(3 << 20)})
    with pytest.raises(GaveWay, match="unpacks to 3 MiB; 2 are opened"):
        check_zip(make(data, "document"), 2 << 20)


def test_sizes_that_lie_are_found_out(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "SMALL_UNPACKED", 1 << 20)
    honest = zip_of({"a.xml": bytes(64 << 20)})
    size = (64 << 20).to_bytes(4, "little")
    with pytest.raises(GaveWay, match="declares 0 MiB and unpacks to more than 32, a bomb"):
        check_zip(make(honest.replace(size, (9000).to_bytes(4, "little")), "document"), 32 << 20)


def test_too_many_entries_are_not_even_listed(make: Make) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(5_001):
            archive.writestr(zipfile.ZipInfo(f"word/{number}.xml"), "")
    document = make(packed.getvalue(), "document")
    with pytest.raises(GaveWay, match="a zip of more than 5,000 entries"):
        check_zip(document)
    assert format_of(document) == "docx"
