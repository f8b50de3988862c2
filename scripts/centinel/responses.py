"""What does the head of a response say, and what a fault of the transport?"""

from collections.abc import Mapping

import requests
import urllib3
from urllib3.util import Retry

from centinel import addresses
from centinel.liveness import Refusal
from centinel.masking import masked
from centinel.record import Liveness


def lowered(headers: Mapping[str, str]) -> dict[str, str]:
    """Returns headers under their names in lower case, as they are kept."""
    return {name.lower(): value for name, value in headers.items()}


def target_of(address: str, response: requests.Response) -> str | Refusal:
    """Returns where a redirect leads; a refusal where that may not be asked at all."""
    location = response.headers["location"].encode("latin-1", "replace").decode("utf-8", "replace")
    target = addresses.canonical(location, address)
    if target is None:
        reason = f"address: redirect to {masked(location)[:200]}"
        return Refusal(Liveness.BLOCKED, reason, response.status_code, address)
    if target == address:
        # A server without cookies writes its session into the address, and asks for it there.
        return addresses.original(location, address) or target
    return target


def headers_of(response: requests.Response) -> dict[str, str]:
    """Returns all headers as served; several lines of one name are joined (RFC 9110, 5.3)."""
    joined: dict[str, str] = {}
    for name, value in response.raw.headers.items():
        text = str(value).encode("latin-1", "replace").decode("utf-8", "replace")
        key = name.lower()
        joined[key] = f"{joined[key]}, {text}" if key in joined else text
    return joined


def retry_after(response: requests.Response) -> float:
    """Returns the seconds that a Retry-After header asks for, in either form; 0 without one."""
    header = response.headers.get("retry-after")
    if not header:
        return 0.0
    try:
        return float(Retry(retry_after_max=1 << 40).parse_retry_after(header))
    except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
        return 0.0


def fault(error: Exception) -> str:
    """Returns one line for a fault of the transport: its kind and the innermost cause."""
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    said = " ".join(str(inner).split())[:300]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
