"""What the reports import is in the environment that Snakemake makes for them."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import yaml

from centinel.schemas import PROJECT

IMPORTS = """
import sys
from centinel import changes, crumbs, jobs
from centinel.report import overview, source
import altair, vl_convert, lxml.etree
print("\\n".join({name.partition(".")[0] for name in sys.modules}))
"""


def pinned(environment: Path) -> set[str]:
    """The distributions that an environment names, and those that they bring."""
    dependencies = yaml.safe_load(environment.read_text())["dependencies"]
    found: set[str] = set()
    left = [each.partition("==")[0] for each in dependencies[-1]["pip"]]
    while left:
        name = left.pop().lower().replace("_", "-")
        if name not in found:
            found.add(name)
            requires = importlib.metadata.requires(name) or ()
            plain = (each for each in requires if "extra ==" not in each)
            left += [
                match[0]
                for each in plain
                if (match := re.match(r"[\w.-]+", each)) and is_here(match[0])
            ]
    return found


def is_here(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def test_the_environment_of_the_reports_has_what_they_import() -> None:
    run = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(PROJECT / "scripts")},
    )
    of_module = importlib.metadata.packages_distributions()
    # What begins with an underscore is Python's, or that of a .pth file in this environment.
    imported = {
        name.lower().replace("_", "-")
        for module in run.stdout.split()
        if not module.startswith("_")
        for name in of_module.get(module, ())
    }
    ours = {"centinel"}
    assert imported - ours - pinned(PROJECT / "envs/report.yaml") == set()
