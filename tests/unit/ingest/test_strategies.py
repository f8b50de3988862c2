"""Which way a fileset is stored, and what each status means: tables, and pure functions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from centinel.configuration import load, read_yaml
from centinel.ingest import statuses, verifying
from centinel.ingest.model import ManifestFile, Observed, PlatformItem, Stopped
from centinel.ingest.settings import settings_of, shipped
from centinel.ingest.strategies import Choice, choose, kept_manifest
from centinel.schemas import PROJECT, ConfigurationError, validator
from tests.unit.support import NOON, PROPERTY

MB, GB = 10**6, 10**9
SETTINGS = settings_of({})


def item(*sizes: int | None, bundle: bool = False, **more: Any) -> PlatformItem:
    """An item with files of these sizes."""
    files = tuple(
        ManifestFile(f"{number}.bin", size, platform_url=f"https://x.example/{number}")
        for number, size in enumerate(sizes)
    )
    url = "https://x.example/all.zip" if bundle else None
    given: dict[str, Any] = {"platform": "zenodo", "manifest": files, "web_bundle_url": url}
    return PlatformItem(**{"platform_domain": "zenodo.org", "platform_id": "1", **given, **more})


def chosen(of: PlatformItem) -> Choice:
    """What the table as shipped says."""
    return choose(of, SETTINGS.strategies, SETTINGS.limits)


@pytest.mark.parametrize(
    ("of", "strategy"),
    [
        (item(1), "web-file"),
        (item(None), "web-file"),
        (item(128 * MB), "web-file"),
        (item(128 * MB + 1), "archiveorg-file"),
        (item(1, 2), "web-fileset"),
        (item(None, 2), "web-fileset"),
        (item(*[1] * 20), "web-fileset"),
        (item(*[1] * 21), "archiveorg-fileset"),
        (item(*[1] * 21, bundle=True), "web-fileset-bundled"),
        (item(*[100 * MB] * 10), "web-fileset"),
        (item(*[100 * MB] * 10, 1), "archiveorg-fileset"),
        (item(1, 128 * MB + 1), "archiveorg-fileset"),
        (item(1, 128 * MB + 1, bundle=True), "archiveorg-fileset"),
        (item(5, platform="archiveorg"), "archiveorg-file"),
        (item(5, 6, platform="archiveorg", bundle=True), "archiveorg-fileset"),
    ],
)
def test_the_strategy_follows_the_table(of: PlatformItem, strategy: str) -> None:
    choice = chosen(of)
    assert (choice.strategy, choice.status) == (strategy, None)
    assert choice.reason.startswith(f"{of.file_count} file")


def test_the_reason_names_what_spoke_against_the_others() -> None:
    reason = chosen(item(1, 128 * MB + 1)).reason
    assert reason == (
        "2 files, 128000002 bytes, no bundle; not web-fileset: a file over 128000000 bytes; "
        "not web-fileset-bundled: a file over 128000000 bytes, no bundle"
    )


def test_files_without_an_address_come_in_the_bundle_or_not_at_all() -> None:
    files = (ManifestFile("a", 1), ManifestFile("b", 1))
    assert chosen(item(bundle=True, manifest=files)).strategy == "web-fileset-bundled"
    assert chosen(item(manifest=files)).status == "no-strategy-helper"


@pytest.mark.parametrize(
    ("of", "status"),
    [
        (item(*[1] * 201), "too-many-files"),
        (item(33 << 30, 32 << 30), "too-large-size"),
        (item(), "empty-manifest"),
    ],
)
def test_what_is_over_a_limit_has_no_strategy(of: PlatformItem, status: str) -> None:
    choice = chosen(of)
    assert (choice.strategy, choice.status) == (None, status)


def test_only_very_long_manifests_are_cut() -> None:
    files = item(*[1] * 10_001).manifest
    assert len(kept_manifest(files[:10_000], SETTINGS.limits)) == 10_000
    assert len(kept_manifest(files, SETTINGS.limits)) == 200


SIZES = st.lists(st.one_of(st.none(), st.integers(0, 1 << 40)), max_size=250)


@PROPERTY
@given(sizes=SIZES, bundle=st.booleans())
def test_every_item_has_a_strategy_or_a_status_with_a_reason(
    sizes: list[int | None], bundle: bool
) -> None:
    choice = chosen(item(*sizes, bundle=bundle))
    assert (choice.strategy is None) == (choice.status is not None)
    assert choice.reason
    if choice.strategy is not None:
        assert choice.strategy.is_file == (len(sizes) == 1)


def test_values_of_the_command_line_arrive_as_text() -> None:
    config = read_yaml(PROJECT / "config/config.yaml", "config.yaml")
    row = {"strategy": "web-file", "files": "1", "largest": "5", "unknown_sizes": "false"}
    given = {"limits": {"files": "7", "total_size": "9 MB"}, "strategies": [row]}
    made = load({**config, "pipeline": {"ingest": given}}, PROJECT)
    settings = settings_of(made.pipeline.ingest)
    assert (settings.limits.files, settings.limits.total_size) == (7, 9 * MB)
    (only,) = settings.strategies
    assert (only.files, only.largest, only.unknown_sizes) == (1, 5, False)


@pytest.mark.parametrize(
    ("ingest", "said"),
    [
        ({"limits": {"files": 0}}, "ingest.limits.files: 0 is not right: give a whole number"),
        ({"strategies": [{"strategy": "ftp"}]}, "'ftp' is not right: give one of the six"),
        ({"limit": {}}, "unknown key 'limit': did you mean 'limits'?"),
    ],
)
def test_a_faulty_table_is_one_line(ingest: dict[str, Any], said: str) -> None:
    config = read_yaml(PROJECT / "config/config.yaml", "config.yaml")
    with pytest.raises(ConfigurationError) as caught:
        load({**config, "pipeline": {"ingest": ingest}}, PROJECT)
    assert said in str(caught.value)


# The table of statuses


def test_the_shipped_tables_are_what_their_schemas_say() -> None:
    blocks = yaml.safe_load((PROJECT / statuses.FILE).read_text())
    assert list(validator("ingest_statuses").iter_errors(blocks)) == []
    assert list(validator("pipeline").iter_errors({"ingest": shipped()})) == []


def test_every_status_that_code_can_give_is_in_the_table() -> None:
    names = {str(each) for each in Stopped}
    names |= {f"mismatch-{what}" for what in ("size", "md5", "sha1", "sha256", "mimetype")}
    names |= set(statuses._OF_FILES.values()) | {name for _, name in statuses._REASONS}
    names |= {name for _, name in statuses._TRANSPORT} | set(statuses._ANSWERS.values())
    assert names - set(statuses.table().rows) == set()


def test_only_success_is_a_hit() -> None:
    hits = {name for name, row in statuses.table().rows.items() if row.is_hit}
    assert hits == {"success", "success-file", "success-existing", "existing"}


@pytest.mark.parametrize(
    ("name", "failures", "until", "due"),
    [
        ("success", 1, None, None),
        ("platform-404", 1, None, None),
        ("platform-http-error", 1, None, timedelta(days=1)),
        ("platform-http-error", 3, None, timedelta(days=4)),
        ("platform-http-error", 99, None, timedelta(days=365)),
        ("platform-embargoed", 1, None, timedelta(days=30)),
        ("platform-embargoed", 1, NOON + timedelta(days=3), timedelta(days=3)),
        ("platform-embargoed", 1, NOON - timedelta(days=3), timedelta(days=30)),
        ("platform-scope", 1, NOON + timedelta(days=3), timedelta(days=3)),
        ("a-word-of-another-version", 1, None, timedelta(days=1)),
    ],
)
def test_retries_obey_the_table(
    name: str, failures: int, until: datetime | None, due: timedelta | None
) -> None:
    at = statuses.retry_at(statuses.table().of(name), NOON, failures, until)
    assert at == (None if due is None else NOON + due)


@pytest.mark.parametrize(
    ("liveness", "reason", "http_status", "landing", "file"),
    [
        ("gone", "http 404", 404, "not-found", "error-platform-download"),
        ("gone", "http 410", 410, "not-found", "error-platform-download"),
        ("blocked", "http 403", 403, "forbidden", "error-platform-download"),
        ("blocked", "http 429", 429, "terminal-bad-status", "platform-rate-limited"),
        ("blocked", "robots", None, "blocked-robots", "blocked-robots"),
        ("blocked", "redirect to /login", 200, "blocked-login", "platform-login"),
        ("gone", "redirect to /404", 200, "bad-redirect", "error-platform-download"),
        ("gone", "redirect to the home page", 200, "bad-redirect", "error-platform-download"),
        ("error", "too-large: 9 bytes or more", 200, "body-too-large", "too-large-size"),
        ("error", "transport: ReadTimeout: x", None, "read-timeout", "error-platform-download"),
        ("error", "unexpected: KeyError: 'x'", None, "internal-error", "internal-error"),
        ("error", "an empty body, 0 bytes", 200, "empty-blob", "empty-blob"),
        ("blocked", "http 202 (x-amzn-waf-action)", 202, "blocked-captcha", "platform-challenge"),
        ("error", "http 500", 500, "terminal-bad-status", "error-platform-download"),
        (None, None, None, "remote-server-error", "error-platform-download"),
    ],
)
def test_a_refusal_has_one_status(
    liveness: str | None, reason: str | None, http_status: int | None, landing: str, file: str
) -> None:
    assert statuses.of_landing(liveness, reason, http_status) == landing
    assert statuses.of_file(liveness, reason, http_status) == file


# Verification


SEEN = Observed(3, "a" * 32, "b" * 40, "c" * 64, "text/csv")


@pytest.mark.parametrize(
    ("declared", "verdict", "evidence", "status"),
    [
        ({"size": 3, "md5": "a" * 32}, "verified", "md5", "success"),
        ({"md5": "A" * 32, "sha256": "c" * 64}, "verified", "sha256", "success"),
        ({"sha1": "b" * 40, "md5": "a" * 32}, "verified", "sha1", "success"),
        ({"size": 3}, "verified", "size", "success"),
        ({}, "unverifiable", "none", "success"),
        ({"mimetype": "text/html"}, "unverifiable", "none", "success"),
        ({"size": 4, "md5": "a" * 32}, "mismatch:size", "md5", "mismatch-size"),
        ({"md5": "0" * 32}, "mismatch:md5", "md5", "mismatch-md5"),
        ({"sha256": "c" * 64, "md5": "0" * 32}, "mismatch:md5", "sha256", "mismatch-md5"),
        ({"sha256": "0" * 64, "sha1": "0" * 40}, "mismatch:sha256", "sha256", "mismatch-sha256"),
    ],
)
def test_a_verdict_says_what_was_compared(
    declared: dict[str, Any], verdict: str, evidence: str, status: str
) -> None:
    file = verifying.verified(ManifestFile("a.csv", **declared), SEEN)
    assert (file.verdict, file.evidence, file.status) == (verdict, evidence, status)
    assert {key: getattr(file, key) for key in declared} == declared, "declarations stand"
    assert file.observed == SEEN


def test_a_page_in_place_of_a_file_of_which_nothing_else_is_declared() -> None:
    page = Observed(900, "a" * 32, "b" * 40, "c" * 64, "text/html")
    file = verifying.verified(ManifestFile("a.csv", mimetype="text/csv"), page)
    assert (file.verdict, file.status) == ("mismatch:mimetype", "mismatch-mimetype")


def test_no_byte_where_some_are_declared() -> None:
    assert verifying.verified(ManifestFile("a", 3), Observed(0)).status == "empty-blob"
    assert verifying.verified(ManifestFile("a", 0), Observed(0)).status == "success"


def test_the_overall_status_is_by_severity_not_by_order() -> None:
    table = statuses.table()
    files = [ManifestFile("a", status=each) for each in ("no-capture", "mismatch-md5", "success")]
    assert verifying.overall(files, table, "success") == "mismatch-md5"
    assert verifying.overall(reversed(files), table, "success") == "mismatch-md5"
    assert verifying.overall(files[2:], table, "success-file") == "success-file"


def test_days_are_moments() -> None:
    assert statuses.day_of("2026-03-01") == datetime(2026, 3, 1, tzinfo=UTC)
    assert statuses.day_of("2026-03-01T10:00:00+02:00") == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert statuses.day_of("soon") is None
    assert statuses.day_of(None) is None
