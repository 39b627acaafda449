"""Mermaid's own parser takes what `draw` writes for it, names that try to break it included, and draws it."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Iterator

import pytest

from codepath.model.answers import Guard
from codepath.report.draw.mermaid import picture_mermaid
from tests.browser.webdriver import Browser
from tests.functional.running import Program
from tests.unit.report.test_pictures import NAMES, a_picture, a_step, view

pytestmark = pytest.mark.browser

PACKAGE = "mermaid@11.17.2"
SCRIPT = "package/dist/mermaid.min.js"
NO_NPM = f"no npm here to bring {PACKAGE}, so no Mermaid text was read by Mermaid"
DRAW = """
return mermaid.render('drawn', arguments[0]).then((r) => {
  document.body.innerHTML = r.svg;
  return [...document.querySelectorAll('.node')].map((n) => n.textContent);
}).catch((e) => 'error: ' + e)"""


@pytest.fixture(scope="module")
def mermaid(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("mermaid")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(NO_NPM)
    subprocess.run([npm, "pack", PACKAGE, "--silent"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("mermaid-*.tgz")
    with tarfile.open(archive) as packed:
        member = packed.extractfile(SCRIPT)
        assert member is not None
        (folder / "mermaid.js").write_bytes(member.read())
    page = folder / "page.html"
    page.write_text("<!doctype html><meta charset=utf-8><body><script src=mermaid.js></script>", encoding="utf-8")
    browser.open(page.as_uri())
    browser.run("mermaid.initialize({startOnLoad: false})")
    yield browser


def nodes(browser: Browser, text: str) -> list[str]:
    found = browser.run(DRAW, text)
    assert isinstance(found, list), found
    return [str(one) for one in found]


@pytest.mark.parametrize(
    "words",
    [
        ("init-order", "--root", "Scheduler.__init__"),
        ("init-order", "--root", "mini_server.launch"),
        ("paths", "set_expert_layout"),
        ("classes", "BaseWorker"),
        ("arch",),
    ],
    ids=lambda words: words[0],
)
def test_mermaid_draws_every_picture(mermaid: Browser, program: Program, words: tuple[str, ...]) -> None:
    text = program.text("draw", *words, "--format", "mermaid")
    document = program.document("draw", *words)
    expected = len(document["steps"]) + 2 if "steps" in document else len(document["boxes"]) + 1  # start, legend
    assert len(nodes(mermaid, text)) == expected


def test_names_that_look_like_mermaid_are_shown_as_they_are(mermaid: Browser) -> None:
    for name in NAMES:
        guard = Guard(name, True, "if", name, 3)
        picture = a_picture(a_step(1, name, guards=(guard,)), a_step(2, "b", parent=1), root=f"server.{name}")
        drawn = nodes(mermaid, "".join(picture_mermaid(picture, view())))
        assert len(drawn) == 4, (name, drawn)
        if name.isprintable():
            assert any(name in text for text in drawn), (name, drawn)
    assert mermaid.run("return document.querySelectorAll('script').length") == 0
