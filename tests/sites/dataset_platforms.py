"""One loopback server that stands in for every platform of datasets, with pages, lists and files.

Each public host is at a path of its own, which `hosts` maps for whoever asks: `zenodo.org` is at
`http://127.0.0.1:<port>/zenodo.org`. Dataverse and CKAN, which anybody may run, are at the root.
What a test sets at a path goes before what the platform would answer there.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from tests.sites import dataset_catalogues as catalogues
from tests.sites import dataset_shapes as shapes
from tests.sites.dataset_shapes import DataFile, Json
from tests.sites.platforms import Vendor, as_json
from tests.sites.server import Answer, page

HOSTS = (
    "zenodo.org",
    "figshare.com",
    "api.figshare.com",
    "ndownloader.figshare.com",
    "archive.org",
    "datadryad.org",
    "osf.io",
    "api.osf.io",
    "files.osf.io",
    "github.com",
    "api.github.com",
    "doi.org",
)
HTML = "text/html; charset=utf-8"

CHALLENGE = Answer(status=202, headers=(("x-amzn-waf-action", "challenge"),), validators=False)
"""What `figshare.com/ndownloader` gives to programs: a success without a byte."""

TOO_MANY = Answer(
    b'{"status": 429, "message": "Too many requests"}',
    "application/json",
    status=429,
    headers=(("Retry-After", "0"),),
)


def moved(address: str, status: int = 302) -> Answer:
    """A redirect."""
    return Answer(status=status, headers=(("Location", address),))


def zipped(files: Iterable[DataFile], extra: Mapping[str, bytes] | None = None) -> bytes:
    """An archive of the files, the same bytes each time."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        entries = [(each.path, each.body) for each in files] + list((extra or {}).items())
        for name, body in entries:
            archive.writestr(zipfile.ZipInfo(name, (2021, 3, 4, 5, 6, 8)), body)
    return target.getvalue()


