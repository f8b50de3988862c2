"""Buckets that list their keys: S3's `ListBucketResult`, which other object stores write too.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html and …/API_ListObjects.html:
at most 1,000 keys an answer, `IsTruncated` where there are more. Version 2 names the next answer by
a token, version 1 by the last key (`NextMarker`, or the last `Key` where there is no delimiter).
"""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from lxml import etree

from centinel import addresses
from centinel.answers import Fetched
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import Resource
from centinel.sources.listing import Page
from centinel.sources.platforms import values
from centinel.sources.source_kind import Enumeration

METHOD = "bucket"

MOST_REQUESTS = 1000
"""Answers of one bucket: a million keys, more than MOST_ADDRESSES."""

_KEPT = ("list-type", "encoding-type")

MOST_ADDRESSES = 500_000
MOST_BYTES = 16 << 20
"""Of one answer. A key has at most 1,024 bytes, and stands in about 300 of markup."""


@dataclass(frozen=True)
class Answer:
    """One answer of a bucket."""

    root: str
    """Where its keys are."""
    name: str
    keys: tuple[tuple[str, str | None], ...]
    """Each key with the time of its last change."""
    folders: tuple[str, ...]
    """Prefixes that stand for the keys behind them, where a delimiter was asked for."""
    prefix: str
    delimiter: str
    following: dict[str, str] | None
    """What asks for the next answer; None where there is none."""
    is_torn: bool = False
    """Whether more is stated, and nothing that asks for it."""


