"""Asks as the client does, with a secret that is added at the last moment and recorded nowhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from requests import PreparedRequest
from requests.auth import AuthBase

from centinel.answers import Answer, Fetched
from centinel.http import Client
from centinel.liveness import Refusal

HIDDEN = "***"


@dataclass(frozen=True)
class Secret:
    """A token that a vendor wants as a parameter of the address."""

    value: str = field(repr=False)
    parameter: str
    under: str
    """Only addresses that begin so get it."""


class _Adding(AuthBase):
    """Adds the secret to the request itself, behind the back of whoever records addresses."""

    def __init__(self, secret: Secret) -> None:
        self.secret = secret

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        address = request.url or ""
        stated = f"{self.secret.parameter}={quote(self.secret.value, safe='')}"
        if address.startswith(self.secret.under) and stated not in address:
            request.prepare_url(address, {self.secret.parameter: self.secret.value})
        return request


class Asking:
    """A client, and the secret of the source that it asks for."""

    def __init__(self, client: Client, secret: Secret | None) -> None:
        self.client, self.secret = client, secret
        if secret:
            client.session.auth = _Adding(secret)

    def get(self, address: str, validators: Mapping[str, str] | None = None) -> Answer:
        """Asks for an address; see `Client.get`. The secret is in no part of the answer."""
        answer = self.client.get(address, validators)
        if self.secret is None:
            return answer
        if isinstance(answer, Fetched):
            headers = {name: self._without(value) for name, value in answer.headers.items()}
            return replace(answer, final_url=self._without(answer.final_url), headers=headers)
        if isinstance(answer, Refusal):
            final_url = self._without(answer.final_url) if answer.final_url else None
            return replace(answer, reason=self._without(answer.reason), final_url=final_url)
        return replace(answer, final_url=self._without(answer.final_url))

    def _without(self, text: str) -> str:
        assert self.secret is not None
        for form in (self.secret.value, quote(self.secret.value, safe="")):
            text = text.replace(form, HIDDEN)
        return text
