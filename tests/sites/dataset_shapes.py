"""What the platforms of datasets answer, in the shapes that their APIs give."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

Json = dict[str, Any]


@dataclass(frozen=True)
class DataFile:
    """A file of a dataset."""

    name: str
    body: bytes = b"a,b\n1,2\n"
    folder: str = ""
    content_type: str = "text/csv"

    @property
    def path(self) -> str:
        """The folder and the name."""
        return f"{self.folder}/{self.name}" if self.folder else self.name

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.body)

    def digest(self, kind: str) -> str:
        """The hash of the bytes."""
        return hashlib.new(kind, self.body, usedforsecurity=False).hexdigest()

    @property
    def md5(self) -> str:
        """The MD5 of the bytes."""
        return self.digest("md5")


def numbered(count: int, size: int = 20) -> list[DataFile]:
    """So many files, each with bytes of its own."""
    return [DataFile(f"part-{each:04}.csv", f"{each:0{size}}".encode()) for each in range(count)]


# Figshare: GET /v2/articles/{id}[/versions/{v}], …/files?page=&page_size=


def figshare_file(file: DataFile, number: int, /, **changes: Any) -> Json:
    """A row of `files`."""
    return {
        "id": number,
        "name": file.name,
        "size": file.size,
        "is_link_only": False,
        "download_url": f"https://ndownloader.figshare.com/files/{number}",
        "supplied_md5": file.md5,
        "computed_md5": file.md5,
        "mimetype": file.content_type,
    } | changes


def figshare_article(
    number: int, version: int, files: Sequence[DataFile], first_file: int = 5000, /, **changes: Any
) -> Json:
    """An article, with the first ten of its files."""
    numbers = range(first_file, first_file + len(files))
    listed = [figshare_file(file, each) for file, each in zip(files, numbers, strict=True)]
    folders = {
        str(each): file.folder for file, each in zip(files, numbers, strict=True) if file.folder
    }
    return {
        "id": number,
        "title": f"Readings {number}",
        "doi": f"10.6084/m9.figshare.{number}.v{version}",
        "url": f"https://api.figshare.com/v2/articles/{number}",
        "published_date": "2021-03-04T05:06:07Z",
        "defined_type_name": "dataset",
        "figshare_url": f"https://figshare.com/articles/dataset/Readings/{number}/{version}",
        "version": version,
        "status": "public",
        "size": sum(each.size for each in files),
        "files": listed[:10],
        "folder_structure": folders,
        "authors": [{"id": 1, "full_name": "Ada Alder", "is_active": True, "orcid_id": ""}],
        "description": "<p>Readings of a gauge.</p>",
        "license": {
            "value": 1,
            "name": "CC BY 4.0",
            "url": "https://creativecommons.org/licenses/by/4.0/",
        },
        "is_public": True,
        "is_confidential": False,
        "is_metadata_record": False,
        "is_embargoed": False,
        "embargo_date": None,
        "embargo_type": None,
        "embargo_reason": "",
        "download_disabled": False,
        "has_linked_file": False,
    } | changes


# Zenodo: GET /api/records/{id}


def zenodo_file(file: DataFile, number: int, /, **changes: Any) -> Json:
    """A row of `files`."""
    return {
        "id": f"file-{file.md5[:8]}",
        "key": file.path,
        "size": file.size,
        "checksum": f"md5:{file.md5}",
        "links": {
            "self": f"https://zenodo.org/api/records/{number}/files/{quote(file.path)}/content"
        },
    } | changes


def zenodo_record(number: int, files: Sequence[DataFile], /, **changes: Any) -> Json:
    """A record as the API has given it since October 2023."""
    concept = str(number - 1)
    metadata = {
        "title": f"Record {number}",
        "doi": f"10.5281/zenodo.{number}",
        "publication_date": "2019-10-15",
        "description": "<p>A record.</p>",
        "access_right": "open",
        "creators": [{"name": "Alder, Ada", "affiliation": "Port Alder"}],
        "resource_type": {"title": "Dataset", "type": "dataset"},
        "license": {"id": "cc-by-4.0"},
        "relations": {
            "version": [
                {
                    "index": 0,
                    "is_last": True,
                    "parent": {"pid_type": "recid", "pid_value": concept},
                }
            ]
        },
    }
    return {
        "created": "2019-10-15T07:35:56.339355+00:00",
        "modified": "2020-01-20T17:07:16.366704+00:00",
        "id": number,
        "recid": str(number),
        "conceptrecid": concept,
        "doi": f"10.5281/zenodo.{number}",
        "conceptdoi": f"10.5281/zenodo.{concept}",
        "metadata": metadata | changes.pop("metadata", {}),
        "title": f"Record {number}",
        "links": {
            "self": f"https://zenodo.org/api/records/{number}",
            "self_html": f"https://zenodo.org/records/{number}",
            "archive": f"https://zenodo.org/api/records/{number}/files-archive",
        },
        "files": [zenodo_file(each, number) for each in files],
        "state": "done",
        "submitted": True,
    } | changes


# Dataverse: GET /api/datasets/:persistentId/?persistentId=, …/versions/{v}


def dataverse_file(file: DataFile, number: int, pid: str, /, **changes: Any) -> Json:
    """A row of `files`; `changes` go into its `dataFile`, and `row` into the row."""
    row = changes.pop("row", {})
    stored = {
        "id": number,
        "persistentId": f"{pid}/F{number:05}",
        "filename": file.name,
        "contentType": file.content_type,
        "filesize": file.size,
        "storageIdentifier": f"s3://bucket:{number}",
        "rootDataFileId": -1,
        "md5": file.md5,
        "checksum": {"type": "MD5", "value": file.md5},
        "creationDate": "2021-03-04",
    }
    return {
        "label": file.name,
        "restricted": False,
        **({"directoryLabel": file.folder} if file.folder else {}),
        "version": 1,
        "datasetVersionId": 7,
        "dataFile": {key: value for key, value in (stored | changes).items() if value is not None},
        **row,
    }


def dataverse_version(pid: str, version: str, files: Sequence[Json], /, **changes: Any) -> Json:
    """One version of a dataset."""
    major, _, minor = version.partition(".")
    author = {"authorName": {"typeName": "authorName", "value": "Alder, Ada"}}
    return {
        "id": 7,
        "datasetId": 6,
        "datasetPersistentId": pid,
        "versionNumber": int(major),
        "versionMinorNumber": int(minor or 0),
        "versionState": "RELEASED",
        "releaseTime": "2021-03-05T10:11:12Z",
        "license": {
            "name": "CC0 1.0",
            "uri": "http://creativecommons.org/publicdomain/zero/1.0",
        },
        "fileAccessRequest": False,
        "metadataBlocks": {
            "citation": {
                "displayName": "Citation Metadata",
                "fields": [
                    {"typeName": "title", "multiple": False, "value": "Gauge data"},
                    {"typeName": "author", "multiple": True, "value": [author]},
                ],
            }
        },
        "files": list(files),
    } | changes


def dataverse_dataset(pid: str, latest: Json | None) -> Json:
    """A dataset, with its newest published version where there is one."""
    protocol, _, rest = pid.partition(":")
    authority, _, identity = rest.partition("/")
    data = {
        "id": 6,
        "identifier": identity,
        "persistentUrl": f"https://doi.org/{rest}",
        "protocol": protocol,
        "authority": authority,
        "publisher": "Alder Dataverse",
        "publicationDate": "2021-03-05",
    }
    return {"status": "OK", "data": data | ({"latestVersion": latest} if latest else {})}


# archive.org: GET /metadata/{item}


def archive_file(file: DataFile, source: str = "original", /, **changes: Any) -> Json:
    """A row of `files`: its numbers are text."""
    return {
        "name": file.path,
        "source": source,
        "format": "CSV",
        "size": str(file.size),
        "mtime": "1609459200",
        "md5": file.md5,
        "sha1": file.digest("sha1"),
        "crc32": "00000000",
    } | changes


def archive_item(name: str, files: Sequence[DataFile], /, **changes: Any) -> Json:
    """An item, with its bookkeeping and a derivative."""
    metadata = {
        "identifier": name,
        "mediatype": "data",
        "collection": ["datasets"],
        "title": f"Item {name}",
        "date": "2021-03-04",
        "licenseurl": "https://creativecommons.org/publicdomain/zero/1.0/",
    }
    own = [
        archive_file(DataFile(f"{name}{each}"), format="Metadata")
        for each in ("_meta.xml", "_files.xml", "_meta.sqlite", "_archive.torrent")
    ]
    derived = archive_file(DataFile("__ia_thumb.jpg"), format="Item Tile")
    listing = [
        *(archive_file(each) for each in files),
        archive_file(DataFile("made.txt"), "derivative"),
        *own,
        derived,
    ]
    return {
        "created": 1609459200,
        "d1": "ia800000.us.archive.org",
        "dir": f"/1/items/{name}",
        "files": listing,
        "files_count": len(listing),
        "item_size": 1,
        "metadata": metadata | changes.pop("metadata", {}),
        "server": "ia800000.us.archive.org",
    } | changes


# Dryad: GET /api/v2/datasets/{doi}, /api/v2/versions/{id}/files


def dryad_dataset(doi: str, version: int, /, **changes: Any) -> Json:
    """A dataset in its newest version, whose id is 1000 plus its number."""
    encoded = quote(f"doi:{doi}", safe="")
    base = f"/api/v2/datasets/{encoded}"
    return {
        "_links": {
            "self": {"href": base},
            "stash:versions": {"href": f"{base}/versions"},
            "stash:version": {"href": f"/api/v2/versions/{1000 + version}"},
            "stash:download": {"href": f"{base}/download"},
        },
        "identifier": f"doi:{doi}",
        "id": 12,
        "storageSize": 100,
        "title": "Plants",
        "authors": [{"firstName": "Ada", "lastName": "Alder"}],
        "abstract": "<p>Plants.</p>",
        "versionNumber": version,
        "versionStatus": "submitted",
        "curationStatus": "Published",
        "publicationDate": "2020-07-08",
        "visibility": "public",
        "license": "https://spdx.org/licenses/CC0-1.0.html",
    } | changes


def dryad_file(file: DataFile, number: int, /, **changes: Any) -> Json:
    """A row of `stash:files`."""
    return {
        "_links": {
            "self": {"href": f"/api/v2/files/{number}"},
            "stash:download": {"href": f"/api/v2/files/{number}/download"},
        },
        "path": file.path,
        "size": file.size,
        "mimeType": file.content_type,
        "status": "created",
        "digest": file.digest("sha256"),
        "digestType": "sha-256",
    } | changes


# GitHub: GET /repos/{owner}/{repository}/releases/tags/{tag}


def github_release(repository: str, tag: str, files: Sequence[DataFile], /, **changes: Any) -> Json:
    """A release with its assets."""
    base = f"https://github.com/{repository}/releases"
    assets = [
        {
            "id": 300 + number,
            "name": each.name,
            "label": None,
            "state": "uploaded",
            "content_type": each.content_type,
            "size": each.size,
            "digest": f"sha256:{each.digest('sha256')}",
            "browser_download_url": f"{base}/download/{quote(tag, safe='')}/{quote(each.name)}",
        }
        for number, each in enumerate(files)
    ]
    return {
        "url": f"https://api.github.com/repos/{repository}/releases/77",
        "html_url": f"{base}/tag/{quote(tag)}",
        "id": 77,
        "tag_name": tag,
        "name": f"Release {tag}",
        "draft": False,
        "prerelease": False,
        "published_at": "2022-02-03T04:05:06Z",
        "assets": assets,
        "zipball_url": f"https://api.github.com/repos/{repository}/zipball/{tag}",
        "body": "Data of the release.",
    } | changes


def content_md5(body: bytes) -> str:
    """The value of a Content-MD5 header."""
    return base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
