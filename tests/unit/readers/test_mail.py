"""Mail in the shapes in which it is published: messages, mailboxes, saved pages."""

from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.readers.document import Document, GaveWay, Reading
from centinel.readers.entries import Unreadable
from centinel.readers.letters import attached, letters_of
from centinel.readers.mail import mail
from tests.bench.read_documents import CORPUS as FOLDER
from tests.unit.readers.conftest import Make
from tests.unit.support import PROPERTY

CORPUS = FOLDER / "files"


def read(make: Make, content: str | bytes) -> Reading:
    return mail.read(make(content, "mail", "message/rfc822"))


def message(subject: str = "Budget", body: str = "The budget is attached.\n") -> EmailMessage:
    made = EmailMessage()
    made["From"] = "Town Clerk <clerk@town.example>"
    made["To"] = "council@town.example"
    made["Date"] = "Mon, 02 Mar 2026 09:30:00 -0500"
    made["Subject"] = subject
    made["X-Mailer"] = "nobody asks"
    made.set_content(body)
    return made


def test_headers_body_and_attachments_are_listed_and_the_subject_is_the_title(make: Make) -> None:
    letter = message("Bérénice's budget")
    letter.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="plan é.pdf")
    letter.add_attachment(b"a,b\n" * 300, maintype="text", subtype="csv", filename="fees.csv")
    reading = read(make, letter.as_bytes())
    assert reading.title == "Bérénice's budget"
    assert reading.text == (
        "- From: Town Clerk <clerk@town.example>\n"
        "- To: council@town.example\n"
        "- Date: Mon, 02 Mar 2026 09:30:00 -0500\n"
        "- Subject: Bérénice's budget\n\n"
        "The budget is attached.\n\n"
        "Attachments:\n\n"
        "- plan é.pdf (application/pdf, 8 bytes)\n"
        "- fees.csv (text/csv, 1,200 bytes)"
    )


def test_plain_text_goes_before_a_page_and_a_page_is_read_where_it_is_alone(make: Make) -> None:
    letter = message(body="Plain words.\n")
    letter.add_alternative("<html><body><p>Rich words.</p></body></html>", subtype="html")
    text = read(make, letter.as_bytes()).text
    assert "Plain words." in text
    assert "Rich" not in text
    page = message()
    page.set_content("<title>No</title><p>Rich <b>words</b>.</p><script>x</script>", subtype="html")
    assert read(make, page.as_bytes()).text.endswith("\n\nRich **words**.")
    empty = message(body="\n")
    empty.add_alternative("<p>Only here.</p>", subtype="html")
    assert read(make, empty.as_bytes()).text.endswith("\n\nOnly here.")


def test_a_message_inside_a_message_is_read_with_its_attachments(make: Make) -> None:
    inner = message("The older one", "Older words.\n")
    inner.add_attachment(b"PK", maintype="application", subtype="zip", filename="old.zip")
    outer = message("Fwd", "See below.\n")
    outer.add_attachment(inner)
    document = make(outer.as_bytes(), "mail")
    text = mail.read(document).text
    assert text.index("See below.") < text.index("## The older one") < text.index("Older words.")
    assert "- old.zip (application/zip, 2 bytes)" in text
    assert [raw.name for raw in attached(document.path)] == ["old.zip"]


@pytest.mark.parametrize(
    ("headers", "body", "said"),
    [
        ("Content-Type: text/plain; charset=iso-8859-1", "Caf\xe9".encode("latin-1"), "Café"),
        ("Content-Type: text/plain; charset=nonsense", "Café".encode(), "Café"),
        ("Content-Transfer-Encoding: base64", b"Q2Fmw6k=", "Café"),
        ("Content-Transfer-Encoding: base64", b"Q2Fmw6k", "Café"),
        ("Content-Transfer-Encoding: quoted-printable", b"Caf=C3=A9 =\nopen", "Café open"),
        ("Content-Transfer-Encoding: x-unheard-of", b"Cafe", "Cafe"),
        ("Content-Type: multipart/mixed", b"no boundary", "no boundary"),
        ("Content-Type: multipart/mixed; boundary=x", b"--x\n\nnever closed", "never closed"),
        ("Content-Type: ///; charset", b"odd type", "odd type"),
    ],
)
def test_charsets_and_transfer_encodings(make: Make, headers: str, body: bytes, said: str) -> None:
    content = b"Subject: x\n" + headers.encode() + b"\n\n" + body
    assert said in read(make, content).text


def test_headers_that_are_raw_or_broken_are_kept(make: Make) -> None:
    content = (
        b"From: Andr\xe9 <a@b.example>\nTo: =?utf-8?q?broken\nDate: not a date\n"
        b"Subject: =?iso-8859-1?Q?Caf=E9?= and\n =?utf-8?b?w6k=?=\nCc: <<<@,;:>\n\nwords\n"
    )
    reading = read(make, content)
    assert reading.title == "Café and é"
    for line in ("- From: André <a@b.example>", "- Date: not a date", "- To: =?utf-8?q?broken"):
        assert line in reading.text.splitlines()


