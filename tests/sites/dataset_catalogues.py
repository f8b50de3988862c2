"""What OSF and CKAN answer, and pages that describe datasets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.sites.dataset_shapes import DataFile, Json

API = "https://api.osf.io/v2"

# OSF: GET /v2/guids/{id}/, /v2/nodes/{id}/, …/files/, …/files/osfstorage/{folder}/


def osf_guid(guid: str, kind: str = "nodes") -> Json:
    """What a short id stands for."""
    return {
        "data": {
            "id": guid,
            "type": "guids",
            "relationships": {
                "referent": {
                    "links": {"related": {"href": f"{API}/{kind}/{guid}/", "meta": {}}},
                    "data": {"type": kind, "id": guid},
                }
            },
        }
    }


def osf_node(guid: str, kind: str = "nodes", /, **changes: Any) -> Json:
    """A project or a registration, without components; `changes` go into its attributes."""
    attributes = {
        "title": "A study",
        "description": "",
        "category": "project",
        "date_created": "2018-05-06T07:08:09.000000",
        "public": True,
        "registration": kind == "registrations",
        "node_license": None,
    }
    address = f"{API}/{kind}/{guid}/children/"
    children = {"links": {"related": {"href": address, "meta": {"count": 0}}}}
    node = {"id": guid, "type": kind, "attributes": attributes | changes}
    return {"data": node | {"relationships": {"children": children}}}


def osf_page(rows: Sequence[Json], following: str | None = None, total: int | None = None) -> Json:
    """A page of a list."""
    return {
        "data": list(rows),
        "links": {"first": None, "last": None, "prev": None, "next": following},
        "meta": {"total": len(rows) if total is None else total, "per_page": 10},
    }


def osf_provider(guid: str, provider: str = "osfstorage") -> Json:
    """A row of a node's providers."""
    address = f"{API}/nodes/{guid}/files/{provider}/"
    return {
        "id": f"{guid}:{provider}",
        "type": "files",
        "attributes": {"kind": "folder", "name": provider, "path": "/", "provider": provider},
        "relationships": {"files": {"links": {"related": {"href": address, "meta": {}}}}},
    }


def osf_folder(guid: str, name: str, path: str) -> Json:
    """A row that is a folder, whose list is asked for by its id."""
    address = f"{API}/nodes/{guid}/files/osfstorage/{path.strip('/')}/"
    return {
        "id": path.strip("/"),
        "type": "files",
        "attributes": {
            "kind": "folder",
            "name": name,
            "path": path,
            "materialized_path": f"/{name}/",
            "provider": "osfstorage",
            "size": None,
        },
        "relationships": {"files": {"links": {"related": {"href": address, "meta": {}}}}},
    }


def osf_file(file: DataFile, number: int, /, **changes: Any) -> Json:
    """A row that is a file; `changes` go into its attributes."""
    attributes = {
        "kind": "file",
        "name": file.name,
        "path": f"/5f{number:022x}",
        "materialized_path": f"/{file.path}",
        "provider": "osfstorage",
        "size": file.size,
        "current_version": 1,
        "extra": {
            "hashes": {"md5": file.md5, "sha256": file.digest("sha256")},
            "downloads": 3,
        },
    }
    return {
        "id": f"5f{number:022x}",
        "type": "files",
        "attributes": attributes | changes,
        "links": {"download": f"https://osf.io/download/5f{number:022x}/"},
    }


# CKAN: GET /api/3/action/package_show?id=


def ckan_resource(file: DataFile, address: str, /, **changes: Any) -> Json:
    """A row of `resources`, uploaded to the catalogue."""
    return {
        "id": f"r-{file.md5[:12]}",
        "name": file.name,
        "url": address,
        "url_type": "upload",
        "format": "CSV",
        "mimetype": file.content_type,
        "size": file.size,
        "hash": file.md5,
        "state": "active",
        "position": 0,
    } | changes


def ckan_package(name: str, resources: Sequence[Json], /, **changes: Any) -> Json:
    """A dataset."""
    return {
        "id": "c322307a-b871-44fe-a602-32ee8437ff04",
        "name": name,
        "title": "Trees of Port Alder",
        "author": "Parks",
        "license_id": "cc-by",
        "license_title": "Creative Commons Attribution",
        "license_url": "http://www.opendefinition.org/licenses/cc-by",
        "metadata_created": "2021-04-09T11:39:37.657233",
        "metadata_modified": "2022-05-20T09:20:43.998956",
        "notes": "Every tree.",
        "num_resources": len(resources),
        "private": False,
        "state": "active",
        "resources": list(resources),
    } | changes


def ckan_answer(package: Json) -> Json:
    """What `package_show` gives."""
    return {"help": "…", "success": True, "result": package}


def ckan_error(kind: str, message: str) -> Json:
    """What the API says of a dataset that it does not show."""
    return {"help": "…", "success": False, "error": {"__type": kind, "message": message}}


CKAN_HEAD = '<meta name="generator" content="ckan 2.10.4">'


# Pages


def linked_page(dataset: Json, head: str = "") -> bytes:
    """A page with a dataset in its JSON-LD."""
    script = json.dumps({"@context": "https://schema.org/", "@type": "Dataset"} | dataset)
    return (
        f"<!doctype html><html><head><title>A dataset</title>{head}"
        f'<script type="application/ld+json">{script}</script></head><body></body></html>'
    ).encode()


def data_download(file: DataFile, address: str, /, **changes: Any) -> Json:
    """A distribution of a dataset."""
    return {
        "@type": "DataDownload",
        "name": file.name,
        "encodingFormat": file.content_type,
        "contentSize": f"{file.size} B",
        "contentUrl": address,
        "sha256": file.digest("sha256"),
    } | changes
