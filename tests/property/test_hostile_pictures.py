"""Whatever stands in names and conditions of a tree, it is text in every form of a picture and nothing else."""

from __future__ import annotations

import json
import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codepath.model.answers import Guard, Place
from codepath.model.sheets import Arrow, Box, Sheet
from codepath.report.draw.document import picture_json
from codepath.report.draw.dot import picture_dot
from codepath.report.draw.mermaid import picture_mermaid
from codepath.report.draw.page import picture_page
from codepath.report.draw.sheet_document import sheet_json, sheet_text
from codepath.report.draw.sheet_graph import sheet_dot, sheet_mermaid
from codepath.report.draw.sheet_page import sheet_page
from codepath.report.draw.text import picture_text
from codepath.report.view import View
from tests.unit.report.test_pictures import Elements, a_picture, a_step, bare, view

_SIGNS = "\"'\\<>&;{}[]()|`#%$!*?~^=+-/.,:@_ \n\r\t\x00\x1b\x07\u202e\u2028\u2066\ud800ab0é漢"
_PIECES = st.sampled_from(
    [
        "</script>",
        "<!--",
        "]]>",
        "-->",
        "&quot;",
        "#quot;",
        "\\l",
        "\\N",
        "<br/>",
        "end",
        "s0",
        "%%{",
        ":::",
        "javascript:",
    ]
)
names = st.lists(st.text(st.sampled_from(_SIGNS), max_size=8) | _PIECES, max_size=6).map("".join)
_DOT = re.compile(r"[\w\s={}\[\],;>-]*")
_LABEL = re.compile(r"(<br/>|#\d+;|[\w .,:+=\u00a1-\U0010ffff-])*")
sometimes = settings(
    max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def a_sheet(name: str) -> Sheet:
    place = Place(f"{name}.py", 3, 0, name)
    boxes = (
        Box(name, "class", name, (name, name), place, ((name, (name,)),), "changed"),
        Box(f"{name}2", "target", name, (), None),
    )
    arrow = Arrow(0, 1, name, "blocked", (name,), place, "added")
    return Sheet(name, name, place, name, boxes, (arrow,), 3, name)


def linked(name: str) -> View:
    """Return a view in which the files of the tree have URLs."""
    return View(view().source, template=f"https://x.example/{{file}}#{name}" if name.isalnum() else "")


def forms_of(name: str) -> tuple[dict[str, str], dict[str, str]]:
    guard = Guard(name, True, "if", f"{name}.py", 3)
    steps = (a_step(1, name, guards=(guard,), sets=(name,), change="changed", was=name), a_step(2, "b", parent=1))
    picture, sheet, seen = a_picture(*steps, root=f"server.{name}"), a_sheet(name), linked(name)
    writers = {
        "dot": picture_dot,
        "mermaid": picture_mermaid,
        "html": picture_page,
        "text": picture_text,
        "json": picture_json,
    }
    others = {"dot": sheet_dot, "mermaid": sheet_mermaid, "html": sheet_page, "text": sheet_text, "json": sheet_json}
    return (
        {form: "".join(write(picture, seen)) for form, write in writers.items()},
        {form: "".join(write(sheet, seen)) for form, write in others.items()},
    )


PLAIN = forms_of("plain")


def tags(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the elements of a page with the names of their attributes; conditions more or fewer do not count."""
    return [(tag, tuple(attributes)) for tag, attributes, _ in Elements(page).found if tag not in ("text", "p")]


@sometimes
@example("</script><script>alert(1)</script>")
@example('"];n1 [URL="javascript:alert(1)"')
@example('"]; click s0 callback')
@given(names)
def test_a_name_is_text_in_every_form(name: str) -> None:
    for forms, plain in zip(forms_of(name), PLAIN, strict=True):
        assert _DOT.fullmatch(bare(forms["dot"]))
        assert bare(forms["dot"]).count("{") == bare(forms["dot"]).count("}")
        for line in forms["mermaid"].splitlines():
            labels = re.findall(r'"([^"]*)"', line)
            assert len(labels) <= 1
            assert line.count('"') in (0, 2)
            assert _LABEL.fullmatch("".join(labels)), line
        assert tags(forms["html"]) == tags(plain["html"])
        assert forms["html"].count("<script") == 2
        assert not re.search(
            r"\bon\w+=|href=|src=", re.sub(r'"[^"]*"', "", forms["html"].split("<main>")[1].split("<script")[0])
        )
        for form, written in forms.items():
            assert written.replace("\n", "").isprintable(), form
        json.loads(forms["json"])
        (data,) = (text for _, text in Elements(forms["html"]).named("script") if text.startswith("{"))
        assert json.loads(data)["steps"]
