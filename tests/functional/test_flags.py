"""`codepath flags` and `codepath hooks --dead`, on small trees."""

from __future__ import annotations

from pathlib import Path

import pytest

import codepath
from tests.functional.running import Program, write

_FIELDS = '''\
import os


class Field:
    def __init__(self, default):
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def get(self):
        return os.getenv(self.name, self.default)

    def __bool__(self):
        """A declaration has no truth of its own."""
        raise RuntimeError(self.name)


class Whole(Field):
    pass


class Settings:
    USE_CACHE = Field(False)
    NOT_READ = Whole(3)


settings = Settings()


def example():
    return 1 if settings.USE_CACHE else 2
'''
_TABLE = """\
import os

variables = {
    "KEEP": lambda: bool(os.getenv("KEEP", 0)),
    "TRACE": lambda: bool(int(os.getenv("TRACE", "0"))),
    "WAIT": lambda: int(os.getenv("WAIT", "10")),
}


def __getattr__(name):
    return variables[name]()
"""
_USE = """\
import os

from app import table
from app.fields import settings


def on(name, default="0"):
    return os.environ.get(name, default) == "1"


class Layer:
    def __init__(self):
        self.weight_loader = self.bias_loader = self.loader = None

    def run(self, param, config):
        if settings.USE_CACHE and on("VERBOSE", "1"):
            os.environ["VERBOSE"] = "0"
        if hasattr(param, "weight_laoder") or getattr(config, "hidden_factor", None):
            return settings.USE_CACHE.get(), settings.EVERY.get(), table.KEEP, table.TRACE
        return getattr(self, "never", 1), table.MISSING
"""


@pytest.fixture
def small(tmp_path: Path) -> Program:
    files = {"app/__init__.py": "", "app/fields.py": _FIELDS, "app/table.py": _TABLE, "app/use.py": _USE}
    write(tmp_path / "tree", files)
    return Program(tmp_path / "tree", tmp_path / "cache")


def _faults(document: dict[str, list[dict[str, object]]]) -> list[tuple[object, object, object]]:
    return [(fault["attribute"], fault["form"], fault["precision"]) for fault in document["faults"]]


def test_what_is_wrong(small: Program) -> None:
    assert _faults(small.document("flags")) == [
        ("EVERY", "undeclared", "high"),
        ("MISSING", "undeclared", "high"),
        ("USE_CACHE", "descriptor", "high"),
        ("KEEP", "parse", "high"),
        ("NOT_READ", "unread", "medium"),
        ("WAIT", "unread", "medium"),
        ("USE_CACHE", "descriptor", "low"),
    ]


def test_one_variable(small: Program) -> None:
    (flag,) = small.document("flags", "USE_CACHE")["flags"]
    assert (flag["kind"], flag["default"], flag["choices"]) == ("environment", "False", None)
    uses = [(use["place"]["file"], use["how"], use["through"]) for use in flag["uses"]]
    assert uses == [
        ("app/fields.py", "declared", None),
        ("app/fields.py", "read", "settings.USE_CACHE"),
        ("app/use.py", "read", "settings.USE_CACHE"),
        ("app/use.py", "read", "settings.USE_CACHE.get"),
    ]


def test_through_a_helper_and_set(small: Program) -> None:
    (flag,) = small.document("flags", "VERBOSE")["flags"]
    assert [(use["how"], use["through"], use["default"]) for use in flag["uses"]] == [
        ("read", "on", "'1'"),
        ("set", "os.environ", None),
    ]


def test_text(small: Program) -> None:
    text = small.text("flags", "NOT_READ")
    assert "declared  1 place" in text and "not read in this tree" in text
    assert "WRONG: 1 place." in text
    assert "... 7 more: --all" in small.text("flags", "--limit", "1")


def test_an_option_of_the_example(example: Program) -> None:
    (flag,) = example.document("flags", "attention_backend")["flags"]
    assert (flag["name"], flag["kind"], flag["default"]) == ("--attention-backend", "option", "'auto'")
    assert {use["how"] for use in flag["uses"]} == {"declared", "read"}


def test_no_such_flag(small: Program) -> None:
    assert "is named `NOTHING_OF_THE_KIND`" in small.error("flags", "NOTHING_OF_THE_KIND")


def test_dead_look_ups(small: Program) -> None:
    rows = small.document("hooks", "--dead")["lookups"]
    assert [(row["attribute"], row["form"], row["precision"]) for row in rows] == [
        ("weight_laoder", "misspelt", "high"),
        ("never", "absent", "high"),
        ("hidden_factor", "outside", "low"),
    ]
    text = small.text("hooks", "--dead")
    assert "only a `weight_loader`: the look-up on `param` is always false" in text
    assert "1 more look-up is on objects" in text and "hidden_factor" not in text
    assert "hidden_factor" in small.text("hooks", "--dead", "--all")
    assert "--dead goes with" in small.error("hooks", "--dead", "--missing")


def test_as_data(small: Program) -> None:
    with codepath.Index.open(small.cwd, cache_dir=small.cache, workers=1) as index:
        assert [one.name for one in index.dead_lookups("never").lookups] == ["never"]
        assert [flag.name for flag in index.flags("KEEP").flags] == ["KEEP"]


def test_a_variable_that_is_not_named_like_its_attribute(example: Program) -> None:
    document = example.document("flags", "MINI_LOG_STEPS")
    (flag,) = document["flags"]
    assert [use["how"] for use in flag["uses"]] == ["declared", "read"]
    assert _faults(document) == [("MINI_LOG_STEPS", "descriptor", "high")]
    (threads,) = example.document("flags", "MINI_LOADER_THREADS")["flags"]
    assert threads["default"] == "2"


def test_a_launch_option_is_asked_for_as_it_is_typed(example: Program) -> None:
    plain = example.document("flags", "attention-backend")
    assert example.document("flags", "--attention-backend")["flags"] == plain["flags"] != []
    assert "named `--nowhere`" in example.error("flags", "--nowhere")
