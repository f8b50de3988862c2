"""A PostgreSQL server of the tests' own: in a folder of its own, on a free port, as nobody."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

LONGEST_START = 60.0
PASSWORD = "the-secret-of-the-tests"
MISSING = "no PostgreSQL here: apt-get install postgresql"


def program(name: str) -> str | None:
    """Where a program of the server is; Debian keeps them out of PATH."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, folders)])
    return shutil.which(name, path=path)


def user() -> str | None:
    """Who runs the server: it refuses to run as root; None for whoever runs the tests."""
    if os.getuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    return next(each for each in ("postgres", "nobody") if each in known)


@contextmanager
def running() -> Iterator[str]:
    """Gives the URL of a server that ends with the block; LookupError where there is none."""
    initdb, postgres = program("initdb"), program("postgres")
    if initdb is None or postgres is None:
        raise LookupError(MISSING)
    folder = Path(tempfile.mkdtemp(prefix="centinel-postgres-"))
    who = user()
    try:
        secret = folder / "secret"
        secret.write_text(PASSWORD)
        if who is not None:
            account = pwd.getpwnam(who)
            for path in (folder, secret):
                os.chown(path, account.pw_uid, account.pw_gid)
        made = [initdb, "-D", str(folder / "data"), "-U", "tester", "-A", "scram-sha-256"]
        made += [f"--pwfile={secret}", "--no-sync", "-E", "UTF8", "--locale=C"]
        subprocess.run(made, user=who, check=True, capture_output=True, cwd=folder)
        yield from _served(postgres, folder, who)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _served(postgres: str, folder: Path, who: str | None) -> Iterator[str]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [postgres, "-D", str(folder / "data"), "-p", str(port), "-h", "127.0.0.1"]
    command += ["-k", str(folder), "-c", "fsync=off"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, user=who, stdout=log, stderr=log, cwd=folder)
    try:
        _wait(server, port)
        yield f"postgresql://tester:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(signal.SIGINT)  # ends also with connections open
        server.wait(LONGEST_START)


def _wait(server: "subprocess.Popen[bytes]", port: int) -> None:
    """Waits until the server takes connections, or fails where it ended."""
    import pg8000.dbapi

    until = time.monotonic() + LONGEST_START
    while True:
        assert server.poll() is None, "PostgreSQL ended while it started"
        assert time.monotonic() < until, "PostgreSQL did not start in time"
        try:
            pg8000.dbapi.connect("tester", "127.0.0.1", "postgres", port, PASSWORD).close()
        except (pg8000.dbapi.InterfaceError, pg8000.dbapi.DatabaseError):
            time.sleep(0.05)
        else:
            return
