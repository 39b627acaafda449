"""Runs the test suites of published packages under a tracer and keeps which of their functions called which.

    python benchmarks/observe.py FOLDER [--packages NAME,...] [--python PYTHON]

Writes `FOLDER/NAME.edges.json` for the scorer of observed calls (`dynamic/score_dynamic.py --dir FOLDER`). The packages are of
different kinds. PYTHON, 3.12 or newer, makes the environment that the suites run in. They are other people's code: run this
where you would run their tests.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

TRACER = Path(__file__).resolve().parent
TOOLS = "pytest<9 pytest-asyncio setuptools wheel hatchling hatch-vcs hatch-fancy-pypi-readme flit-core pdm-backend"
_QUIET = ("-q", "-p", "no:cacheprovider", "-W", "ignore", "-o", "asyncio_default_fixture_loop_scope=function")
_LONGEST = 900  # seconds that one suite may take


@dataclass(frozen=True, slots=True)
class Suite:
    """A published package and its test suite.

    Attributes:
        package: its name, as pip has it.
        version: the release.
        module: what is imported.
        tests: the folder of its tests in its source distribution.
        needs: what the tests need besides.
    """

    package: str
    version: str
    module: str
    tests: str = "tests"
    needs: str = ""


SUITES = (
    Suite("attrs", "26.1.0", "attr", needs="hypothesis cloudpickle"),
    Suite("cachetools", "8.0.2", "cachetools"),
    Suite("flask", "3.1.3", "flask", needs="asgiref python-dotenv"),
    Suite("h11", "0.16.0", "h11", tests="h11/tests"),
    Suite(
        "httpx", "0.28.1", "httpx", needs="anyio trio uvicorn trustme chardet brotli zstandard h2 socksio rich click"
    ),
    Suite("itsdangerous", "2.2.0", "itsdangerous", needs="freezegun"),
    Suite("jinja2", "3.1.6", "jinja2", needs="trio"),
    Suite("mako", "1.4.3", "mako", tests="test"),
    Suite("sqlparse", "0.6.1", "sqlparse"),
    Suite("structlog", "26.1.0", "structlog", needs="twisted simplejson rich pretend freezegun"),
    Suite("tomlkit", "0.15.2", "tomlkit", needs="pyyaml"),
)


def run(*command: str | Path) -> None:
    """Run a command that has to succeed."""
    subprocess.run(command, check=True)


def environment(folder: Path, python: str) -> Path:
    """Return the interpreter of an environment with what tests are built and run with."""
    made = folder / "venv" / "bin" / "python"
    if not made.exists():
        run(python, "-m", "venv", folder / "venv")
        run(made, "-m", "pip", "install", "-q", *TOOLS.split())
    return made


def sources(folder: Path, python: Path, suite: Suite) -> Path:
    """Return the unpacked source distribution of a package."""
    found = folder / "sources" / f"{suite.package}-{suite.version}"
    if not found.exists():
        exact = f"{suite.package}=={suite.version}"
        options = ("-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "-d", folder / "sdists")
        run(python, "-m", "pip", "download", *options, exact)
        with tarfile.open(folder / "sdists" / f"{suite.package}-{suite.version}.tar.gz") as archive:
            archive.extractall(folder / "sources", filter="data")  # type: ignore[call-arg,unused-ignore]
    return found


def observe(folder: Path, python: Path, suite: Suite) -> None:
    """Run one suite and write what it called."""
    run(python, "-m", "pip", "install", "-q", f"{suite.package}=={suite.version}", *suite.needs.split())
    kept = folder / f"{suite.package}.edges.json"
    traced = {"TRACED_PACKAGE": suite.module, "TRACED_TO": str(kept), "PYTHONPATH": str(TRACER)}
    command = (python, "-m", "pytest", "-p", "call_tracer", *_QUIET, "--continue-on-collection-errors", suite.tests)
    place = sources(folder, python, suite)
    subprocess.run(command, cwd=place, env={**os.environ, **traced}, timeout=_LONGEST, check=False)
    found = json.loads(kept.read_text())
    found["meta"] = {"version": suite.version}
    kept.write_text(json.dumps(found, indent=0))
    print(f"{suite.package}: {len(found['edges'])} edges, {len(found['executed'])} functions", flush=True)


def main() -> None:
    """Observe the suites that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument("--packages", help="names, by commas")
    parser.add_argument("--python", default=sys.executable, help="an interpreter, 3.12 or newer")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    python = environment(options.folder, options.python)
    wanted = options.packages.split(",") if options.packages else [suite.package for suite in SUITES]
    for suite in SUITES:
        if suite.package in wanted:
            observe(options.folder, python, suite)


if __name__ == "__main__":
    main()
