"""Which models hold for a tree, who wins, and the models that are shipped."""

from __future__ import annotations

import ast
import random
import re
import sys
from dataclasses import fields
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codepath.errors import ConfigError
from codepath.knowledge import choose, load, meant, shipped
from codepath.knowledge.schema import TABLES
from codepath.model.knowledge import Knowledge, Result


def results(*pairs: tuple[str, str]) -> str:
    return "".join(f'[[results]]\nfunction = "{function}"\ngives = "{gives}"\n' for function, gives in pairs)


GENERAL = load(results(("f", "general"), ("g", "general")), "general.toml")
PROJECT = load(
    '[project]\nname = "p"\ndetect = ["p.a", "p.b"]\n' + results(("f", "project"), ("h", "project")), "p.toml"
)


def gives(knowledge: Knowledge) -> dict[str, str]:
    return {result.function: result.gives for result in knowledge.results}


def test_a_project_model_holds_only_where_all_its_modules_are() -> None:
    assert gives(choose([PROJECT, GENERAL], [], {"p.a"})) == {"f": "general", "g": "general"}
    chosen = choose([PROJECT, GENERAL], [], {"p.a", "p.b", "q"})
    assert gives(chosen) == {"f": "project", "g": "general", "h": "project"}
    assert [project.name for project in chosen.projects] == ["p"]


def test_the_users_models_win_in_their_order() -> None:
    first = load(results(("f", "first"), ("i", "first")), "first.toml")
    second = load(results(("i", "second")), "second.toml")
    chosen = choose([GENERAL, PROJECT], [first, second], ["p.a", "p.b"])
    assert gives(chosen) == {"f": "first", "g": "general", "h": "project", "i": "second"}
    assert gives(choose([GENERAL], [second, first], []))["i"] == "first"


def test_a_row_can_be_taken_away() -> None:
    user = load('[[results]]\nfunction = "g"\nremove = true\n', "user.toml")
    assert gives(choose([GENERAL], [user], [])) == {"f": "general"}


def test_taking_away_from_a_model_that_does_not_hold_is_no_error() -> None:
    user = load('[[results]]\nfunction = "h"\nremove = true\n', "user.toml")
    assert gives(choose([GENERAL, PROJECT], [user], [])) == {"f": "general", "g": "general"}


def test_taking_away_what_no_model_says_is_an_error() -> None:
    user = load('\n[[results]]\nfunction = "ff"\nremove = true\n', "user.toml")
    with pytest.raises(ConfigError) as caught:
        choose([GENERAL], [user], [])
    error = caught.value
    assert error.message == "no earlier [[results]] says `ff`, so there is nothing to remove"
    assert (error.path, error.line, error.column) == ("user.toml", 2, 2)
    assert error.help == ("did you mean `f`?",)


def test_a_dispatch_is_known_by_class_and_call() -> None:
    row = '[[dispatch]]\nclass = "c.C"\ncall = "{}"\nruns = ["{}"]\n'
    base = load(row.format("a", "old") + row.format("b", "old"), "base.toml")
    user = load(row.format("b", "new"), "user.toml")
    chosen = choose([base], [user], []).dispatches
    assert [(row.call, row.runs) for row in chosen] == [("a", ("old",)), ("b", ("new",))]


def test_an_edge_is_known_by_its_two_ends() -> None:
    row = '[[edges]]\nfrom = "a"\nto = "{}"\nwhy = "{}"\n'
    base = load(row.format("c", "old") + row.format("b", "old"), "base.toml")
    chosen = choose([base], [load(row.format("c", "new"), "user.toml")], []).edges
    assert [(row.target, row.why) for row in chosen] == [("b", "old"), ("c", "new")]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xy")), unique_by=lambda pair: pair[0]), st.randoms()
)
def test_rows_are_sorted_whatever_their_order(pairs: list[tuple[str, str]], shuffle: random.Random) -> None:
    expected = tuple(Result(function, given) for function, given in sorted(pairs))
    shuffle.shuffle(pairs)
    assert choose([load(results(*pairs), "m.toml")], [], []).results == expected


# --- aliases -------------------------------------------------------------------------------------------------------------

ALIASES = {"torch.mp": "mp", "torch.mp.spawn": "torch.mp.spawn", "mp.context": "mp", "x": "y", "y": "x"}


@pytest.mark.parametrize(
    ("name", "stands_for"),
    [
        ("torch.mp.Process", "mp.Process"),
        ("torch.mp", "mp"),
        ("torch.mp.spawn", "torch.mp.spawn"),
        ("torch.mp.spawn.f", "torch.mp.spawn.f"),
        ("torch.mpx.Process", "torch.mpx.Process"),
        ("torch.mp.context.Process", "mp.Process"),
        ("x.a", "x.a"),
        ("", ""),
    ],
)
def test_the_longest_prefix_says_what_a_name_means(name: str, stands_for: str) -> None:
    assert meant(name, ALIASES) == stands_for