BOX = (
    b"From clerk@town.example Mon Mar  2 09:30:00 2026\nSubject: One\n\nFirst.\n"
    b">From the start\n\nFrom now on, no mark.\n\n"
    b"From clerk@town.example Tue Mar  3 09:30:00 2026\nSubject: Two\n\nSecond.\n"
)


def test_each_message_of_a_mailbox_is_read(make: Make) -> None:
    reading = read(make, BOX)
    assert reading.title is None
    assert reading.notes[0] == "2 messages"
    assert reading.text.split("\n\n") == [
        "## One",
        "- Subject: One",
        "First.\nFrom the start",
        "From now on, no mark.",
        "## Two",
        "- Subject: Two",
        "Second.",
    ]


def test_attachments_of_a_mailbox_stand_under_their_messages_number(make: Make) -> None:
    letter = message()
    letter.add_attachment(b"x", maintype="application", subtype="pdf", filename="a.pdf")
    mark = b"From clerk@town.example Mon Mar  2 09:30:00 2026\n"
    box = make(b"\n".join([mark + letter.as_bytes()] * 2), "mail")
    assert [raw.name for raw in attached(box.path)] == ["1/a.pdf", "2/a.pdf"]


MHT = b"""From: <Saved by a browser>
Subject: Council page
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="b"

--b
Content-Type: image/png
Content-Location: https://town.example/logo.png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--b
Content-Type: text/html; charset=utf-8
Content-Location: https://town.example/
Content-Transfer-Encoding: quoted-printable

<html><body><h1>Council page</h1><p>Meets =C3=A0 noon.</p></body></html>
--b--
"""


def test_a_saved_page_is_its_page(make: Make) -> None:
    document = make(MHT, "mail", "multipart/related")
    reading = mail.read(document)
    assert reading.title == "Council page"
    assert reading.text.endswith("# Council page\n\nMeets à noon.")
    assert "1 files that a page of the mail shows, not taken" in reading.notes
    assert list(attached(document.path)) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"Just words.\n\nNo headers.", "no headers of a mail"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "Outlook message"),
    ],
)
def test_what_is_no_mail_gives_way(make: Make, content: bytes, reason: str) -> None:
    with pytest.raises(GaveWay, match=reason):
        read(make, content)


def test_parts_nested_without_end_do_not_take_the_reader_down(make: Make) -> None:
    content = b"Subject: deep\n"
    for number in range(200):
        content += b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (number, number)
    try:
        assert "deep" in read(make, content + b"\n\nend").text
    except GaveWay as way:
        assert "message 1" in str(way)


def test_a_mail_to_everybody_in_any_number_of_parts_is_read_at_once(make: Make) -> None:
    everybody = b"To: " + b"a@town.example, " * 20_000 + b"\n"
    many = b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 6_000
    reading = read(make, b"Subject: x\n" + everybody + many)
    assert reading.text.startswith("- To: a@town.example, a@town.example, ")
    assert "1000 parts beyond the most that are read, left out" in reading.notes


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"--b\n\nx\n" * 150_000, id="parts"),
        pytest.param(
            b"".join(
                b'--%d\nContent-Type: multipart/mixed; boundary="%d"\n\n' % (n, n + 1)
                for n in range(300)
            )
            + b"x\n" * 100_000,
            id="depth",
        ),
    ],
)
def test_a_mail_that_would_take_minutes_gives_way(make: Make, content: bytes) -> None:
    with pytest.raises(GaveWay, match="too many lines and parts"):
        read(make, b"Subject: x\nContent-Type: multipart/mixed; boundary=0\n\n" + content)


@given(
    st.lists(
        st.sampled_from(
            [
                b"Subject: =?",
                b"Content-Type: multipart/alternative; boundary=b\n",
                b"Content-Type: message/rfc822\n",
                b"Content-Disposition: attachment; filename*0*=utf-8''%E9\n",
                b"Content-Transfer-Encoding: base64\n",
                b"\n\n",
                b"--b\n",
                b"--b--\n",
                b"From x Mon Mar  2 09:30:00 2026\n",
                b"\xff\xfe",
            ]
        )
        | st.binary(max_size=9),
        max_size=20,
    ).map(b"".join)
)
@PROPERTY
def test_any_bytes_are_letters_or_a_reason(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "blob"
    path.write_bytes(content)
    for walk in (letters_of, attached):
        try:
            for found in walk(path):
                assert found
        except Unreadable as error:
            assert str(error)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
def test_real_mails_are_read() -> None:
    for name in ("testThunderbirdEml.eml", "testRFC822"):
        reading = mail.read(Document(CORPUS / name, "mail"))
        assert reading.title
        assert "- From: " in reading.text
