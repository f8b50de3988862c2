"""Municode's codes of ordinances, by the API that the pages of its library ask.

A code is a product; its newest edition is a job (`Jobs/latest/…`). The table of contents
(`codesToc`) names the chapters, and `CodesContent` answers with what is read together: each of its
`Docs` has its `Content`, or, where it is read on its own, none, and where that begins. So the walk
goes from answer to answer, and each that has content is a record. A new edition has new addresses:
the old ones stay in the record.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from centinel import addresses, kinds, webpage
from centinel.answers import Answer, Fetched
from centinel.liveness import Refusal
from centinel.record import Json, Liveness, Resource
from centinel.sources.platforms import values
from centinel.sources.platforms.asking import Asking, Secret
from centinel.sources.platforms.paged import base_of, with_query
from centinel.sources.platforms.records import Block, Memory, Page, Place, Record, Walked
from centinel.sources.source_kind import Parts

API = "https://api.municode.com"

_NOWHERE = "[SHOW_TOC]"
"""What stands for the beginning of a part that has no text, only parts of its own."""


class Municode:
    """`query: {platform: municode, product: …}`."""

    name = "municode"
    lacking = "id"

    def address(self, block: Block) -> str:
        """Returns where the newest edition of the code is named."""
        return f"{base_of(block, API)}/Jobs/latest/{block['product']}"

    def first(self, block: Block) -> str:
        """Returns where the newest edition of the code is named."""
        return self.address(block)

    def secret(self, block: Block) -> Secret | None:  # noqa: ARG002 (others need it)
        """Returns None: what is read without the paid search needs no account."""
        return None

    def following(self, block: Block, page: Page, rows: int) -> str | None:  # noqa: ARG002
        """Returns None: no answer has pages."""
        return None

    def beyond(self, block: Block, place: Place) -> Block | None:  # noqa: ARG002
        """Returns None: the parts of a code name each other."""
        return None

    def hints(self, block: Block, walked: Walked) -> list[str]:  # noqa: ARG002
        """Returns nothing: the walk says all there is to know."""
        return []

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns what an edition, a table of contents or a part of the code names.

        Raises Unreadable.
        """
        said = values.mapping(values.parsed(fetched.body.content()), "the answer")
        path = urlsplit(fetched.final_url).path.lower()
        if "/jobs/latest/" in path:
            return Page((), branches=(self._contents(block, said),))
        job = _parameter(fetched.final_url, "jobid")
        if path.endswith("/codestoc"):
            chapters = values.rows(said.get("Children"), "Children")
            named = [_id(each) for each in chapters]
            found = tuple(self._part(block, job, each) for each in named if each)
            return Page((), named.count(None), branches=found)
        return self._read_part(block, fetched, job, values.rows(said.get("Docs"), "Docs"))

    def _contents(self, block: Block, job: Json) -> str:
        number = values.identifier(job.get("Id"))
        if number is None:
            raise values.Unreadable(f"{values.CHANGED}: the edition has no Id")
        stated = {"jobId": number, "productId": str(block["product"])}
        return with_query(f"{base_of(block, API)}/codesToc", stated)

    def _part(self, block: Block, job: str, node: str) -> str:
        stated = {"jobId": job, "nodeId": node, "productId": str(block["product"])}
        return with_query(f"{base_of(block, API)}/CodesContent", stated)

    def _read_part(self, block: Block, fetched: Fetched, job: str, docs: list[Any]) -> Page:
        """A record for what has text, and the parts whose text is somewhere else."""
        parts = [values.mapping(each) for each in docs]
        own = _parameter(fetched.final_url, "nodeid")
        elsewhere = dict.fromkeys(filter(None, (_begins(each, own) for each in parts)))
        branches = tuple(self._part(block, job, each) for each in elsewhere)
        has_text = any(values.text(each.get("Content")) for each in parts)
        if not has_text:
            return Page((), branches=branches)
        title = next(filter(None, (values.text(each.get("Title")) for each in parts)), None)
        record = Record(self._part(block, job, own), title, identity=own)
        return Page((record,), branches=branches)

    def fetch(
        self,
        block: Block,
        asking: Asking,
        artifact: str,
        validators: Mapping[str, str],
        memory: Memory,  # noqa: ARG002 (others need it)
    ) -> Answer:
        """Asks for a part of the code, or for a file that one links to."""
        answer = asking.get(artifact, validators)
        is_part = artifact.startswith(f"{base_of(block, API)}/")
        if is_part and isinstance(answer, Fetched) and values.is_web_page(answer.body.head):
            answer.body.discard()
            return Refusal(Liveness.ERROR, values.WEB_PAGE, answer.http_status, answer.final_url)
        return answer

    def parts(
        self,
        block: Block,  # noqa: ARG002 (others need it)
        resource: Resource,
        fetched: Fetched,
        memory: Memory,  # noqa: ARG002 (others need it)
    ) -> Parts:
        """Returns the documents that the text links to. Raises Unreadable."""
        said = values.mapping(values.parsed(fetched.body.content()), "the record")
        docs = values.rows(said.get("Docs"), "Docs")
        stated = [link for each in docs for link in _documents(each, fetched.final_url)]
        return values.files(stated, fetched.final_url, (resource.address, fetched.final_url))


def _id(node: Any) -> str | None:
    return values.identifier(values.mapping(node).get("Id"))


def _begins(part: Json, own: str) -> str | None:
    """Where the text of a part is; None where it is here."""
    if values.text(part.get("Content")):
        return None
    stated = values.text(part.get("ChunkGroupStartingNodeId"))
    begins = _id(part) if stated in (None, _NOWHERE) else stated
    return begins if begins != own else None


def _documents(part: Any, final_url: str) -> Iterator[str]:
    content = values.text(values.mapping(part).get("Content"))
    page = content and webpage.open_page(content.encode(), "text/html; charset=utf-8", final_url)
    for link in page.attributes("a", "href") if page else ():
        if kinds.is_enclosed(addresses.extension(addresses.canonical(link, final_url) or "")):
            yield link


def _parameter(address: str, name: str) -> str:
    """A parameter of an address, its name in any case; empty without it."""
    pairs = parse_qsl(urlsplit(address).query)
    return next((value for key, value in pairs if key.lower() == name), "")
