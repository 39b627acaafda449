"""The pages that `draw` writes, in a real browser: clicks, keys, filters, what a screen reader is told, and no request."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.browser.webdriver import Browser
from tests.functional.running import Program, write

pytestmark = pytest.mark.browser

PAGES = ("order", "lanes", "paths", "classes", "arch")
SHOWN = "return [...document.querySelectorAll('.step:not(.gone)')].map((g) => g.id)"
FOCUS = "return document.activeElement.id"
BOXES = """
return [...document.querySelectorAll(arguments[0])].filter((e) => !e.closest('.gone')).map((e) => {
  const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom, e.textContent]; })"""
CONTRAST = """
const value = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
  .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
const light = (text) => { const [r, g, b] = value(text); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
return [...document.querySelectorAll('.step:not(.gone) text')].map((t) => ratio(getComputedStyle(t).fill,
  getComputedStyle(t.parentNode.querySelector('.card')).fill));"""


def load(browser: Browser, page: Path) -> None:
    browser.open(page.as_uri())


def shown(browser: Browser) -> list[str]:
    found: list[str] = browser.run(SHOWN)
    return found


def step(browser: Browser, title: str) -> str:
    """Return the id of the first step of a title."""
    number = browser.run(
        "const d = JSON.parse(document.getElementById('data').textContent);"
        "return d.steps.find((s) => s.title.replace(/^\\d+ /, '') === arguments[0]).number",
        title,
    )
    return f"s{number}"


def overlapping(boxes: list[list[Any]]) -> list[tuple[str, str]]:
    """Return the texts of boxes that share more than half a pixel."""
    return [
        (one[4], other[4])
        for one, other in combinations(boxes, 2)
        if min(one[2], other[2]) - max(one[0], other[0]) > 0.5 and min(one[3], other[3]) - max(one[1], other[1]) > 0.5
    ]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_a_request_or_an_error(browser: Browser, pages: Path, name: str) -> None:
    load(browser, pages / f"{name}.html")
    assert browser.requests() == [(pages / f"{name}.html").as_uri()]
    assert browser.console() == []
    assert shown(browser)
    assert (pages / f"{name}.html").stat().st_size < 2_000_000


@pytest.mark.parametrize("name", PAGES)
def test_nothing_overlaps_and_texts_can_be_read(browser: Browser, pages: Path, name: str) -> None:
    load(browser, pages / f"{name}.html")
    assert overlapping(browser.run(BOXES, "svg .card")) == []
    assert overlapping(browser.run(BOXES, "svg text")) == []
    sizes = browser.run(
        "return [...document.querySelectorAll('svg text')].map((t) => parseFloat(getComputedStyle(t).fontSize))"
    )
    assert min(sizes) >= 11
    left, top, right, bottom, _ = browser.run(BOXES, "#picture")[0]
    for box in browser.run(BOXES, "svg text, svg .card, svg .frame"):
        assert left <= box[0]
        assert top <= box[1]
        assert box[2] <= right
        assert box[3] <= bottom
    inside = browser.run(
        "return [...document.querySelectorAll('.step')].every((g) => [...g.querySelectorAll('text')].every((t) =>"
        " t.getBoundingClientRect().right <= g.querySelector('.card').getBoundingClientRect().right))"
    )
    assert inside


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_in_light_and_dark(browser: Browser, pages: Path, scheme: str) -> None:
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    try:
        for name in PAGES:
            load(browser, pages / f"{name}.html")
            assert min(browser.run(CONTRAST)) >= 4.5, name
            back = browser.run("return getComputedStyle(document.body).backgroundColor")
            assert (back == "rgb(255, 255, 255)") is (scheme == "light")
    finally:
        browser.cdp("Emulation.setEmulatedMedia", features=[])


def test_a_click_tells_all_of_a_step_and_where_its_source_is(browser: Browser, pages: Path) -> None:
    load(browser, pages / "order.html")
    layout = step(browser, "set_expert_layout")
    browser.click(f"#{layout} text")
    panel = browser.text("#panel")
    assert f"{layout[1:]} set_expert_layout" in panel
    assert "not self.is_draft_worker" in panel
    assert browser.run(FOCUS) == layout
    link = browser.run("return document.getElementById('source').href")
    assert link.endswith("/src/mini_server/execution/model_runner.py#L51")
    assert browser.console() == []


def test_the_source_line_opens(browser: Browser, pages: Path) -> None:
    source = write(pages.parent / "src", {"mini_server/execution/model_runner.py": "line\n" * 60})
    assert source.is_dir()
    load(browser, pages / "order.html")
    browser.run("document.getElementById(arguments[0]).focus()", step(browser, "set_expert_layout"))
    browser.run(
        "document.getElementById('source').setAttribute('href', arguments[0])",
        (source / "mini_server/execution/model_runner.py").as_uri() + "#L51",
    )
    browser.click("#source")
    assert browser.run("return location.href").endswith("model_runner.py#L51")


def test_hide_this_takes_a_step_and_what_is_inside_away(browser: Browser, pages: Path) -> None:
    load(browser, pages / "order.html")
    before = shown(browser)
    graphs = step(browser, "ModelRunner.init_device_graphs")
    browser.click(f"#{graphs} text")
    browser.click("#hide")
    gone = [one for one in before if one not in shown(browser)]
    assert gone[0] == graphs
    assert len(gone) > 1
    assert browser.run(FOCUS) == "all"
    assert browser.text("#count") == f"{len(before) - len(gone)} of {len(before)} are shown."
    assert overlapping(browser.run(BOXES, "svg .card")) == []
    browser.click("#all")
    assert shown(browser) == before


def test_keys_alone_walk_and_hide(browser: Browser, pages: Path) -> None:
    load(browser, pages / "order.html")
    browser.keys("/")
    assert browser.run(FOCUS) == "search"
    recorder = int(step(browser, "set_recorder")[1:])
    browser.keys(*"set_recorder", "Enter")
    assert browser.run(FOCUS) == f"s{recorder}"
    browser.keys("Down")
    assert browser.run(FOCUS) == f"s{recorder + 1}"
    browser.keys("Up", "Up")
    assert browser.run(FOCUS) == f"s{recorder - 1}"
    browser.keys("h")
    assert f"s{recorder - 1}" not in shown(browser)
    assert browser.run(FOCUS) == f"s{recorder}"
    browser.keys("End")
    assert browser.run(FOCUS) == shown(browser)[-1]
    browser.keys("Enter")
    assert browser.run(FOCUS) == "source"
    assert browser.console() == []


def test_the_tabulator_reaches_every_control_and_step(browser: Browser, pages: Path) -> None:
    load(browser, pages / "classes.html")
    met = []
    for _ in range(12):
        browser.keys("Tab")
        met.append(browser.run(FOCUS))
    assert met[:8] == ["search", "kind", "all", "s1", "s2", "s3", "s4", "s5"]


def test_search_marks_what_it_finds(browser: Browser, pages: Path) -> None:
    load(browser, pages / "order.html")
    browser.type("#search", "graphrunner.capture")
    found = browser.run("return [...document.querySelectorAll('.found')].map((g) => g.textContent)")
    assert found
    assert all("GraphRunner.capture" in text for text in found)
    assert browser.text("#count") == f"{len(found)} found."


def test_steps_can_be_chosen_by_condition_and_kind(browser: Browser, pages: Path) -> None:
    load(browser, pages / "order.html")
    whole = shown(browser)
    browser.type("#guard", "is_draft_worker")
    some = shown(browser)
    assert 0 < len(some) < len(whole)
    assert step(browser, "set_expert_layout") in some
    browser.click("#all")
    browser.click("#kind option[value=events]")
    kinds = browser.run(
        "return [...document.querySelectorAll('.step:not(.gone)')].map((g) => g.classList.contains('event'))"
    )
    assert any(kinds)
    assert len(kinds) < len(whole)


def test_steps_can_be_chosen_by_process(browser: Browser, pages: Path) -> None:
    load(browser, pages / "lanes.html")
    whole = shown(browser)
    browser.click("#lane option[value='1']")
    assert 0 < len(shown(browser)) < len(whole)


def test_boxes_can_be_hidden_and_chosen(browser: Browser, pages: Path) -> None:
    load(browser, pages / "paths.html")
    arrows = "return document.querySelectorAll('.arrow:not(.gone)').length"
    before, whole = browser.run(arrows), shown(browser)
    browser.click("#s2 text")
    browser.click("#hide")
    assert "s2" not in shown(browser)
    assert browser.run(arrows) < before
    browser.click("#all")
    browser.click("#kind option[value='=entry']")
    assert 0 < len(shown(browser)) < len(whole)
    assert browser.console() == []


@pytest.mark.parametrize("name", PAGES)
def test_a_screen_reader_is_told_the_picture_as_a_list(browser: Browser, pages: Path, name: str) -> None:
    load(browser, pages / f"{name}.html")
    assert browser.role("#picture") == "list"
    assert browser.name("#picture")
    assert browser.role("#s1") == "listitem"
    said = browser.run("return document.getElementById('s1').getAttribute('aria-label')")
    assert browser.name("#s1").split() == said.split()
    assert browser.role("#count") == "status"
    assert browser.name("#search") == "Search"
    assert browser.name("#kind") == "Show"


HOSTILE = {
    "app/__init__.py": "",
    "app/main.py": """
import torch

NAME = None


def set_name(value):
    global NAME
    NAME = value


def start(mode):
    if mode == '"></text></svg><img src=x onerror=alert(1)><script>document.title = 1</script>':
        set_name("</script><script>document.title = 2</script>")
    if mode == "javascript:alert(1)//\\u2028`${document.title = 3}`":
        set_name("y")
    with torch.cuda.graph(None):
        pass
""",
}


def test_nothing_of_a_hostile_tree_runs(browser: Browser, tmp_path: Path) -> None:
    folder = write(tmp_path / "<script>alert(1)<", dict(HOSTILE))
    program = Program(folder, tmp_path / "cache")
    for words in (("init-order", "--root", "start"), ("paths", "set_name", "--from", "start")):
        page = tmp_path / "page.html"
        program.run("draw", *words, "-o", str(page))
        load(browser, page)
        assert browser.console() == []
        assert browser.requests() == [page.as_uri()]
        for _ in range(2):
            browser.keys("Tab")
        browser.run("document.getElementById('s1').focus()")
        assert browser.run("return document.querySelectorAll('img, script:not([type])').length") == 1
        assert "document.title" in browser.run("return document.body.textContent")
        assert browser.run("return document.title") not in ("1", "2", "3")
        assert browser.console() == []


def test_the_policy_of_a_page_stops_scripts_and_requests(browser: Browser, pages: Path) -> None:
    load(browser, pages / "order.html")
    browser.run(
        "const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s);"
        "const i = document.createElement('img'); i.src = 'http://127.0.0.1:9/x'; document.body.append(i);"
    )
    assert browser.run("return document.title") != "1"
    assert any("Content Security Policy" in line for line in browser.console())