# --- the shipped models --------------------------------------------------------------------------------------------------


def everything() -> Knowledge:
    modules = [module for model in shipped() if model.project for module in model.project.detect]
    return choose(shipped(), [], modules)


def test_the_shipped_models_are_read_once_and_in_order() -> None:
    assert [model.path for model in shipped()] == [
        "machine.toml",
        "python.toml",
        "sglang.toml",
        "torch.toml",
        "vllm.toml",
        "web.toml",
    ]
    assert shipped() is shipped()
    assert not any(model.removals for model in shipped())


def test_every_field_of_the_knowledge_has_a_table() -> None:
    assert {table.field for table in TABLES} == {field.name for field in fields(Knowledge)}
    assert all(getattr(everything(), field.name) for field in fields(Knowledge))


def test_no_general_model_shares_a_row_with_another() -> None:
    seen: dict[tuple[str, tuple[str, ...]], str] = {}
    for model in shipped():
        for table in TABLES if model.project is None else ():
            for row in getattr(model.holds, table.field):
                key = (table.name, table.key_of(row))
                assert key not in seen, (key, seen[key], model.path)
                seen[key] = model.path


def test_a_tree_of_nothing_known_gets_the_general_models() -> None:
    chosen = choose(shipped(), [], ["app.main"])
    assert chosen.projects == () and chosen.registries == () and chosen.entry_points == ()
    assert {event.name for event in chosen.events} >= {"cuda-graph-capture"}
    by_name = {callback.function: callback for callback in chosen.callbacks}
    process = by_name["multiprocessing.Process"]
    assert (process.argument, process.other, process.kind) == ("target", "1", "spawn-process")
    assert (process.args, process.kwargs, process.when) == ("args", "kwargs", "later")
    assert by_name["asyncio.AbstractEventLoop.run_in_executor"].args == "rest"


def test_names_that_an_alias_would_change_are_not_described() -> None:
    chosen = everything()
    aliases = {alias.name: alias.means for alias in chosen.aliases}
    described = [row.function for rows in (chosen.callbacks, chosen.results, chosen.passes) for row in rows]
    described += [dispatch.cls for dispatch in chosen.dispatches] + [result.gives for result in chosen.results]
    assert [name for name in described if meant(name, aliases) != name] == []


def test_capture_is_the_same_event_in_every_model() -> None:
    general = next(e for e in choose(shipped(), [], []).events if e.name == "cuda-graph-capture")
    for model in shipped():
        for event in model.holds.events:
            if event.name == general.name:
                assert set(general.any) <= set(event.any) and event.title == general.title, model.path


def test_architectures_are_sorted_by_capability() -> None:
    found = everything().architectures
    assert [a.capability for a in found] == sorted(a.capability for a in found)
    assert {a.name: a.shared_memory for a in found if a.name in ("sm70", "sm90", "sm120", "sm121")} == {
        "sm70": 98304,
        "sm90": 232448,
        "sm120": 101376,
        "sm121": 101376,
    }
    assert all(a.name == f"sm{a.capability[0]}{a.capability[1]}" and a.devices for a in found)


def test_the_expressions_of_probes_speak_of_the_capability_only() -> None:
    for probe in everything().probes:
        if probe.returns.startswith("bool:"):
            names = {n.id for n in ast.walk(ast.parse(probe.returns[5:], mode="eval")) if isinstance(n, ast.Name)}
            assert names and names <= {"capability", "major", "minor", "sm"}


_ABSENT = {  # newer, older, or only seen on an instance
    "_thread.start_joinable_thread",
    "asyncio.Runner.__enter__",
    "asyncio.TaskGroup.__aenter__",
    "asyncio.TaskGroup.create_task",
    "multiprocessing.managers.SyncManager",
}


def standard_names() -> list[str]:
    holds = next(model.holds for model in shipped() if model.path == "python.toml")
    rows = [row.function for rows in (holds.callbacks, holds.results, holds.passes) for row in rows]
    rows += [row.cls for row in holds.dispatches] + [row.gives for row in holds.results]
    return sorted({name for name in rows if name.split(".")[0] in sys.stdlib_module_names} - _ABSENT)


@pytest.mark.parametrize("name", standard_names())
def test_names_of_the_standard_library_exist(name: str) -> None:
    # Pools are made by a function; what is said of the pool is said of that function's name.
    where = re.sub(r"^multiprocessing\.Pool(?=\.)", "multiprocessing.pool.Pool", name)
    parts = where.split(".")
    found: Any = None
    for cut in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        break
    assert found is not None
