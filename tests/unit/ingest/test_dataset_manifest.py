"""What is declared of a file, typed and kept apart from what was observed."""

from dataclasses import replace

import orjson
import pytest

from centinel.ingest.manifest import hashes, manifest, shortfall
from centinel.ingest.model import ManifestFile, Observed, PlatformItem
from centinel.ingest.verifying import verified

MD5 = "0cc175b9c0f1b6a831c399e269772661"
SHA1 = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"
SHA256 = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"


@pytest.mark.parametrize(
    ("kind", "value", "name", "digits"),
    [
        ("MD5", MD5.upper(), "md5", MD5),
        ("SHA-1", SHA1, "sha1", SHA1),
        ("sha_256", SHA256, "sha256", SHA256),
        (None, f"md5:{MD5}", "md5", MD5),
        (None, f"sha1:{SHA1}", "sha1", SHA1),
        (None, f"SHA-256:{SHA256.upper()}", "sha256", SHA256),
        (None, MD5, "md5", MD5),
        (None, SHA1, "sha1", SHA1),
        (None, SHA256, "sha256", SHA256),
    ],
)
def test_a_hash_is_read_in_each_spelling(
    kind: str | None, value: str, name: str, digits: str
) -> None:
    found = hashes((kind, value))
    assert {each: getattr(found, each) for each in ("md5", "sha1", "sha256")} == {
        "md5": None,
        "sha1": None,
        "sha256": None,
        name: digits,
    }
    assert found.extra == {}


@pytest.mark.parametrize(
    ("kind", "value", "stated"),
    [
        ("sha1", MD5, {"type": "sha1", "value": MD5}),
        ("SHA-512", "ab" * 64, {"type": "sha512", "value": "ab" * 64}),
        ("md5", "not-a-hash", {"type": "md5", "value": "not-a-hash"}),
        (None, '"etag-2"', {"type": None, "value": '"etag-2"'}),
        (None, "adler32:00000001", {"type": "adler32", "value": "adler32:00000001"}),
    ],
)
def test_what_is_no_hash_of_its_type_is_kept_aside(
    kind: str | None, value: str, stated: dict[str, str | None]
) -> None:
    found = hashes((kind, value))
    assert (found.md5, found.sha1, found.sha256) == (None, None, None)
    assert found.extra == {"checksums": [stated]}


@pytest.mark.parametrize("value", [None, "", "  ", 7, [], {"value": MD5}, True])
def test_no_hash_is_none(value: object) -> None:
    assert hashes(("md5", value)) == hashes()


def test_the_first_hash_of_a_type_counts() -> None:
    other = "f" * 32
    assert hashes(("md5", MD5), ("md5", other)).md5 == MD5


def test_an_observation_stands_beside_the_declaration() -> None:
    declared = ManifestFile("a.csv", 3, md5=MD5, mimetype="text/csv")
    seen = replace(declared, observed=Observed(4, SHA1[:32], SHA1, SHA256, "text/plain"))
    line = seen.to_json()
    assert list(line)[:8] == [
        "path",
        "size",
        "md5",
        "sha1",
        "sha256",
        "mimetype",
        "platform_url",
        "extra",
    ]
    assert (line["size"], line["md5"], line["sha1"], line["mimetype"]) == (3, MD5, None, "text/csv")
    assert line["observed"] == {
        "size": 4,
        "md5": SHA1[:32],
        "sha1": SHA1,
        "sha256": SHA256,
        "mimetype": "text/plain",
    }
    assert ManifestFile.from_json(orjson.loads(orjson.dumps(line))) == seen


def test_the_strongest_evidence_is_named() -> None:
    assert ManifestFile("a", 1, MD5, SHA1, SHA256).strongest == "sha256"
    assert ManifestFile("a", 1, MD5, SHA1).strongest == "sha1"
    assert ManifestFile("a", 1, MD5).strongest == "md5"
    assert ManifestFile("a", 0).strongest == "size"
    assert ManifestFile("a").strongest == "none"


@pytest.mark.parametrize(
    ("size", "md5", "verdict", "evidence"),
    [
        (5, MD5, "verified", "md5"),
        (5, "f" * 32, "verified", "size"),
        (6, "f" * 32, "mismatch:size", "size"),
        (None, "f" * 32, "unverifiable", "none"),
    ],
)
def test_a_doubtful_hash_that_differs_shows_nothing(
    size: int | None, md5: str, verdict: str, evidence: str
) -> None:
    declared = ManifestFile("t.dta", size, md5=md5, extra={"doubtful": ["md5"]})
    seen = verified(declared, Observed(5, MD5, SHA1, SHA256, "application/octet-stream"))
    assert (seen.verdict, seen.evidence) == (verdict, evidence)
    sure = verified(replace(declared, extra={}), Observed(5, MD5, SHA1, SHA256))
    assert (sure.verdict == verdict) == (md5 == MD5 or size == 6)


def test_an_unknown_size_is_not_zero() -> None:
    known = PlatformItem("x", "x.example", "1", (ManifestFile("a", 0), ManifestFile("b", 5)))
    unknown = known.with_manifest((*known.manifest, ManifestFile("c")))
    assert (known.total_size, known.known_size) == (5, 5)
    assert (unknown.total_size, unknown.known_size, unknown.file_count) == (None, 5, 3)


def test_one_unsafe_name_leaves_the_others() -> None:
    files, notes = manifest([ManifestFile("../a\0"), ManifestFile("b", md5=MD5)])
    assert [each.status for each in files] == ["unsafe-path", None]
    assert files[0].path == "unsafe-1"
    assert files[0].extra == {
        "declared_path": "../a\ufffd",
        "reason": "'../a\\x00': has a NUL in it",
    }
    assert (files[1].path, files[1].md5, files[1].extra) == ("b", MD5, {})
    assert notes == ("'../a\\x00': has a NUL in it",)


def test_a_file_keeps_the_name_that_was_declared() -> None:
    files, notes = manifest([ManifestFile("a.csv"), ManifestFile("A.csv")])
    assert [each.path for each in files] == ["a.csv", "A (2).csv"]
    assert [each.extra for each in files] == [{}, {"declared_path": "A.csv"}]
    assert notes == ("'A.csv' is there twice: kept as 'A (2).csv'",)


def test_a_list_that_is_shorter_than_declared_says_so() -> None:
    assert shortfall(10, 12) == "12 files are declared, 10 were listed"
    assert shortfall(12, 12) is None
    assert shortfall(13, 12) is None
    assert shortfall(13, None) is None
