"""Recognises what a website's own enumeration walks: listings, folders of documents, sitemaps."""

from collections import Counter

from centinel import addresses, kinds
from centinel.answers import Fetched
from centinel.investigation.recognition import Case, Offer, Recognition, Walk
from centinel.sources import bucket, listing

FEWEST_DOCUMENTS = 3
"""Documents of one folder, from which on it is asked whether the server lists it."""

FALLBACK = "a fallback: no sitemap is declared, the one at the usual place is read"


class DirectoryListing:
    """A directory listing: the address itself, or what the site falls back to."""

    name = "listing"

    def look(self, case: Case) -> Recognition:
        """Returns the folder's block, where a run would walk it."""
        seen, walk = case.listing, case.website
        if walk.method == "listing":
            evidence = tuple(each for each in walk.notes if "directory listing of" in each)
            evidence = (*evidence, walk.spoken)
            return Recognition(self.name, evidence, bool(walk.resources), _offers(case, walk))
        if seen is None:
            return Recognition(self.name, ("the address is no directory listing",))
        said = f"a directory listing of {seen.server}: {seen.evidence}"
        return Recognition(self.name, (said, "but the site's sitemap goes before it"), True)


class BucketListing:
    """A bucket that lists its keys: the address itself, or what the site falls back to."""

    name = "bucket"

    def look(self, case: Case) -> Recognition:
        """Returns the bucket's block, where a run would walk it."""
        walk = case.website
        if walk.method != bucket.METHOD:
            return Recognition(self.name, ("the address is no listing of a bucket",))
        evidence = tuple(each for each in walk.notes if "a bucket of" in each)
        return Recognition(
            self.name, (*evidence, walk.spoken), bool(walk.resources), _offers(case, walk)
        )


class DocumentFolder:
    """A folder from which the page links documents, and which the server lists."""

    name = "documents"

    def look(self, case: Case) -> Recognition:
        """Returns the folder's block, where asking for it gives a listing."""
        if case.listing is not None:
            return Recognition(self.name, ("the address is a listing itself",))
        documents = documents_of(case)
        if not documents:
            return Recognition(self.name, ("the page links to no document of its host",))
        counts = Counter(listing.root_of(each) for each in documents)
        folder, count = counts.most_common(1)[0]
        said = f"{len(documents)} documents are linked, {count} of them in {folder}"
        if count < FEWEST_DOCUMENTS:
            return Recognition(self.name, (said,))
        answer = case.client.get(folder)
        if not (isinstance(answer, Fetched) and _is_listing(answer)):
            return Recognition(self.name, (said, "the server does not list that folder"))
        walk = case.walk("site", folder, most=5)
        offers = (Offer("site", folder, self.name, walk),) if walk.resources else ()
        evidence = (said, f"the server lists that folder: {walk.spoken}")
        return Recognition(self.name, evidence, bool(offers), offers)


class Sitemaps:
    """Sitemaps, declared or at the usual place."""

    name = "sitemap"

    def look(self, case: Case) -> Recognition:
        """Returns the site's block, where its sitemaps name addresses."""
        walk = case.website
        if walk.method != "sitemap":
            return Recognition(self.name, ("none: the site is a listing",))
        if not walk.resources:
            said = walk.reason or "they name no address"
            return Recognition(self.name, (_shortened(said),))
        read = [each for each in walk.notes if each.startswith(("http://", "https://"))]
        evidence = [FALLBACK if walk.by_fallback else "declared in robots.txt"]
        evidence += read[:3] + ([f"{len(read) - 3} sitemaps more"] if len(read) > 3 else [])
        evidence += [walk.spoken, *walk.shown_warnings]
        if walk.disallowed:
            evidence.append(f"{walk.disallowed} of them robots.txt does not let us ask for")
        return Recognition(self.name, tuple(evidence), True, _offers(case, walk))


def documents_of(case: Case) -> list[str]:
    """Returns the documents of its own host that a page links to."""
    here = addresses.host(case.seed.final_url)
    return [
        each
        for each in case.links
        if addresses.host(each) == here and kinds.is_enclosed(addresses.extension(each))
    ]


def _is_listing(answer: Fetched) -> bool:
    body = answer.body.content()
    return listing.recognise(body, answer.final_url, answer.declared_type) is not None


def _offers(case: Case, walk: Walk) -> tuple[Offer, ...]:
    if not walk.resources:
        return ()
    remark = FALLBACK if walk.by_fallback else ""
    return (Offer("site", case.site, walk.method, walk, remark),)


def _shortened(reason: str) -> str:
    return reason if len(reason) <= 400 else f"{reason[:399]}…"
