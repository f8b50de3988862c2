"""A WARC export is replayed by pywb in a real browser, as it was served, with its site gone."""

import gzip
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.sites.server import Answer
from tests.workflow.place import Place, html
from tests.workflow.running import PROJECT, Workflow, wait_until

PYWB = PROJECT / "build" / "venv-pywb" / "bin"
BROWSER = shutil.which("chromium")
WARC = "results/town/export/town.warc.gz"
SCRIPT = b'document.body.insertAdjacentHTML("beforeend", "<p id=ran>the script ran</p>")'

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (PYWB / "wayback").exists(), reason="no pywb: make build/venv-pywb/.ready"
    ),
    pytest.mark.skipif(BROWSER is None, reason="no chromium: apt-get install chromium"),
]


def publish(place: Place) -> None:
    """A page that is sent compressed and runs a script, the same elsewhere, and a redirect."""
    page = html("Council", words="<script src='/council.js'></script>")
    packed = (("Content-Encoding", "gzip"),)
    packed_page = Answer(gzip.compress(page.body, mtime=0), page.content_type, headers=packed)
    place.add("/council", packed_page)
    place.add("/copy", packed_page)
    place.add("/council.js", Answer(SCRIPT, "text/javascript"))
    place.set("/parks/", html("Parks"))
    place.add("/old", Answer(status=301, headers=(("Location", "/parks/"),)))


@contextmanager
def replayed(folder: Path, warc: Path) -> Iterator[str]:
    """Serves a WARC by pywb; gives the address under which its pages stand."""
    folder.mkdir()
    (folder / "config.yaml").write_text("framed_replay: false\n")
    for arguments in (["init", "town"], ["add", "town", str(warc)]):
        command = [PYWB / "wb-manager", *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PYWB / "wayback", "-b", "127.0.0.1", "-p", str(port)]
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        try:
            wait_until(lambda: _listens(port), "pywb serves")
            yield f"http://127.0.0.1:{port}/town/2/"
        finally:
            process.terminate()
            process.wait(30)


def _listens(port: int) -> bool:
    with closing(socket.socket()) as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def seen(address: str, profile: Path) -> str:
    """The page as the browser has it after its scripts ran; it reaches nothing but loopback."""
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-proxy-server",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={profile}",
        "--virtual-time-budget=8000",
        "--dump-dom",
        address,
    ]
    return subprocess.run(command, check=True, capture_output=True, timeout=60).stdout.decode()


def test_a_site_that_is_gone_is_seen_again_in_a_browser(tmp_path: Path) -> None:
    with Place() as place:
        publish(place)
        workflow = Workflow.make(tmp_path / "run", {"town": place.block()})
        workflow.run(WARC).succeeded()
        site = place.address
    with replayed(tmp_path / "pywb", workflow.folder / WARC) as archive:
        profile = tmp_path / "profile"
        for path in ("/council", "/copy"):
            page = seen(f"{archive}{site}{path}", profile)
            assert "What Council says stands here." in page
            assert '<p id="ran">the script ran</p>' in page, "scripts are replayed as well"
        for path in ("/old", "/parks/"):
            assert "What Parks says stands here." in seen(f"{archive}{site}{path}", profile)
        assert "What" not in seen(f"{archive}{site}/never", profile)
