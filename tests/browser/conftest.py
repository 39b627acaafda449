"""A browser for the tests of pages: where there is none, that is said, and fails where it was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.webdriver import Browser, programs, started
from tests.functional.running import EXAMPLE, Program

NO_BROWSER = "no Chromium and ChromeDriver here, so no page was tried: `make test-browser` installs and demands them"


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = programs()
    if found is None:
        if os.environ.get("CODEPATH_BROWSER") == "required":
            pytest.fail(NO_BROWSER)
        pytest.skip(NO_BROWSER)
    with started(*found, tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """codepath in the folder of the example server."""
    return Program(EXAMPLE, tmp_path_factory.mktemp("browser-cache"))


@pytest.fixture(scope="session")
def pages(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page of each kind: order.html, paths.html, classes.html, arch.html, lanes.html."""
    folder = tmp_path_factory.mktemp("pages")
    for name, words in (
        ("order", ("init-order", "--root", "Scheduler.__init__")),
        ("lanes", ("init-order", "--root", "mini_server.launch")),
        ("paths", ("paths", "set_expert_layout")),
        ("classes", ("classes", "BaseWorker")),
        ("arch", ("arch",)),
    ):
        program.run("draw", *words, "--link", "../src/{file}#L{line}", "-o", str(folder / f"{name}.html"))
    return folder
