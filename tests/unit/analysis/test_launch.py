"""Launch options as trees define them: written out, in tables made from fields, in annotations of fields."""

from __future__ import annotations

import pytest

from codepath.analysis.constants import Folding
from codepath.analysis.launch import Launch
from codepath.analysis.launch_line import assumptions_of
from codepath.analysis.settled import Settled
from codepath.errors import QueryError
from codepath.extract import extract
from codepath.model.assumptions import Option
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from tests.support import DictRows


def options(text: str, *holders: str, fields: tuple[str, ...] = ()) -> dict[str, Option]:
    facts = extract(text.encode(), "m.py")
    bodies = Bodies({"m": "m.py"}, lambda _: facts)
    settled = Settled(CallGraph(DictRows({}), ()), bodies)
    found = Launch(bodies, Folding(bodies, settled), holders, fields).options
    return {string: option for option in found for string in option.strings}


TABLES = """\
import argparse
from dataclasses import dataclass, fields
from typing import Literal, Optional

Kind = Literal["auto", "half"]


@dataclass
class ModelConfig:
    model: str = "small"
    dtype: Kind = "auto"
    length: Optional[int] = None


def get_kwargs(cls):
    return {f.name: {"default": f.default} for f in fields(cls)}


@dataclass
class EngineArgs:
    model: str = ModelConfig.model
    dtype: Kind = ModelConfig.dtype
    max_length: Optional[int] = ModelConfig.length
    eager: bool = False
    tensor_parallel_size: int = 1

    @staticmethod
    def add_cli_args(parser):
        model_kwargs = get_kwargs(ModelConfig)
        group = parser.add_argument_group(title="ModelConfig")
        group.add_argument("--model", **model_kwargs["model"])
        group.add_argument("--dtype", **model_kwargs["dtype"])
        group.add_argument("--max-length", **model_kwargs["length"])
        group.add_argument("--eager", **model_kwargs["eager"])
        group.add_argument("--tensor-parallel-size", "-tp", **model_kwargs["tp"])
        group.add_argument("--log", action=argparse.BooleanOptionalAction, default=True)


@dataclass
class FrontendArgs:
    host: Optional[str] = None
    port: int = 8000
    disable_access_log: bool = False

    @staticmethod
    def add_cli_args(parser):
        for key, value in get_kwargs(FrontendArgs).items():
            parser.add_argument(f"--{key.replace('_', '-')}", **value)
"""


def test_tables_made_from_fields() -> None:
    found = options(TABLES, "m.EngineArgs", "m.FrontendArgs")
    assert {s: (o.attribute, o.form, o.type, o.default) for s, o in found.items()} == {
        "--model": ("model", "value", "str", "small"),
        "--dtype": ("dtype", "value", "str", "auto"),
        "--max-length": ("max_length", "value", "int", None),
        "--eager": ("eager", "switch", "bool", False),
        "--tensor-parallel-size": ("tensor_parallel_size", "value", "int", 1),
        "-tp": ("tensor_parallel_size", "value", "int", 1),
        "--log": ("log", "switch", "bool", True),
        "--host": ("host", "value", "str", None),
        "--port": ("port", "value", "int", 8000),
        "--disable-access-log": ("disable_access_log", "switch", "bool", False),
    }
    assert found["--port"].holder == "m.FrontendArgs"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("serve small -tp 8 --eager", {"tensor_parallel_size": 8, "eager": True}),
        ("--no-eager --no-log --disable-access-log", {"eager": False, "log": False, "disable_access_log": True}),
        ("--max-length 16k --port=80", {"port": 80}),
        ("--max-length -1", {"max_length": -1}),
        ("--dtype half --dtype auto", {"dtype": "auto"}),
        ("--tensor_parallel_size 2", {"tensor_parallel_size": 2}),
        ("--tensor 2 --ho 0.0.0.0", {"tensor_parallel_size": 2, "host": "0.0.0.0"}),
        ("", {}),
    ],
)
def test_lines(line: str, expected: dict[str, object]) -> None:
    found = options(TABLES, "m.EngineArgs", "m.FrontendArgs")
    said = assumptions_of(list(found.values()), line)
    assert {a.name: a.value for a in said} == expected


@pytest.mark.parametrize(
    "line", ["--m 1", "--nothing", "--no-port 1", "--port", "--port x=1 y", "stray --port 1 stray"]
)
def test_lines_that_are_refused(line: str) -> None:
    with pytest.raises(QueryError):
        assumptions_of(list(options(TABLES, "m.EngineArgs", "m.FrontendArgs").values()), line)


ANNOTATED = """\
import argparse
from typing import Annotated, List, Literal, Optional

A = Annotated


class Arg:
    def __init__(self, help="", aliases=None, cli_name=None, no_cli=False, action=None, type_parser=None):
        pass


class StoreTrue(argparse.Action):
    def __init__(self, option_strings, dest, nargs=0, const=True, **kwargs):
        super().__init__(option_strings, dest, nargs=nargs, const=const, **kwargs)


class Parallel:
    tp_size: A[int, Arg(help="ranks", aliases=["--tensor-parallel-size"])] = 1
    role: A[Literal["none", "one"], "The role."] = "none"
    fast: A[bool, "Be fast."] = False
    names: A[Optional[List[str]], "Names."] = None
    hidden: A[int, Arg(no_cli=True)] = 3
    old: A[bool, Arg(no_cli=True)] = False
    read: A[str, Arg(type_parser=parse)] = ""
    plain: int = 4
    switch: A[Optional[bool], Arg(action=argparse.BooleanOptionalAction)] = None


class ServerArgs:
    @staticmethod
    def add_cli_args(parser):
        add_from_fields(parser, ServerArgs)
        parser.add_argument("--old", action=StoreTrue, help="Deprecated.")
"""


def test_annotated_fields() -> None:
    found = options(ANNOTATED, "m.ServerArgs", fields=("m.Parallel",))
    assert {s: (o.attribute, o.form, o.type, o.default) for s, o in found.items()} == {
        "--tp-size": ("tp_size", "value", "int", 1),
        "--tensor-parallel-size": ("tp_size", "value", "int", 1),
        "--role": ("role", "value", "str", "none"),
        "--fast": ("fast", "flag", "bool", False),
        "--names": ("names", "list", "", None),
        "--old": ("old", "flag", "str", False),
        "--read": ("read", "value", "", ""),
        "--switch": ("switch", "switch", "bool", None),
    }
    said = assumptions_of(list(found.values()), "--tensor-parallel-size 4 --old --read x --names a b --no-switch")
    assert {a.name: a.value for a in said} == {"tp_size": 4, "old": True, "switch": False}
    assert {a.holder for a in said} == {"m.ServerArgs"}