class DatasetPlatforms(Vendor):
    """All the platforms. What `add_*` returns is the public address of the landing page."""

    page_cap = 10_000
    """How many rows a page has at most, whatever is asked for; figshare's default is ten."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, Any] = {}
        """JSON by path, without a query."""
        self.lists: dict[str, list[Json]] = {}
        """Rows of paged lists, by path."""
        self.bodies: dict[str, tuple[bytes, str]] = {}
        """Bytes and their type, by path; a query belongs to it where it says what is meant."""

    @property
    def hosts(self) -> dict[str, str]:
        """Where the public hosts are."""
        return {host: f"{self.address}/{host}" for host in HOSTS}

    def placed(self, address: str) -> str:
        """Where a public address is on this server."""
        host, _, rest = address.partition("://")[2].partition("/")
        return f"{self.hosts[host]}/{rest}" if host in HOSTS else address

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """JSON, a page of a list, or bytes."""
        path = unquote(path)
        pid = query.get("persistentId")
        for key in (f"{path}?persistentId={pid}", f"{path}?id={query.get('id')}", path):
            if key in self.values:
                return as_json(self.values[key])
            if key in self.lists:
                return self._sheet(path, self.lists[key], query)
            if key in self.bodies:
                body, content_type = self.bodies[key]
                return Answer(body, content_type)
        is_api = "/api" in path or path.startswith("/api")
        wanted = {"status": "ERROR", "message": f"{path} was not found"}
        return as_json(wanted, 404) if is_api else Answer(b"not found", "text/plain", status=404)

    def _sheet(self, path: str, rows: list[Json], query: Mapping[str, str]) -> Answer:
        asked = query.get("page_size") or query.get("per_page") or query.get("page[size]")
        size = min(int(query.get("limit") or asked or 10), self.page_cap)
        number = int(query.get("page", "1"))
        start = int(query.get("offset") or (number - 1) * size)
        found = rows[start : start + size]
        if path.startswith("/datadryad.org"):
            embedded = {"stash:files": found}
            return as_json({"count": len(found), "total": len(rows), "_embedded": embedded})
        if path.startswith("/api.osf.io"):
            more = start + size < len(rows)
            host, _, rest = path.removeprefix("/").partition("/")
            following = f"https://{host}/{rest}?page={number + 1}&page[size]={size}"
            return as_json(catalogues.osf_page(found, following if more else None, len(rows)))
        if path.startswith("/api/datasets"):
            return as_json({"status": "OK", "totalCount": len(rows), "data": found})
        return as_json(found)

    def land(self, address: str, body: bytes | None = None) -> str:
        """Serves a landing page at a public address."""
        path = self.placed(address).removeprefix(self.address)
        self.set(path, Answer(body or page("A dataset", "<p>Files.</p>"), HTML))
        return address

    def resolve(self, doi: str, address: str) -> str:
        """Lets a DOI lead to an address; returns the resolver's address of it."""
        resolver = f"https://doi.org/{doi}"
        path = self.placed(resolver).removeprefix(self.address)
        self.set(path, moved(self.placed(address)))
        return resolver

    def add_figshare(
        self, number: int, version: int, files: Sequence[DataFile], /, **changes: Any
    ) -> str:
        """An article in its newest version; the files are numbered from 1000 times its number."""
        first = 1000 * number
        article = shapes.figshare_article(number, version, files, first, **changes)
        base = f"/api.figshare.com/v2/articles/{number}"
        self.values[base] = self.values[f"{base}/versions/{version}"] = article
        self.values[f"{base}/versions"] = [
            {
                "version": each,
                "url": f"https://api.figshare.com/v2/articles/{number}/versions/{each}",
            }
            for each in range(1, version + 1)
        ]
        self.lists[f"{base}/versions/{version}/files"] = [
            shapes.figshare_file(file, first + each) for each, file in enumerate(files)
        ]
        for each, file in enumerate(files):
            self._serve(f"/ndownloader.figshare.com/files/{first + each}", file)
            self._serve(f"/api.figshare.com/v2/file/download/{first + each}", file)
        self._bundle(f"/ndownloader.figshare.com/articles/{number}/versions/{version}", files)
        return self.land(f"https://figshare.com/articles/dataset/Readings/{number}/{version}")

    def add_zenodo(self, number: int, files: Sequence[DataFile], /, **changes: Any) -> str:
        """A record; its concept has the number before it, and leads to it."""
        record = shapes.zenodo_record(number, files, **changes)
        base = f"/zenodo.org/api/records/{number}"
        self.values[base] = self.values[f"/zenodo.org/api/records/{number - 1}"] = record
        for file in files:
            self._serve(f"{base}/files/{file.path}/content", file)
        self._bundle(f"{base}/files-archive", files)
        address = self.land(f"https://zenodo.org/records/{number}")
        self.set(f"/zenodo.org/records/{number - 1}", moved(self.placed(address)))
        return address

    def add_archiveorg(self, name: str, files: Sequence[DataFile], /, **changes: Any) -> str:
        """An item."""
        self.values[f"/archive.org/metadata/{name}"] = shapes.archive_item(name, files, **changes)
        for file in files:
            self._serve(f"/archive.org/download/{name}/{file.path}", file)
        self._bundle(f"/archive.org/compress/{name}", files)
        return self.land(f"https://archive.org/details/{name}")

    def add_dryad(
        self, doi: str, version: int, files: Sequence[DataFile], /, **changes: Any
    ) -> str:
        """A dataset; its files are numbered from 1."""
        dataset = shapes.dryad_dataset(doi, version, **changes)
        self.values[f"/datadryad.org/api/v2/datasets/doi:{doi}"] = dataset
        base = f"/datadryad.org/api/v2/versions/{1000 + version}"
        self.lists[f"{base}/files"] = [
            shapes.dryad_file(file, number) for number, file in enumerate(files, 1)
        ]
        for number, file in enumerate(files, 1):
            self._serve(f"/datadryad.org/api/v2/files/{number}/download", file)
            self._serve(f"/datadryad.org/downloads/file_stream/{number}", file)
        self._bundle(f"{base}/download", files)
        return self.land(f"https://datadryad.org/dataset/doi:{doi}")

    def add_osf(
        self, guid: str, files: Sequence[DataFile], kind: str = "nodes", **changes: Any
    ) -> str:
        """A node with its storage, whose folders are one deep."""
        base = f"/api.osf.io/v2/{kind}/{guid}"
        self.values[f"/api.osf.io/v2/guids/{guid}/"] = catalogues.osf_guid(guid, kind)
        self.values[f"{base}/"] = catalogues.osf_node(guid, kind, **changes)
        self.lists[f"{base}/files/"] = [catalogues.osf_provider(guid)]
        storage = f"/api.osf.io/v2/nodes/{guid}/files/osfstorage/"
        folders = sorted({each.folder for each in files if each.folder})
        self.lists[storage] = [
            catalogues.osf_folder(guid, name, f"/folder{number}/")
            for number, name in enumerate(folders)
        ]
        for number, file in enumerate(files):
            where = f"{storage}folder{folders.index(file.folder)}/" if file.folder else storage
            self.lists.setdefault(where, []).append(catalogues.osf_file(file, number))
            self._serve(f"/osf.io/download/5f{number:022x}/", file)
        self._bundle(f"/files.osf.io/v1/resources/{guid}/providers/osfstorage/", files)
        return self.land(f"https://osf.io/{guid}/")

    def add_github(
        self, repository: str, tag: str, files: Sequence[DataFile], /, **changes: Any
    ) -> str:
        """A release, which is the latest one."""
        release = shapes.github_release(repository, tag, files, **changes)
        base = f"/api.github.com/repos/{repository}/releases"
        self.values[f"{base}/tags/{tag}"] = self.values[f"{base}/latest"] = release
        self.lists[f"{base}/77/assets"] = release["assets"]
        for file in files:
            self._serve(f"/github.com/{repository}/releases/download/{tag}/{file.name}", file)
        return self.land(f"https://github.com/{repository}/releases/tag/{quote(tag)}")

    def add_dataverse(
        self,
        pid: str,
        files: Sequence[DataFile],
        /,
        version: str = "1.0",
        rows: Sequence[Json] | None = None,
        **changes: Any,
    ) -> str:
        """A dataset in its newest version; `rows` in place of the files' own, where given."""
        made = [shapes.dataverse_file(each, 100 + at, pid) for at, each in enumerate(files)]
        listed = list(made if rows is None else rows)
        latest = shapes.dataverse_version(pid, version, listed, **changes)
        base = "/api/datasets/:persistentId/"
        self.values[f"{base}?persistentId={pid}"] = shapes.dataverse_dataset(pid, latest)
        self.add_dataverse_version(pid, latest)
        access = "/api/access/datafile/"
        for row, file in zip(listed, files, strict=False):
            stored = row["dataFile"]
            own = f"{access}:persistentId/?persistentId={stored.get('persistentId')}"
            self._serve(own if stored.get("persistentId") else f"{access}{stored['id']}", file)
        bundle = f"/api/access/dataset/:persistentId/?persistentId={pid}"
        self._bundle(bundle, files, {"MANIFEST.TXT": b"Data File Packaging Manifest\n"})
        address = f"{self.address}/dataset.xhtml?persistentId={pid}"
        self.set(address.removeprefix(self.address), Answer(page("Data", "<p>…</p>"), HTML))
        return address

    def add_dataverse_version(self, pid: str, version: Json) -> None:
        """A version, as it is asked for by its number."""
        number = f"{version['versionNumber']}.{version['versionMinorNumber']}"
        path = f"/api/datasets/:persistentId/versions/{number}"
        self.values[f"{path}?persistentId={pid}"] = {"status": "OK", "data": version}
        self.lists[f"{path}/files?persistentId={pid}"] = list(version.get("files", []))

    def add_ckan(self, name: str, files: Sequence[DataFile], /, **changes: Any) -> str:
        """A dataset of a catalogue at the root, uploaded there."""
        resources = []
        for file in files:
            path = f"/dataset/{name}/resource/r-{file.md5[:12]}/download/{file.name}"
            resources.append(catalogues.ckan_resource(file, f"{self.address}{path}"))
            self._serve(path, file)
        package = catalogues.ckan_package(name, resources, **changes)
        shown = catalogues.ckan_answer(package)
        self.values[f"/api/3/action/package_show?id={name}"] = shown
        self.set(f"/dataset/{name}", Answer(page(name, "", head_html=catalogues.CKAN_HEAD), HTML))
        return f"{self.address}/dataset/{name}"

    def add_page(self, path: str, files: Sequence[DataFile], /, **changes: Any) -> str:
        """A page that says in JSON-LD which files there are."""
        downloads = []
        for file in files:
            self._serve(f"{path}/{file.path}", file)
            address = f"{self.address}{path}/{quote(file.path)}"
            downloads.append(catalogues.data_download(file, address))
        dataset = {"name": "A dataset", "distribution": downloads} | changes
        self.set(path, Answer(catalogues.linked_page(dataset), HTML))
        return f"{self.address}{path}"

    def _serve(self, path: str, file: DataFile) -> None:
        self.bodies[path] = (file.body, file.content_type)

    def _bundle(
        self, path: str, files: Sequence[DataFile], extra: Mapping[str, bytes] | None = None
    ) -> None:
        self.bodies[path] = (zipped(files, extra), "application/zip")
