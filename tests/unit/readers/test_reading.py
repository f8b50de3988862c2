from collections.abc import Callable

import pytest

from centinel import __version__
from centinel.readers import reading as module
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading
from centinel.readers.outcome import Outcome, Tried
from centinel.readers.reading import read

Make = Callable[..., Document]
HTML = ["marked", "readability", "whole_page"]


class Readers:
    """Readers made up for one test, which stand in the registry's place."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.known: dict[str, FunctionReader] = {}
        monkeypatch.setattr(module, "by_name", self.known.__getitem__)

    def says(self, name: str, text: str, title: str | None = None, *notes: str) -> None:
        self._add(name, lambda _: Reading(text, title, notes))

    def raises(self, name: str, error: BaseException) -> None:
        def fail(_: Document) -> Reading:
            raise error

        self._add(name, fail)

    def missing(self, name: str) -> None:
        self._add(name, lambda _: Reading("never"), modules=("no_such_module",))

    def _add(
        self, name: str, function: Callable[[Document], Reading], modules: tuple[str, ...] = ()
    ) -> None:
        install = f"pip install {name}"
        self.known[name] = FunctionReader(
            name, frozenset({"text"}), function, modules=modules, install=install
        )


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> Readers:
    return Readers(monkeypatch)


@pytest.fixture
def blob(make: Make) -> Document:
    return make("anything", "text")


def test_the_first_reader_that_has_text_wins(readers: Readers, blob: Document) -> None:
    readers.says("a", "Text of a", None, "noticed")
    readers.says("b", "Text of b")
    outcome = read(blob, ["a", "b"])
    assert outcome == Outcome(
        "text",
        "text",
        text="Text of a\n",
        reader="a",
        reader_version=__version__,
        recovered_by_fallback=False,
        title=None,
        chars=10,
        notes=("noticed",),
        reason=None,
        tried=(),
    )


def test_the_winner_notes_why_the_earlier_gave_way(readers: Readers, blob: Document) -> None:
    readers.raises("a", GaveWay("no main\n region"))
    readers.says("b", " \n ")
    readers.says("c", "Text", None, "own note")
    outcome = read(blob, ["a", "b", "c"])
    assert outcome.recovered_by_fallback
    assert outcome.notes == ("a: no main region", "b: no text came out", "own note")
    assert outcome.tried[0] == Tried("a", __version__, "no main region")


def test_a_sole_reader_keeps_its_words_and_many_are_named(readers: Readers, blob: Document) -> None:
    readers.raises("a", GaveWay("is encrypted"))
    readers.raises("b", GaveWay("is damaged"))
    assert read(blob, ["a"]).reason == "is encrypted"
    outcome = read(blob, ["a", "b"])
    assert (outcome.outcome, outcome.text, outcome.chars) == ("underivable", None, 0)
    assert outcome.reason == "a: is encrypted; b: is damaged"


class PanicException(BaseException):
    """As Rust libraries raise it: no Exception."""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PanicException("out of bounds"), "PanicException: out of bounds"),
        (MemoryError(), "took too much memory"),
        (RecursionError("too deep"), "RecursionError: too deep"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_whatever_a_reader_raises_is_its_reason(
    readers: Readers, blob: Document, error: BaseException, reason: str
) -> None:
    readers.raises("a", error)
    assert read(blob, ["a"]).reason == reason
    readers.says("b", "Text")
    assert read(blob, ["a", "b"]).notes == (f"a: {reason}",)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), GeneratorExit()])
def test_an_order_to_stop_is_obeyed(readers: Readers, blob: Document, error: BaseException) -> None:
    readers.raises("a", error)
    with pytest.raises(type(error)):
        read(blob, ["a"])


def test_a_missing_reader_is_passed_over(readers: Readers, blob: Document) -> None:
    readers.missing("a")
    readers.says("b", "Text")
    outcome = read(blob, ["a", "b"])
    assert (outcome.outcome, outcome.recovered_by_fallback) == ("text", True)
    assert outcome.notes == ("a: not installed here",)
    assert outcome.tried == (Tried("a", None, "not installed here"),)


def test_what_a_missing_reader_could_have_read_is_waiting(readers: Readers, blob: Document) -> None:
    readers.raises("a", GaveWay("no text"))
    readers.missing("b")
    outcome = read(blob, ["a", "b"])
    assert outcome.outcome == "waiting"
    assert outcome.reason == "b is not installed here (to install it: pip install b); a: no text"


def test_a_kind_without_readers_is_underivable(blob: Document) -> None:
    outcome = read(blob, [])
    assert (outcome.outcome, outcome.reason) == ("underivable", "no reader for kind text")


def test_an_empty_document_is_underivable(make: Make) -> None:
    outcome = read(make(b"", "html"), HTML)
    assert (outcome.outcome, outcome.reason) == ("underivable", "the document is empty (0 bytes)")


def test_an_unknown_reader_is_an_error_of_the_configuration(make: Make) -> None:
    with pytest.raises(ValueError, match="no reader is called 'scribe'"):
        read(make("x", "text"), ["scribe"])


def test_the_document_own_title_comes_before_the_source_one(
    readers: Readers, blob: Document
) -> None:
    readers.says("a", "Text", "Own title")
    outcome = read(blob, ["a"], "Title of the source")
    assert outcome.text == "# Own title\n\nText\n"
    assert outcome.title == "Own title"
    assert outcome.chars == len("# Own title\n\nText\n")


def test_the_source_title_stands_in(readers: Readers, blob: Document) -> None:
    readers.says("a", "\n\n  Text  \n\n", "  ")
    assert read(blob, ["a"], " Hearing\n of May ").text == "# Hearing of May\n\n  Text\n"


@pytest.mark.parametrize(
    "first",
    ["# Own Title", "### **own  title** ###", "OWN TITLE", "_Own Title_", "[Own Title](/x)"],
)
def test_a_text_that_opens_with_its_title_is_left_alone(
    readers: Readers, blob: Document, first: str
) -> None:
    readers.says("a", f"\n{first}\n\nText", "Own title")
    assert read(blob, ["a"]).text == f"{first}\n\nText\n"


@pytest.mark.parametrize("text", ["# Own title", "own title\n\n**Own title**\n", "Source title"])
def test_a_title_alone_is_not_text(readers: Readers, blob: Document, text: str) -> None:
    readers.says("a", text, "Own title")
    outcome = read(blob, ["a"], "Source title")
    assert (outcome.outcome, outcome.reason) == ("underivable", "only its title came out")


def test_an_image_alone_is_not_text(readers: Readers, blob: Document) -> None:
    readers.says("a", "data:image/png;base64,iVBORw0KGgo=")
    assert read(blob, ["a"]).reason == "no text came out; 34 characters removed from 1 data URIs"


def test_data_uris_leave_a_note(readers: Readers, blob: Document) -> None:
    readers.says("a", "Seal ![x](data:image/png;base64,AAAA) of the city")
    outcome = read(blob, ["a"])
    assert outcome.text == "Seal ![x]() of the city\n"
    assert outcome.notes == ("26 characters removed from 1 data URIs",)


def test_text_is_normalised_whoever_gave_it(readers: Readers, blob: Document) -> None:
    readers.says("a", "one\r\ntwo\x00\ud800\x0c")
    assert read(blob, ["a"]).text == "one\ntwo\n"


def test_a_long_reason_is_cut(readers: Readers, blob: Document) -> None:
    readers.raises("a", ValueError("x" * 10_000))
    assert len(read(blob, ["a"]).reason or "") == 500


def test_a_page_whose_only_text_is_its_title_is_underivable(make: Make) -> None:
    page = "<html><head><title>City of X</title></head><body><h1>City of X</h1></body></html>"
    outcome = read(make(page), HTML)
    assert outcome.outcome == "underivable"
    assert "whole_page: only its title came out" in (outcome.reason or "")


def test_a_page_is_read_through_to_its_markdown(make: Make) -> None:
    page = (
        "<html><head><title>Agenda | City of X</title></head><body><nav><a href=/>Home</a></nav>"
        "<main><h1>Agenda</h1><p>Call to order at <b>7 pm</b>.</p></main></body></html>"
    )
    outcome = read(make(page), HTML)
    assert outcome.text == "# Agenda | City of X\n\n# Agenda\n\nCall to order at **7 pm**.\n"
    assert (outcome.reader, outcome.notes) == ("marked", ("marked region: main",))
