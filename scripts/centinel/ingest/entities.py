"""Catalogue entities of what was ingested: one a fileset, or a file where there is one."""

from centinel.ingest.model import ManifestFile
from centinel.ingest.rows import Fileset
from centinel.ingest.strategies import Strategy
from centinel.record import Json

_HASHED = ("md5", "sha1", "sha256")


def entity_of(found: Fileset, row: Json) -> Json:
    """Returns the entity of a hit; its sizes and hashes are those of the bytes, as observed."""
    if Strategy(found.capture.strategy or "").is_file:
        return _file(found, row)
    return {
        "entity": "fileset",
        "manifest": [_listed(each) for each in found.files],
        "urls": _urls(found, row),
        **_common(found, row),
    }


def _file(found: Fileset, row: Json) -> Json:
    file = found.files[0]
    listed = _listed(file)
    urls = [{"url": file.terminal_url or file.platform_url, "rel": "repository"}]
    return {
        "entity": "file",
        "path": file.path,
        **{key: listed[key] for key in ("size", *_HASHED, "mimetype")},
        "urls": [*urls, *(each for each in _urls(found, row) if each["rel"] != "repository")],
        **_common(found, row),
    }


def _listed(file: ManifestFile) -> Json:
    seen = file.observed
    extra = {**file.extra, "platform_url": file.platform_url, "verdict": file.verdict}
    return {
        "path": file.path,
        "size": seen.size if seen else None,
        **{name: getattr(seen, name) if seen else None for name in _HASHED},
        "mimetype": file.mimetype or (seen.mimetype if seen else None),
        "extra": extra | {"terminal_url": file.terminal_url, "terminal_dt": file.terminal_dt},
    }


def _urls(found: Fileset, row: Json) -> list[Json]:
    """The addresses by their kind: the landing page, the bundle, the item."""
    urls: list[Json] = [{"url": row["terminal_url"], "rel": "web"}]
    if found.bundle is not None:
        urls.append({"url": found.bundle.final_url, "rel": "repository-bundle"})
    item = found.capture.item
    if item is not None and item.platform == "archiveorg" and found.item_name:
        urls.append({"url": f"https://archive.org/download/{found.item_name}/", "rel": "archive"})
    return urls


def _common(found: Fileset, row: Json) -> Json:
    """What ties the entity to releases, and where it comes from."""
    request, item = found.request, found.capture.item
    release = request.fatcat.get("release_ident")
    given = {
        "ingest_request_source": request.ingest_request_source,
        "link_source": request.link_source,
        "link_source_id": request.link_source_id,
    }
    return {
        "release_ids": [release] if isinstance(release, str) and release else [],
        "ext_ids": {**request.ext_ids, **({"doi": request.doi} if request.doi else {})},
        "title": item.title if item else None,
        "licence": item.licence if item else None,
        "provenance": {
            **{key: value for key, value in given.items() if value},
            "request": row["request"],
            "base_url": request.base_url,
            "platform": row["platform"],
            "platform_domain": row["platform_domain"],
            "platform_id": row["platform_id"],
            "ingest_strategy": row["ingest_strategy"],
            "terminal_dt": row["terminal_dt"],
            "archiveorg_item_name": found.item_name,
        },
    }
