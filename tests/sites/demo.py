"""The demo: serves Port Alder on this machine, runs the workflow on it, and says what came out."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tests.sites.server import Site
from tests.sites.town.town import serve

DEFAULT_PORT = 8707
SOURCES = Path("config/demo/sources.yaml")


def main() -> int:
    """Runs the demo from the project's folder; returns the exit code of the workflow."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--cores", type=int, default=4)
    parser.add_argument("--results", type=Path, default=Path("results"))
    arguments = parser.parse_args()
    try:
        site = Site(arguments.port)
        site.start()
    except OSError as error:
        print(
            f"demo: port {arguments.port} cannot be had ({error.strerror}): make demo PORT=8708",
            file=sys.stderr,
        )
        return 1
    try:
        serve(site)
        return run(site, arguments.cores, arguments.results)
    finally:
        site.stop()


def run(site: Site, cores: int, results: Path) -> int:
    """Runs the workflow on the site; returns its exit code."""
    sources = sources_for(site, results)
    command = ["snakemake", "--cores", str(cores)]
    settings = ["--config", f"sources={sources}", f"results={results}"]
    print(f"demo: Port Alder answers at {site.address}/; running: {' '.join(command)}", flush=True)
    started = time.monotonic()
    program = str(Path(sys.executable).parent / "snakemake")
    code = subprocess.run([program, *command[1:], *settings], check=False).returncode
    if code:
        print(f"demo: the workflow ended with {code}", file=sys.stderr)
        return code
    print(f"\ndemo: done in {time.monotonic() - started:.0f} s. Open these in a browser:")
    print(f"  {results / 'report.html'}             the audit of all sources")
    print(f"  {results / 'town' / 'report.html'}        the audit of the town")
    print(f"  {results / 'town' / 'text'}/              what was read, as markdown")
    return 0


def sources_for(site: Site, results: Path) -> Path:
    """Returns the demo's sources file; a copy of it where the town is served at another port."""
    if site.port == DEFAULT_PORT:
        return SOURCES
    copy = results / f"demo-sources-{site.port}.yaml"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(SOURCES.read_text().replace(str(DEFAULT_PORT), str(site.port)))
    return copy


if __name__ == "__main__":
    sys.exit(main())
