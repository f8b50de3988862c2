"""One way to GET: robots, pacing, retries, limits, decoding. Gives bytes, or a refusal."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.cookies import extract_cookies_to_jar
from requests.structures import CaseInsensitiveDict
from requests.utils import get_environ_proxies
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.util import Retry

from centinel import __version__, addresses, liveness, refusal_page, responses, robots
from centinel.answers import Answer, Fetched, NotModified
from centinel.download import Download, Interrupted, TooLarge, Undecodable, Unwanted, Wanted
from centinel.liveness import Refusal
from centinel.pacing import Pacing
from centinel.record import TOO_LARGE, Liveness

TRIES = 3
"""Requests for one address, on 429, 503 and faults of the transport."""

RETRY_AFTER_MOST = 300.0
"""Seconds; a longer `Retry-After` is left to the source's `retry`."""

CONNECT_SECONDS = 15.0
STALL_SECONDS = 60.0
"""How long a server may send nothing."""

REDIRECTS = 10
_AGAIN = frozenset({429, 503})
_WITH_BODY = frozenset({200, 201, 203})
"""The statuses of a whole body; 202 and 204 promise none, 206 is a piece."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def user_agent(contact: str) -> str:
    """Returns the User-Agent: what this is, and how whoever runs the server can reach us."""
    reach = f"; +{contact}" if contact else ""
    return f"{robots.PRODUCT}/{__version__} (keeps the public record{reach})"


class _Adapter(HTTPAdapter):
    """Remembers the connections to the origin that was asked last: finding them takes 40 us."""

    _last: tuple[str, Any] = ("", None)

    def get_connection_with_tls_context(
        self,
        request: requests.PreparedRequest,
        verify: Any,
        proxies: Any = None,
        cert: Any = None,
    ) -> HTTPConnectionPool:
        where = addresses.origin(str(request.url))
        if self._last[0] != where:
            found = super().get_connection_with_tls_context(request, verify, proxies, cert)
            self._last = (where, found)
        connections: HTTPConnectionPool = self._last[1]
        return connections


@dataclass
class Client:
    """Asks for addresses, politely. One a job; not for several threads."""

    folder: Path
    """Where bodies are written: on the file system where they are to stay."""
    contact: str = ""
    rps: float = 1.0
    max_bytes: int = 256 << 20
    private_is_allowed: bool = False
    robots_unreachable: str = "deny"
    """`deny` (RFC 9309, section 2.3.1.4) or `allow`."""
    backoff_seconds: float = 1.0
    stop: threading.Event = field(default_factory=threading.Event)
    requests_sent: int = 0
    also_hashed: tuple[str, ...] = ()
    """Names of hashlib: what bodies are hashed by besides SHA-256."""
    _rules: dict[str, robots.Rules] = field(default_factory=dict)
    _number: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pacing = Pacing(self.wait)
        self.session = requests.Session()
        self.session.trust_env = False
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, _Adapter())
        self._proxies: dict[str, dict[str, str]] = {}
        environment = (os.environ.get(name) for name in _AUTHORITIES)
        self._authorities: str | bool = next(filter(None, environment), True)
        self._headers = {
            "User-Agent": user_agent(self.contact),
            "Accept": "*/*",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "keep-alive",
        }

    def wait(self, seconds: float) -> None:
        """Waits; raises Interrupted when the run is ended meanwhile."""
        if self.stop.wait(seconds):
            raise Interrupted

    def rules(self, address: str) -> robots.Rules:
        """Returns the robots rules of the address's origin, asked for once."""
        where = addresses.origin(address)
        if where not in self._rules:
            self._rules[where] = robots.Rules("robots.txt is being asked for")
            try:
                self._rules[where] = self._robots(where)
            except BaseException:
                del self._rules[where]  # what allows everything must not outlive the question
                raise
        return self._rules[where]

    def _robots(self, where: str) -> robots.Rules:
        answer = self._follow(where + "/robots.txt", {}, max(self.max_bytes, robots.MOST_BYTES))
        if isinstance(answer, Fetched):
            answer.body.discard()
            return robots.parse(answer.body.start)
        if isinstance(answer, Refusal) and answer.http_status in robots.MISSING:
            return robots.missing(answer.reason)
        if isinstance(answer, Refusal) and answer.liveness in (Liveness.GONE, Liveness.BLOCKED):
            return robots.missing(answer.reason)
        reason = answer.reason if isinstance(answer, Refusal) else "http 304"
        return robots.unreachable(reason, denies=self.robots_unreachable == "deny")

    def get(
        self,
        address: str,
        validators: Mapping[str, str] | None = None,
        wanted: Wanted | None = None,
    ) -> Answer:
        """Asks for an address.

        `validators` are the `etag` and `last-modified` of what is known of it: with them the answer
        may be NotModified. `wanted` looks at the headers before the body is read, and says why the
        body is not wanted: then the answer is a Refusal of a live address. Raises Interrupted when
        the run is ended, OSError for a fault of this machine (a full disk); everything else is an
        answer.
        """
        conditions = {}
        if validators and "etag" in validators:
            conditions["If-None-Match"] = validators["etag"]
        if validators and "last-modified" in validators:
            conditions["If-Modified-Since"] = validators["last-modified"]
        return self._follow(address, conditions, self.max_bytes, wanted)

    def _follow(
        self,
        asked: str,
        conditions: Mapping[str, str],
        max_bytes: int,
        wanted: Wanted | None = None,
    ) -> Answer:
        """Follows redirects; every hop is judged before it is asked."""
        address = asked
        for _ in range(REDIRECTS + 1):
            refused = self._judged(address)
            if refused:
                return refused
            answer = self._try(address, conditions, max_bytes, wanted)
            if not isinstance(answer, str):
                found = answer if address == asked else _without_session(answer)
                return self._soft_errors(asked, found)
            address = answer
        return Refusal(Liveness.ERROR, f"more than {REDIRECTS} redirects", None, address)

    def admits(self, address: str) -> Refusal | None:
        """Returns why an address may not be asked; None where another program may ask it now.

        Held against the same rules as any request of ours, and after the same pause.
        """
        refused = self._judged(address)
        if refused is None:
            self.pacing.before_request(addresses.host(address), self.interval(address))
        return refused

    def interval(self, address: str) -> float:
        """Returns the seconds between two requests to an address's host."""
        return max(1 / self.rps, self._crawl_delay(address))

    def _judged(self, address: str) -> Refusal | None:
        reason = addresses.refusal(address, self.private_is_allowed)
        if reason:
            return Refusal(Liveness.BLOCKED, f"address: {reason}", None, address)
        rules = self.rules(address)
        if rules.unreachable:
            return Refusal(Liveness.ERROR, rules.note, None, address, answered=False)
        if not rules.allows(address):
            return Refusal(Liveness.BLOCKED, "robots", None, address)
        return None

    def _soft_errors(self, asked: str, answer: Answer) -> Answer:
        if not isinstance(answer, Fetched):
            return answer
        refused = liveness.of_redirect(asked, answer.final_url, answer.http_status)
        if refused:
            answer.body.discard()
            page = answer.body.start[: refusal_page.MOST_BYTES]
            refused = replace(refused, page=page, declared_type=answer.declared_type)
        return refused or answer

    def _try(
        self,
        address: str,
        conditions: Mapping[str, str],
        max_bytes: int,
        wanted: Wanted | None,
    ) -> Answer | str:
        """Asks up to TRIES times; returns the answer, or where it was redirected to.

        A body that broke is gone on with where the server can, and each try that brought something
        is followed by as many tries again.
        """
        self._number += 1
        path = self.folder / f"{os.getpid()}-{self._number}"
        download = Download(path, max_bytes, self.stop, wanted, self.also_hashed)
        answer: Answer | str | None = None
        try:
            answer = self._tries(address, conditions, download)
        finally:
            if not isinstance(answer, Fetched):
                download.discard()
        return answer

    def _tries(
        self, address: str, conditions: Mapping[str, str], download: Download
    ) -> Answer | str:
        retry: Retry | None = None
        left, brought = TRIES, 0
        while True:
            answer, asked_for = self._once(address, {**conditions, **download.range()}, download)
            left = TRIES - 1 if download.size > brought and download.range() else left - 1
            brought = max(brought, download.size)
            again = isinstance(answer, Refusal) and (
                answer.http_status in _AGAIN or not answer.answered
            )
            if not again or left <= 0 or asked_for > RETRY_AFTER_MOST:
                return answer
            fault = urllib3.exceptions.ProtocolError()
            retry = (retry or self._patience()).increment("GET", address, error=fault)
            self.wait(max(retry.get_backoff_time(), asked_for, self.backoff_seconds / 2))

    def _patience(self) -> Retry:
        return Retry(
            total=None,
            backoff_factor=self.backoff_seconds,
            backoff_jitter=self.backoff_seconds / 2,
            backoff_max=60,
        )

    def _once(
        self, address: str, headers: Mapping[str, str], download: Download
    ) -> tuple[Answer | str, float]:
        """Sends one request; returns the answer and the `Retry-After` in seconds (0 for none)."""
        if self.stop.is_set():
            raise Interrupted
        self.pacing.before_request(addresses.host(address), self.interval(address))
        return self._request(address, headers, download)

    def _request(
        self, address: str, headers: Mapping[str, str], download: Download
    ) -> tuple[Answer | str, float]:
        """From here on a request is under way: a signal ends it, or lets it end."""
        if self.stop.is_set():
            raise Interrupted
        self.requests_sent += 1
        try:
            with self._send(address, headers) as response:
                return self._answer(address, response, download), responses.retry_after(response)
        except (requests.RequestException, urllib3.exceptions.HTTPError, UnicodeError) as error:
            if self.stop.is_set():  # what a signal broke off shows nothing of an address
                raise Interrupted from error
            return _unanswered(address, error), 0.0

    def _send(self, address: str, headers: Mapping[str, str]) -> requests.Response:
        """Sends the request by the proxy, and trusting the authorities, of the environment.

        They are looked up once a host: requests would do it, and read ~/.netrc, at each request.
        An address is canonical and needs no second preparation; cookies and tokens do.
        """
        where = addresses.origin(address)
        if where not in self._proxies:
            self._proxies[where] = get_environ_proxies(address)
        prepared = requests.PreparedRequest()
        prepared.method, prepared.url, prepared.hooks = "GET", address, {"response": []}
        prepared.headers = CaseInsensitiveDict({**self._headers, **headers})
        if len(self.session.cookies):
            prepared.prepare_cookies(self.session.cookies)
        if self.session.auth is not None:
            prepared.prepare_auth(self.session.auth, address)
        response = self.session.get_adapter(address).send(
            prepared,
            stream=True,
            timeout=(CONNECT_SECONDS, STALL_SECONDS),
            proxies=self._proxies[where],
            verify=self._authorities,
        )
        if "set-cookie" in response.headers:
            extract_cookies_to_jar(  # type: ignore[no-untyped-call]
                self.session.cookies, prepared, response.raw
            )
        return response

    def _crawl_delay(self, address: str) -> float:
        rules = self._rules.get(addresses.origin(address))
        return rules.crawl_delay if rules else 0.0

    def _answer(
        self, address: str, response: requests.Response, download: Download
    ) -> Answer | str:
        status = response.status_code
        if status in _REDIRECTS and "location" in response.headers:
            return responses.target_of(address, response)
        if status == 304:
            return NotModified(address)
        if status == 416 and download.size:
            download.forget()
            return Refusal(Liveness.ERROR, "http 416", status, address, answered=False)
        if status not in _WITH_BODY and not (status == 206 and download.size):
            refusal = liveness.of_status(status, address, response.headers)
            return refusal_page.with_page(refusal, response)
        try:
            download.take(response)
        except TooLarge as error:
            return _too_large(address, status, error.size, download.max_bytes)
        except Unwanted as error:
            return Refusal(Liveness.LIVE, str(error), status, address)
        except Undecodable as error:
            return Refusal(Liveness.ERROR, str(error), status, address)
        if status == 206:
            return Fetched(address, 200, responses.lowered(download.headers), download.body())
        return Fetched(address, status, responses.headers_of(response), download.body())


def _without_session(answer: Answer) -> Answer:
    """An answer under the canonical form of where it was served."""
    served = addresses.canonical(answer.final_url) if answer.final_url else None
    return answer if served in (None, answer.final_url) else replace(answer, final_url=served)


def _unanswered(address: str, error: Exception) -> Refusal:
    reason = f"transport: {responses.fault(error)}"
    return Refusal(Liveness.ERROR, reason, None, address, answered=False)


def _too_large(address: str, status: int, size: int, limit: int) -> Refusal:
    reason = f"{TOO_LARGE}: {size} bytes or more, the limit is {limit}"
    return Refusal(Liveness.ERROR, reason, status, address, size, limit)
