"""CKAN's Action API (https://docs.ckan.org/en/latest/api/).

The query is `package_search`, the record `package_show?id=…`, and its parts are the `url` of each
of its `resources`.
"""

from collections.abc import Mapping
from typing import Any

from centinel.answers import Fetched
from centinel.liveness import Refusal
from centinel.record import Liveness, Resource
from centinel.sources.platforms import values
from centinel.sources.platforms.paged import Paged, base_of, with_query
from centinel.sources.platforms.records import Block, Memory, Page, Place, Record
from centinel.sources.source_kind import Parts

ROWS = 1000
"""Rows of one answer ("upper limit: 1000 unless set in site's configuration
ckan.search.rows_max"); a site may have set less, which shows in how many come."""

_LIVENESS = {"Not Found Error": Liveness.GONE, "Authorization Error": Liveness.BLOCKED}
"""What the `__type` of an error says of a record; every other is an error."""


class Ckan(Paged):
    """`query: {platform: ckan, url: …}`."""

    name = "ckan"
    lacking = "id"
    cap = ROWS
    both = "+({}) +{}"

    def address(self, block: Block) -> str:
        """Returns the search; with the block's `filter`, in Solr's words."""
        stated = {"fq": block["filter"]} if "filter" in block else {}
        return with_query(f"{base_of(block)}/api/3/action/package_search", stated)

    def at(self, block: Block, rows: int) -> Mapping[str, str]:  # noqa: ARG002 (others need it)
        """Ordered by id: in the usual order, what is changed meanwhile changes its place.

        (https://github.com/ckan/ckanapi/issues/44)
        """
        return {"sort": "id asc", "rows": str(ROWS), "start": str(rows)}

    def behind(self, block: Block, place: Place) -> str:  # noqa: ARG002 (others need it)
        """Returns Solr's range of larger ids."""
        return f'id:{{"{place}" TO *]'

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns what a page says: `result.results` and `result.count`. Raises Unreadable."""
        result = _result(values.parsed(fetched.body.content()))
        listed = values.rows(result.get("results"), "result.results")
        found = tuple(filter(None, (self._record(block, each) for each in listed)))
        total = values.count(result.get("count"))
        warnings = () if total is not None else (f"{values.CHANGED}: result.count is no number",)
        return Page(found, len(listed) - len(found), total, cap=ROWS, warnings=warnings)

    def _record(self, block: Block, row: Any) -> Record | None:
        package = values.mapping(row)
        identifier = values.identifier(package.get("id"))
        if identifier is None:
            return None
        return Record(
            with_query(_show(block), {"id": identifier}),
            values.first_text(package, ("title", "name")),
            values.moment(package.get("metadata_modified")),
            place=identifier,
        )

    def is_record(self, block: Block, artifact: str) -> bool:
        """Returns whether an address is of `package_show`."""
        return artifact.startswith(f"{_show(block)}?")

    def refused(self, answer: Fetched) -> Refusal | None:
        """Returns the refusal that `success: false` is, also where it is served with 200."""
        try:
            said = values.mapping(values.parsed(answer.body.content()))
        except values.Unreadable:
            return super().refused(answer)
        if said.get("success") is not False:
            return None
        error = values.mapping(said.get("error"))
        liveness = _LIVENESS.get(str(error.get("__type")), Liveness.ERROR)
        return Refusal(liveness, _said(said), answer.http_status, answer.final_url)

    def parts(
        self,
        block: Block,  # noqa: ARG002 (others need it)
        resource: Resource,
        fetched: Fetched,
        memory: Memory,  # noqa: ARG002 (others need it)
    ) -> Parts:
        """Returns the addresses of a package's resources. Raises Unreadable."""
        package = _result(values.parsed(fetched.body.content()))
        listed = values.rows(package.get("resources"), "result.resources")
        stated = [values.mapping(each).get("url") for each in listed]
        return values.files(stated, fetched.final_url, (resource.address, fetched.final_url))


def _show(block: Block) -> str:
    return f"{base_of(block)}/api/3/action/package_show"


def _result(value: Any) -> dict[str, Any]:
    """The `result` of an answer; raises Unreadable where it says that there is none."""
    said = values.mapping(value, "the answer")
    if said.get("success") is False:
        raise values.Unreadable(_said(said))
    return values.mapping(said.get("result"), "result")


def _said(said: Mapping[str, Any]) -> str:
    error = said.get("error")
    message = values.first_text(values.mapping(error), ("message", "__type"))
    return f"the vendor says: {message or values.text(error) or 'success is false'}"
