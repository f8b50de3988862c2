"""Chromium, headless, told what to do through its own pipe: no port, no driver, no network.

The DevTools protocol: JSON messages that end in a zero byte, to the browser's file descriptor 3
and from its 4 (https://chromedevtools.github.io/devtools-protocol/).
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")

PATIENCE = 60.0
"""Seconds that an answer may take."""

OPTIONS = (
    "--headless",
    "--hide-scrollbars",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--no-first-run",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)

KEYS = {
    "Enter": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    "Space": {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "},
    "Tab": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
    "Escape": {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27},
}


@dataclass
class Page:
    """One tab: what it is told, and what it asked for and complained of meanwhile."""

    to_browser: int
    from_browser: int
    session: str | None = None
    requests: list[str] = field(default_factory=list)
    """Addresses that the page asked for since it was opened, its own first."""
    complaints: list[str] = field(default_factory=list)
    """What stood in its console as an error or a warning, and exceptions."""
    _sent: int = 0
    _left: bytes = b""
    _events: list[dict[str, Any]] = field(default_factory=list)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Returns the browser's answer; raises RuntimeError for one that is an error."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            told = self._next(deadline)
            if told.get("id") == self._sent:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                result: dict[str, Any] = told["result"]
                return result

    def open(self, path: Path) -> None:
        """Loads a file, and waits until all of it is there."""
        self.requests.clear()
        self.complaints.clear()
        self._events.clear()
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + PATIENCE
        while not any(each["method"] == "Page.loadEventFired" for each in self._events):
            self._next(deadline)

    def run(self, script: str) -> Any:
        """Returns the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def show(self, width: int, height: int, is_phone: bool = False, **media: str) -> None:
        """Sets the size of the window and what the person prefers, such as a dark scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if is_phone else 1,
            mobile=is_phone,
        )
        features = [{"name": name.replace("_", "-"), "value": media[name]} for name in media]
        self.call("Emulation.setEmulatedMedia", features=features)

    def press(self, key: str) -> None:
        """Presses a key down and lets it go."""
        self.call("Input.dispatchKeyEvent", type="keyDown", **KEYS[key])
        self.call("Input.dispatchKeyEvent", type="keyUp", **KEYS[key])

    def type(self, text: str) -> None:
        """Writes where the focus is."""
        self.call("Input.insertText", text=text)

    def picture(self, path: Path, is_whole: bool = False) -> None:
        """Keeps what is seen, or the whole page, as a PNG."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=is_whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def print(self, path: Path) -> None:
        """Keeps the page as a PDF, as it would be printed."""
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF")["data"]))

    def _next(self, deadline: float) -> dict[str, Any]:
        """The next message of the browser; what the page did is kept on the way."""
        while b"\0" not in self._left:
            if not select.select([self.from_browser], [], [], deadline - time.monotonic())[0]:
                raise TimeoutError("the browser does not answer")
            read = os.read(self.from_browser, 1 << 20)
            if not read:
                raise RuntimeError("the browser ended")
            self._left += read
        message, _, self._left = self._left.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        if "method" in told:
            self._notice(told)
        return told

    def _notice(self, told: dict[str, Any]) -> None:
        self._events.append(told)
        said = told["params"]
        match told["method"]:
            case "Network.requestWillBeSent":
                self.requests.append(said["request"]["url"])
            case "Log.entryAdded":
                self.complaints.append(said["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(said["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if said["type"] in ("error", "warning", "assert"):
                self.complaints.append(str(said["args"]))


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """Starts Chromium with a profile of its own, gives its page, and ends it."""
    told, to_browser = os.pipe()
    from_browser, says = os.pipe()
    # Above all numbers that the shell puts them at, so that neither is in the other's way.
    ends = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (told, says)]
    command = [str(CHROMIUM), *OPTIONS, f"--user-data-dir={profile}"]
    shell = ["bash", "-c", f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}', "bash", *command]
    with (profile.with_suffix(".log")).open("wb") as log:
        process = subprocess.Popen(
            shell, pass_fds=ends, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
    for each in (told, says, *ends):
        os.close(each)
    try:
        yield _attached(Page(to_browser, from_browser))
    finally:
        with suppress(BrokenPipeError):
            os.write(to_browser, b'{"id":0,"method":"Browser.close"}\0')
        os.close(to_browser)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(from_browser)


def _attached(page: Page) -> Page:
    target = page.call("Target.createTarget", url="about:blank")["targetId"]
    answer = page.call("Target.attachToTarget", targetId=target, flatten=True)
    page.session = answer["sessionId"]
    for domain in ("Page", "Runtime", "Network", "Log"):
        page.call(f"{domain}.enable")
    return page
