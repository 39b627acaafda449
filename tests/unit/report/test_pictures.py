"""Pictures whose names try to break them, and how steps follow each other."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from codepath.errors import QueryError
from codepath.model.answers import Contradiction, Guard, Place, Step, Symbol
from codepath.model.pictures import Hop, Lane, Picture, PictureStep
from codepath.report.draw.dot import picture_dot
from codepath.report.draw.flow import Flow
from codepath.report.draw.layout import layout
from codepath.report.draw.mermaid import picture_mermaid
from codepath.report.draw.page import picture_page
from codepath.report.draw.text import picture_text
from codepath.report.draw.words import kind_of, label
from codepath.report.view import View
from tests.unit.report import report_samples as samples

NAMES = [
    'x"y',
    "n:1",
    "node",
    "",
    "a\nb",
    "<script>alert(1)</script>",
    "</svg>",
    "end",
    "s0 --> s1",
    '"]:::x',
    "\\N\\",
    "\x1b[31m",
    "\u202e",
    "<b>",
    "%%{init}%%",
]


def a_step(number: int, title: str = "set_layout", parent: int = 0, **more: object) -> PictureStep:
    call = Step("server.run", f"server.{title}", samples.RUNNER, 10 + number, 4, "call", "exact", None, ())
    made = PictureStep(
        number=number,
        parent=parent,
        hops=(Hop(call, "now", call.callee),),
        title=title,
        guards=(),
        lane=0,
        how="now",
        events=(),
        inside=(),
        skips=(),
        sets=(),
        shown=False,
        blocked=None,
        denied="",
        choices=1,
        excludes=(),
        repeats=0,
        hidden=0,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def a_picture(*steps: PictureStep, root: str = "server.run") -> Picture:
    symbol = Symbol(root, "function", Place(samples.RUNNER, 10, 0, root))
    return Picture(symbol, "", steps, (Lane(root, "start", 0),), len(steps), 0)


def view() -> View:
    return View(samples.SOURCE)


def bare(dot: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"', "", dot)


@pytest.mark.parametrize("name", NAMES)
def test_no_name_breaks_dot(name: str) -> None:
    guard = Guard(name, True, "if", name, 3)
    picture = a_picture(a_step(1, name, guards=(guard,), sets=(name,)), a_step(2, "b", parent=1), root=f"server.{name}")
    written = "".join(picture_dot(picture, view()))
    rest = bare(written)
    assert re.fullmatch(r"[\w\s={}\[\],;>-]*", rest)
    assert set(re.findall(r"^(\w+) \[", rest, re.M)) == {
        "node",
        "edge",
        "s0",
        "s1",
        "s2",
        "legend_maybe",
        "legend_step",
    }
    assert "\x1b" not in written


@pytest.mark.parametrize("name", NAMES)
def test_no_name_breaks_mermaid(name: str) -> None:
    guard = Guard(name, True, "if", name, 3)
    picture = a_picture(a_step(1, name, guards=(guard,), sets=(name,)), a_step(2, "b", parent=1), root=f"server.{name}")
    for line in "".join(picture_mermaid(picture, view())).splitlines():
        labels = re.findall(r'"([^"]*)"', line)
        assert len(labels) <= 1
        assert re.fullmatch(r"(<br/>|#\d+;|[\w .,:+=●○\-])*", "".join(labels)), line


def test_mermaid_does_not_write_what_it_cannot_draw() -> None:
    steps = [a_step(number, "x" * 100) for number in range(1, 600)]
    with pytest.raises(QueryError, match="larger than Mermaid draws"):
        list(picture_mermaid(a_picture(*steps), view()))


def test_text_shows_no_control_characters() -> None:
    written = "".join(picture_text(a_picture(a_step(1, "\x1b[31m\u202e")), view()))
    assert written.replace("\n", "").isprintable()


def test_run_order_passes_by_what_is_skipped_and_splits_where_one_of_several_runs() -> None:
    because = Contradiction(samples.NOT_DRAFT, Place(samples.WORKER, 5, 0, "server.worker"))
    steps = (a_step(1), a_step(2, blocked=because), a_step(3), a_step(4, excludes=(3,)), a_step(5, parent=4), a_step(6))
    flow = Flow(a_picture(*steps))
    arrows = {(a.tail, a.head, a.form) for a in flow.arrows}
    assert arrows == {
        (0, 1, "then"),
        (1, 2, "skipped"),
        (1, 3, "or"),
        (1, 4, "or"),
        (4, 5, "then"),
        (3, 6, "then"),
        (5, 6, "then"),
    }


def test_what_a_process_runs_is_not_waited_for() -> None:
    steps = (a_step(1, how="aside"), a_step(2, parent=1), a_step(3))
    arrows = {(a.tail, a.head, a.form) for a in Flow(a_picture(*steps)).arrows}
    assert arrows == {(0, 1, "starts"), (1, 2, "then"), (0, 3, "then")}


def test_a_check_that_raises_is_no_condition() -> None:
    checked = Guard("x is None", False, "early-raise", samples.RUNNER, 3)
    asked = Guard("x", True, "if", samples.RUNNER, 4)
    assert kind_of(a_step(1, guards=(checked,))) == "step"
    assert kind_of(a_step(1, guards=(checked, asked))) == "maybe"
    assert kind_of(a_step(1, guards=(replace(asked, value="true"),))) == "step"


def test_a_skipped_step_says_why() -> None:
    because = Contradiction(samples.NOT_DRAFT, Place(samples.WORKER, 5, 0, "server.worker"))
    said = label(a_step(1, blocked=because, sets=("server.NAME",)), a_picture())
    assert said.remarks == ("skipped by worker.py:5: needs `not self.is_draft`",)
    assert said.conditions == ()


class Elements(HTMLParser):
    """The elements of a page, by name, with their attributes and the text right inside."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), []))
        self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1][2].append(data)

    def named(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, "".join(text)) for name, attributes, text in self.found if name == tag]


