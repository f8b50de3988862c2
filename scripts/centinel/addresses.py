"""Addresses: the one canonical form, what may be asked, and what may be shown."""

import ipaddress
import re
import socket
from functools import lru_cache
from urllib.parse import SplitResult, unquote_to_bytes, urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

SCHEMES = frozenset({"http", "https"})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HOST = re.compile(r"[A-Za-z0-9._:%-]+")

_CANONICAL = re.compile(
    r"https?://(?:(?:(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,20}|127\.0\.0\.1)"
    r"(?::(?:[1-9]\d{3}|[1-5]\d{4}))?(?:(?:/[\w~-][\w.~-]*)+/?|/)(?:\?[\w.~=&-]+)?",
    re.A,
)
"""An address that is its own canonical form, unless it has a session: most that sources name."""

_EXTENSION = re.compile(r"[^.].*\.([A-Za-z0-9]{1,8})$")
_PLAIN = re.compile(
    r"https?://[\w.:-]+/(?:[\w.~@$&()*+,;=/:-]*/)?([\w.~@$&()*+,;=:-]*)(?:\?[^!#\s]*)?", re.A
)
"""An address whose last path segment needs no decoding."""


def canonical(address: str, base: str | None = None) -> str | None:
    """Returns the one form of an address; None for what is no http(s) address.

    Scheme and host in lower case, no default port, no user and password, no fragment, dot segments
    resolved, percent-encoding normalised (RFC 3986, section 6.2.2). Queries are kept as they are,
    without known session parameters.
    """
    if _CANONICAL.fullmatch(address) and not _may_have_session(address):
        return address  # in a tenth of the time
    return _form(address, base, keeps_session=False)


def original(address: str, base: str | None = None) -> str | None:
    """Returns the form that still has the session which `canonical` drops; None without one."""
    if not _may_have_session(address):
        return None
    kept = _form(address, base, keeps_session=True)
    return kept if kept != canonical(address, base) else None


def _form(address: str, base: str | None, *, keeps_session: bool) -> str | None:
    try:
        absolute = urljoin(base, address.strip()) if base else address.strip()
        parts = urlsplit(safe_url_string(absolute))
        if parts.scheme.lower() not in SCHEMES or not _HOST.fullmatch(parts.hostname or ""):
            return None
        scheme = parts.scheme.lower()
        path = _normalised(parts.path or "/")
        if "/." in path:
            # The dot keeps a path that opens with two slashes from being taken for a host.
            path = urlsplit(urljoin(f"{scheme}://host/", f"/.{path}")).path
        query = _normalised(parts.query)
        if not keeps_session:
            path, query = _without_session(path, query)
        return urlunsplit((scheme, _netloc(parts, scheme), path, query, ""))
    except ValueError:
        return None


_SESSION_NAMES = frozenset(
    {"jsessionid", "phpsessid", "sessionid", "session_id", "cfid", "cftoken", "sid", "zenid"}
)
"""Parameters in which servers without cookies carry a session; ASP's have a random tail."""

_SESSION_PATH = re.compile(r";jsessionid=[^/?;]*", re.I)
_COOKIELESS = re.compile(r"/\((?:[AFSX]\([A-Za-z0-9_-]{20,}\))+\)(?=/)")
"""ASP.NET's cookieless session, `/(S(…))/`."""

_MAY_HAVE_SESSION = re.compile(r"session_?id|phpsessid|cfid|cftoken|sid=|zenid|aspsession|\(", re.I)
"""What no address with a session is without: most addresses are looked at no further."""


def _may_have_session(address: str) -> bool:
    """Says so of every address with a session: that stands in a query, or behind `;` or `(`."""
    may_carry = "?" in address or ";" in address or "(" in address
    return may_carry and _MAY_HAVE_SESSION.search(address) is not None


_TOKEN = re.compile(r"(?=.*\d)[A-Za-z0-9_.!-]{8,}")
"""What a session's value looks like; `sid=7` is an ordinary number."""


def _without_session(path: str, query: str) -> tuple[str, str]:
    """Drops known session parameters; everything else stays as it was, in its order."""
    path = _COOKIELESS.sub("", _SESSION_PATH.sub("", path))
    if "=" not in query:
        return path, query
    kept = [pair for pair in query.split("&") if not _is_session(pair)]
    return path, "&".join(kept)


def _is_session(pair: str) -> bool:
    name, _, value = pair.partition("=")
    name = name.lower()
    known = name in _SESSION_NAMES or name.startswith("aspsessionid")
    return known and (name in ("cfid", "cftoken") or _TOKEN.fullmatch(value) is not None)


def _netloc(parts: SplitResult, scheme: str) -> str:
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = parts.port
    return host if port is None or port == _DEFAULT_PORTS[scheme] else f"{host}:{port}"


def _normalised(text: str) -> str:
    """Upper-case hex, and no escape for a character that needs none."""

    def one(match: re.Match[str]) -> str:
        value = int(match[1], 16)
        return chr(value) if value in _UNRESERVED else f"%{value:02X}"

    return _PERCENT.sub(one, text) if "%" in text else text


def origin(address: str) -> str:
    """Returns scheme, host and port of a canonical address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def host(address: str) -> str:
    """Returns host and port of a canonical address, the exact identity of a site."""
    return urlsplit(address).netloc


def extension(address: str) -> str | None:
    """Returns the extension of the last path segment in lower case (no dot), where it has one."""
    return file_extension(file_name(address))


def file_extension(name: str) -> str | None:
    """Returns the extension of a file name in lower case (no dot), where it has one."""
    match = _EXTENSION.search(name) if "." in name else None
    return match[1].lower() if match else None


def served_extension(final_url: str, filename: str | None) -> str | None:
    """Returns the extension of the served address, else of the name that the server gave.

    What is behind a fragment (`….mp3#metadata`) is made from the file, and not it.
    """
    named = None if "#" in final_url else extension(final_url)
    return named or file_extension(filename or "")


def file_name(address: str) -> str:
    """Returns the last path segment, percent-decoded; of a member (`…!/a/b.pdf`) its own."""
    plain = _PLAIN.fullmatch(address)
    if plain is not None:  # most are, and a fifth of the time
        return plain[1]
    last = urlsplit(address.rpartition("!/")[2]).path.rpartition("/")[2]
    return unquote_to_bytes(last).decode("utf-8", "replace")


@lru_cache(maxsize=4096)
def is_private(hostname: str) -> bool:
    """Returns whether a host is, or resolves to, an address that is not of the public network.

    A name that does not resolve is not private: asking it gives its own error (or a proxy's).
    """
    try:
        found = [ipaddress.ip_address(hostname.strip("[]").partition("%")[0])]
    except ValueError:
        try:
            answers = socket.getaddrinfo(hostname, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return False
        found = [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in answers]
    return any(not each.is_global for each in found)


def refusal(address: str, private_is_allowed: bool) -> str | None:
    """Returns why an address may not be asked at all; None where it may."""
    parts = urlsplit(address)
    if parts.scheme not in SCHEMES or not parts.hostname:
        return f"{parts.scheme or 'no'} scheme or no host: only http and https are asked"
    if not private_is_allowed and is_private(parts.hostname):
        return "a private, link-local or loopback address, and the source is a public one"
    return None
