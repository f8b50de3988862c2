"""What else Port Alder publishes: data, captions, sound, pictures, mail, archives."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import struct
import tarfile
import wave
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from email.policy import SMTP

from tests.sites.town.prose import PEOPLE, PLACES, STREETS, dice, draw, paragraphs

# 1 January 2026: archives write a time, and this is the one.
FIXED_SECONDS = 1767225600


def delimited(rows: Sequence[Sequence[object]], delimiter: str = ",") -> bytes:
    """Rows as csv, or as tsv."""
    target = io.StringIO(newline="")
    csv.writer(target, delimiter=delimiter).writerows(rows)
    return target.getvalue().encode()


def permits() -> list[dict[str, object]]:
    """Building permits, the same every time."""
    source = dice("permits")
    return [
        {
            "permit": f"B-2026-{number:03d}",
            "street": draw(source, STREETS),
            "applicant": draw(source, PEOPLE),
            "value": 5000 * (1 + int(source.random() * 60)),
        }
        for number in range(1, 61)
    ]


def _csv_files() -> dict[str, bytes]:
    permit_rows = [list(entry.values()) for entry in permits()]
    source = dice("counts")
    counts = [[draw(source, PLACES), f"2026-01-{day:02d}", 40 + day * 3] for day in range(1, 32)]
    moorage = [["Float A", 12, "vacant"], ["Float B", 9, "Heron, the pilot's launch"]]
    return {
        "/data/building-permits.csv": delimited(
            [["permit", "street", "by", "value"], *permit_rows]
        ),
        "/data/parking-counts.csv": delimited([["lot", "day", "cars"], *counts]),
        "/download?id=311": delimited([["beach", "day", "swimmers"], *counts]),
        "/data/moorage.tsv": delimited([["float", "metres", "vessel"], *moorage], "\t"),
    }


def _structured() -> dict[str, bytes]:
    hydrants = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [round(-20 + n / 500, 4), 48.25]},
            "properties": {"hydrant": f"H-{n:02d}", "street": STREETS[n % len(STREETS)]},
        }
        for n in range(1, 25)
    ]
    tenders = "\n".join(
        f'  <tender number="T-26-{n:02d}"><subject>Supply of gravel, lot {n}</subject>'
        f"<closes>2026-04-{n + 9:02d}</closes></tender>"
        for n in range(1, 13)
    )
    return {
        "/data/permits.json": json.dumps({"permits": permits()}, indent=1).encode(),
        "/data/hydrants.geojson": json.dumps(
            {"type": "FeatureCollection", "features": hydrants}
        ).encode(),
        "/data/tenders.xml": (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<tenders>\n{tenders}\n</tenders>\n'
        ).encode(),
    }


def _plain() -> dict[str, bytes]:
    proclamation = "\n\n".join(paragraphs("proclamation", ("nature", "meeting"), 3))
    notice = "\r\n\r\n".join(paragraphs("ice notice", ("safety", "works"), 2))
    sections = "\n\n".join(f"## Step {n}\n\n{p}" for n, p in enumerate(_steps(), start=1))
    return {
        "/media/proclamations/otter-week.txt": (
            f"PROCLAMATION\n\nThe first week of June is Otter Week in the town — naïve as it "
            f"sounds.\n\n{proclamation}\n"
        ).encode(),
        "/media/notices/ice-storm.txt": (
            f"NOTICE\r\n\r\nThe warming room at the “Café Élodie” is open; soup costs 2 €.\r\n\r\n"
            f"{notice}\r\n"
        ).encode("windows-1252"),
        "/media/guides/rain-barrel.md": (
            f"# How to connect a rain barrel\n\nA barrel holds *200 litres*.\n\n{sections}\n"
        ).encode(),
    }


def _steps() -> list[str]:
    return paragraphs("rain barrel", ("service", "nature"), 3, sentences=2)


SPOKEN = (
    "Good evening, and welcome to the regular meeting of council.",
    "Tonight we decide on the name of the footbridge over the creek.",
    "The pupils of the harbour school propose Otter Crossing.",
    "All in favour? Carried, with applause from the gallery.",
)


def captions(separator: str, head: str = "") -> bytes:
    """Cues of four seconds each; WebVTT writes seconds with a point, SubRip with a comma."""
    cues = []
    for number, line in enumerate(SPOKEN):
        start, end = 4 * number, 4 * number + 3
        times = f"00:00:{start:02d}{separator}000 --> 00:00:{end:02d}{separator}500"
        cues.append(f"{number + 1}\n{times}\n{line}\n")
    return (head + "\n".join(cues)).encode()


def tone(seconds: int = 2, rate: int = 8000) -> bytes:
    """A wav of a triangle wave, which needs no sine and so no rounding of the machine's own."""
    period = 40
    wave_form = [600 * (abs(n % period - period // 2) - period // 4) for n in range(period)]
    samples = wave_form * (seconds * rate // period)
    target = io.BytesIO()
    with wave.open(target, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return target.getvalue()


def _box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content) + 8) + name + content


def film() -> bytes:
    """The boxes that every mp4 begins with, and a movie of no tracks."""
    matrix = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    header = struct.pack(">5I", 0, 0, 0, 1000, 5000)  # version, times, scale, five seconds
    header += struct.pack(">IH10x", 0x10000, 0x100) + matrix + bytes(24) + struct.pack(">I", 1)
    kinds = b"isom" + struct.pack(">I", 512) + b"isomiso2mp41"
    return _box(b"ftyp", kinds) + _box(b"moov", _box(b"mvhd", header)) + _box(b"mdat", bytes(64))


def tide_chart(width: int = 120, height: int = 60) -> bytes:
    """A png of the tide over two days: grey water under white sky."""
    rows = []
    for y in range(height):
        crests = [abs(x % 60 - 30) + 15 for x in range(width)]
        rows.append(b"\x00" + bytes(255 if y < crest else 96 for crest in crests))
    size = struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)
    # Level 0, because what zlib makes of the others differs from build to build.
    parts = ((b"IHDR", size), (b"IDAT", zlib.compress(b"".join(rows), 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)


# A photograph of fog over the harbour, made once: JPEG encoders differ from machine to machine.
PHOTOGRAPH = base64.b64decode("""
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACAWGBwYFCAcGhwkIiAmMFA0MCwsMGJGSjpQdGZ6eHJmcG6AkLicgIiuim5woNqirr7E
ztDOfJri8uDI8LjKzsb/wAALCABAAGABAREA/8QAGAABAQEBAQAAAAAAAAAAAAAAAAIEAwX/xAAhEAEBAAICAQQDAAAAAAAAAAAA
EQECE1EDBAUjcSExMv/aAAgBAQAAPwD0aUpSlKUpSlTSlM7Yxi5Tr5Nd/wCc1VKUpSlTSlc/UZ+Hb6Zfbs/nZupSlKUqaUrn58/F
t9Mvt/72bqUpSlKy8m3Zy7dnLt2nyb7baZw5enxt485d+Xbs5Nuzl27OXbs5Nuzl27OXbtAAAAAAAAAAAAP/2Q==
""")


def mail(attachment: bytes) -> bytes:
    """A letter with a text and an html side and a csv file attached."""
    message = EmailMessage(policy=SMTP)
    message["From"] = "Agnes Tolliver <clerk@port-alder.example>"
    message["To"] = "Council <council@port-alder.example>"
    message["Subject"] = "Petition for a crosswalk at the harbour school"
    message["Date"] = "Thu, 19 Feb 2026 14:05:00 +0000"
    message["Message-ID"] = "<petition-2026-02-19@port-alder.example>"
    body = "\n\n".join(paragraphs("petition", ("works", "safety"), 2))
    message.set_content(f"Dear council,\n\nthe petition has 212 signatures.\n\n{body}\n")
    message.add_alternative(f"<p>The petition has 212 signatures.</p><p>{body}</p>", subtype="html")
    message.add_attachment(attachment, "text", "csv", filename="signatures.csv")
    for number, part in enumerate(p for p in message.walk() if p.is_multipart()):
        part.set_boundary(f"port-alder-{number}")
    return message.as_bytes()


def zip_entry(name: str) -> zipfile.ZipInfo:
    """A zip entry that says nothing about when and where it was made."""
    entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    return entry


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files, in this order, stored without compression."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        for name, content in files.items():
            made.writestr(zip_entry(name), content)
    return target.getvalue()


def tar_gz_of(files: Mapping[str, bytes]) -> bytes:
    """A compressed tar of these files, with one fixed time."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), FIXED_SECONDS
            made.addfile(entry, io.BytesIO(content))
    return gzipped(target.getvalue())


def gzipped(data: bytes) -> bytes:
    """As gzip, at level 0: the same bytes whatever zlib is there."""
    return gzip.compress(data, compresslevel=0, mtime=FIXED_SECONDS)


def readings() -> bytes:
    """The memory of a tide gauge: a format that nobody else reads."""
    return b"TIDEGAUGE\x00\x02" + b"".join(struct.pack(">HH", n, 900 + n % 97) for n in range(400))


def other_files() -> dict[str, bytes]:
    """Everything here but the archives of documents, by path."""
    signatures = delimited([["name", "street"], *zip(PEOPLE, STREETS, strict=False)])
    made = _csv_files() | _structured() | _plain()
    return made | {
        "/media/meetings/2026-02-09.vtt": captions(".", "WEBVTT\n\n"),
        "/media/meetings/2026-02-09.srt": captions(","),
        "/media/sounds/foghorn.wav": tone(),
        "/media/meetings/2026-02-09.mp4": film(),
        "/media/images/tide-chart.png": tide_chart(),
        "/media/images/harbour-fog.jpg": PHOTOGRAPH,
        "/media/correspondence/petition.eml": mail(signatures),
        "/media/archive/minutes-1998.tar.gz": tar_gz_of(
            {
                "minutes/1998-03.txt": b"The wharf was declared safe.\n",
                "minutes/README": b"Scans.\n",
            }
        ),
        "/media/records/4471": readings(),
    }
