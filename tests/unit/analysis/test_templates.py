"""What calls print, holes and all, and the lines of a log that can be that."""

from __future__ import annotations

import pytest

from codepath.analysis.traces.templates import Template, said, templates_of
from codepath.extract import extract
from codepath.model import ir


def printed(code: str, *, is_print: bool = False) -> list[Template]:
    """Return the templates of the last call of some statements in a function."""
    text = "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in code.splitlines())
    facts = extract(text.encode(), "a.py")
    assert isinstance(facts, ir.ModuleFacts)
    scope = ir.decode_scope(facts.scopes[1])
    calls = [e for e in scope.exprs if isinstance(e, ir.Call)]
    return list(templates_of(scope, calls[-1], is_print))


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ('log.info("ready to serve")', ("ready to serve",)),
        ('log.info(f"load {a} of {b:.2f} GB")', ("load ", None, " of ", None, " GB")),
        ('log.info("load %s of %d", a, b)', ("load ", None, " of ", None)),
        ('log.info("load %s of %5.1f%%" % (a, b))', ("load ", None, " of ", None, "%")),
        ('log.info("load {} of {n:>4}".format(a, n=b))', ("load ", None, " of ", None)),
        ('log.info("load " + a + " now")', ("load ", None, " now")),
        ('log_once(log, f"using {a}")', ("using ", None)),
        ('log.log(20, "using %s", a)', ("using ", None)),
        ('log.info(f"load {a} " "of all")', ("load ", None, " of all")),
        ('m = f"load {a}, "\nm += f"of {b}"\nlog.info(m)', ("load ", None, ", of ", None)),
        ('m = f"load {a}, "\nif b:\n    m += f"of {b}"\nlog.info(m)', ("load ", None, ", ", None)),
    ],
)
def test_templates(code: str, wanted: Template) -> None:
    assert printed(code)[0] == wanted


def test_each_line_of_a_text_is_one() -> None:
    assert printed('log.info(f"first {a}\\nsecond")') == [("first ", None), ("second",)]


def test_print_joins_its_arguments() -> None:
    assert printed('print("load", a, "now")', is_print=True) == [("load ", None, " now")]


def test_a_text_from_elsewhere_is_nothing() -> None:
    assert printed("log.info(a)") == []
    assert printed("log.info()") == []


LOAD: Template = ("Load ends. type=", None, ", memory=", None, " GB.")


@pytest.mark.parametrize(
    "text",
    [
        "Load ends. type=Wrapped, memory=20.11 GB.",
        "Load ends. type=Wrapped, mem",
        "ends. type=Wrapped",
        "memory=20.11 GB",
        "type=A, B, memory=1 GB, memory=2 GB.",
        "Load ends.",
    ],
)
def test_parts_of_a_line_fit(text: str) -> None:
    assert said(LOAD, text) > 0


@pytest.mark.parametrize(
    "text",
    ["Load begins. type=Wrapped", "20.11 GB", "Wrapped", "Load ends! type=Wrapped", "=", "zz GB."],
)
def test_other_lines_do_not(text: str) -> None:
    assert said(LOAD, text) == 0


def test_what_says_more_counts_more() -> None:
    line = "Load ends. type=Wrapped, memory=20.11 GB."
    assert said(LOAD, line) > said(("Load ", None), line)


def test_many_holes_take_no_time() -> None:
    template: Template = tuple(part for _ in range(29) for part in ("a", None))
    assert said(template, "a" * 400 + "b") >= 0
