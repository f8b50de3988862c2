"""Where the hosts of platforms are: themselves, or elsewhere (a mirror, a test on loopback)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Hosts:
    """Other places for some hosts: `{"zenodo.org": "http://127.0.0.1:8080/zenodo.org"}`.

    Helpers know public addresses only. Whoever asks for one asks `placed` instead, and what was
    served from such a place is recognised under its public address.
    """

    origins: Mapping[str, str] = field(default_factory=dict)
    """By host: a scheme and a host, perhaps with the beginning of a path; no slash at the end."""

    def placed(self, address: str) -> str:
        """Returns where a public address is really asked for."""
        parts = urlsplit(address)
        origin = self.origins.get(parts.netloc)
        if origin is None:
            return address
        return origin + address[len(f"{parts.scheme}://{parts.netloc}") :]

    def public(self, address: str) -> str:
        """Returns the public address of what was served from a place; all else unchanged."""
        for host, origin in self.origins.items():
            rest = address[len(origin) :]
            if address.startswith(origin) and (not rest or rest[0] in "/?#"):
                return f"https://{host}{rest}"
        return address