def recognise(page: Page) -> Answer | None:
    """Returns the listing of a bucket that an answer is; None where it is something else."""
    if len(page.body) > MOST_BYTES or b"<ListBucketResult" not in page.body[:1024]:
        return None
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root: Any = etree.fromstring(page.body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return _answer(root, page.final_url) if _local(root) == "ListBucketResult" else None


def _answer(element: Any, final_url: str) -> Answer:
    said = {_local(each): (each.text or "") for each in element if len(each) == 0}
    is_escaped = said.get("EncodingType", "") == "url"
    keys = tuple(_keys(element, is_escaped))
    folders = [
        _stated(prefix, is_escaped)
        for each in element
        if _local(each) == "CommonPrefixes"
        for prefix in each
    ]
    is_cut = said.get("IsTruncated", "").strip().lower() == "true"
    following = _following(said, keys, folders, is_escaped) if is_cut else None
    return Answer(
        root=_root(final_url, said.get("Name", "")),
        name=said.get("Name", ""),
        keys=keys,
        folders=tuple(folders),
        prefix=_unescaped(said.get("Prefix", ""), is_escaped),
        delimiter=_unescaped(said.get("Delimiter", ""), is_escaped),
        following=following,
        is_torn=is_cut and following is None,
    )


def _keys(element: Any, is_escaped: bool) -> "list[tuple[str, str | None]]":
    found = []
    for each in element:
        if _local(each) != "Contents":
            continue
        said = {_local(child): child for child in each}
        key = _stated(said["Key"], is_escaped) if "Key" in said else ""
        changed = said.get("LastModified")
        if key:
            found.append((key, values.moment(changed.text) if changed is not None else None))
    return found


def _following(
    said: dict[str, str],
    keys: tuple[tuple[str, str | None], ...],
    folders: list[str],
    is_escaped: bool,
) -> dict[str, str] | None:
    if token := said.get("NextContinuationToken"):
        return {"list-type": "2", "continuation-token": token}
    if marker := said.get("NextMarker"):
        return {"marker": _unescaped(marker, is_escaped)}
    last = max([*(key for key, _ in keys), *folders], key=str.encode, default=None)
    return {"marker": last} if last is not None else None


def _root(final_url: str, name: str) -> str:
    """Where the keys are: below the bucket's name where that is in the path, else at the host."""
    first = urlsplit(final_url).path.split("/")[1]
    is_in_path = bool(name) and unquote(first) == name
    return addresses.origin(final_url) + (f"/{first}/" if is_in_path else "/")


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _stated(element: Any, is_escaped: bool) -> str:
    return _unescaped(element.text or "", is_escaped)


def _unescaped(text: str, is_escaped: bool) -> str:
    return unquote(text.replace("+", " ")) if is_escaped else text


def walk(seed: Page, client: Client, found: Enumeration) -> bool:
    """Lists a bucket to its end, from an answer that is not asked for again.

    Returns whether the seed is one; where it is not, nothing is asked and nothing said. Raises
    Interrupted, and OSError for a fault of this machine.
    """
    first = recognise(seed)
    if first is None:
        return False
    _Walk(first, seed.final_url, client, found).run()
    return True


@dataclass
class _Walk:
    """One walk over the answers of a bucket."""

    first: Answer
    seed: str
    client: Client
    found: Enumeration
    resources: dict[str, Resource] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    requests: int = 0
    empty: int = 0

    def run(self) -> None:
        self.found.method = METHOD
        first = self.first
        of = f"a bucket of S3's kind, {first.name}" if first.name else "a bucket of S3's kind"
        self.found.notes.append(f"{first.root}: {of}: it lists its keys")
        self._walk(first, self._query(first.prefix))
        while self.folders and not self._is_full():
            query = self._query(self.folders.pop(0))
            answer = self._ask(query)
            if answer is not None:
                self._walk(answer, query)
        self._finish()

    def _query(self, prefix: str) -> dict[str, str]:
        """What asks for the keys behind a prefix, in the words in which the site was given."""
        stated = dict(parse_qsl(urlsplit(self.seed).query, keep_blank_values=True))
        kept = {key: value for key, value in stated.items() if key in _KEPT}
        own = {"delimiter": self.first.delimiter, "prefix": prefix}
        return {**kept, **{key: value for key, value in own.items() if value}}

    def _walk(self, answer: Answer | None, query: dict[str, str]) -> None:
        while answer is not None:
            self._take(answer)
            if answer.is_torn:
                self.found.cut(f"{answer.root}: says that there is more, and not how to ask for it")
            if answer.following is None or self._is_full():
                return
            answer = self._ask({**query, **answer.following})

    def _is_full(self) -> bool:
        return self.requests >= MOST_REQUESTS or len(self.resources) > MOST_ADDRESSES

    def _take(self, answer: Answer) -> None:
        self.folders += [each for each in answer.folders if each not in self.asked]
        self.asked.update(answer.folders)
        for key, lastmod in answer.keys:
            if key.endswith("/"):
                self.empty += 1  # what consoles make for a folder
                continue
            address = addresses.canonical(answer.root + quote(key, safe="/~"))
            if address and unquote(address) == unquote(answer.root) + key:
                self.resources.setdefault(address, Resource(address, lastmod, hint="document"))
            else:
                self.found.cut(f"a key that no address can name: {key[:200]!r}")

    def _ask(self, query: dict[str, str]) -> Answer | None:
        address = addresses.canonical(f"{self.first.root}?{urlencode(query, quote_via=quote)}")
        if address is None or address in self.asked:
            self.found.cut(f"{address}: named as the next answer, and was read already")
            return None
        self.asked.add(address)
        self.requests += 1
        got = self.client.get(address)
        if not isinstance(got, Fetched):
            reason = got.reason if isinstance(got, Refusal) else "http 304"
            self.found.cut(f"{address}: {reason}")
            return None
        content = got.body.content()
        got.body.discard()
        answer = recognise(Page(content, got.final_url, got.declared_type))
        if answer is None:
            self.found.cut(f"{address}: no listing of a bucket")
        return answer

    def _finish(self) -> None:
        if self.requests >= MOST_REQUESTS:
            self.found.cut(f"stopped at {MOST_REQUESTS} requests")
        if len(self.resources) > MOST_ADDRESSES:
            self.found.cut(f"stopped at {MOST_ADDRESSES} addresses")
        if self.empty:
            self.found.notes.append(f"{self.empty} keys that stand for a folder were left out")
        if not self.resources:
            self.found.warnings.append(f"{self.first.root}: the bucket names no document")
        self.found.resources = list(self.resources.values())[:MOST_ADDRESSES]
        self.found.figures |= {"bucket": self.first.name, "listings_fetched": self.requests + 1}