PLAIN = "".join(picture_page(a_picture(a_step(1, "a"), a_step(2, "b", parent=1)), view()))


@pytest.mark.parametrize("name", NAMES)
def test_no_name_breaks_the_page(name: str) -> None:
    guard = Guard(name, True, "if", name, 3)
    steps = (a_step(1, name, guards=(guard,), sets=(name,)), a_step(2, "b", parent=1))
    page = "".join(picture_page(a_picture(*steps, root=f"server.{name}"), view()))
    found = Elements(page)
    expected = Elements(PLAIN)
    texts = ("text", "p")  # a condition more than the plain page has
    assert [e[0] for e in found.found if e[0] not in texts] == [e[0] for e in expected.found if e[0] not in texts]
    assert page.count("<script") == 2
    assert page.replace("\n", "").isprintable()
    (data,) = (text for attributes, text in found.named("script") if attributes.get("type") == "application/json")
    assert len(json.loads(data)["steps"]) == 2


def test_the_page_asks_for_nothing_and_runs_its_own_script_alone() -> None:
    found = Elements(PLAIN)
    policy = next(str(a["content"]) for a, _ in found.named("meta") if "http-equiv" in a)
    (style,), scripts = found.named("style"), [t for a, t in found.named("script") if not a]
    for text in (style[1], *scripts):
        assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"unsafe|\*", policy)
    attributes = {key for _, attributes, _ in found.found for key in attributes}
    assert not attributes & {"style", "src", "href", "action", "onclick"}
    assert set(re.findall(r"https?://[^\s\"'<]+", PLAIN)) == {"http://www.w3.org/2000/svg"}


def test_no_two_cards_overlap() -> None:
    steps = [a_step(n, "x" * (n % 7), parent=n // 2, hidden=n % 3, sets=("a.b",) * (n % 2)) for n in range(1, 40)]
    cards = layout(a_picture(*steps)).cards
    for above, below in pairwise(cards):
        assert above.y + above.height < below.y
    assert all(c.width >= 7.3 * max(len(line) for line in c.lines) for c in cards)
