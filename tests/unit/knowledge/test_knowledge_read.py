"""What a knowledge file may say, and what is said where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codepath.errors import ConfigError
from codepath.knowledge import choose, load, read, reference, shipped
from codepath.knowledge.schema import TABLES, keys_of
from codepath.model.knowledge import (
    Alias,
    Architecture,
    Callback,
    Dispatch,
    EntryPoint,
    Event,
    Pass,
    Probe,
    Project,
    Registry,
    Result,
    ToldEdge,
)
from codepath.toml import parse

FULL = """
[project]
name = "mail"
detect = ["mail.server", "mail.jobs"]

[[entry-points]]
name = "mail serve"
function = "mail.cli.serve"

[[events]]
name = "start"
any = ["*.Server.start", "threading.Thread.start"]

[[registries]]
name = "backends"
members = { variable = "BACKEND", modules = "mail.backends.*" }
looked-up-by = ["mail.registry.find"]
returns = "instance"

[[registries]]
name = "models"
members = { table = "mail.registry.TABLE", value = ["module", "class"], prefix = "mail.models." }

[[callbacks]]
function = ["pool.Pool.submit", "pool.submit"]
argument = ["fn", 0]
kind = "executor"
args = "rest"

[[callbacks]]
function = "lib.each"
argument = "key"

[[dispatch]]
class = "lib.Module"
call = "__call__"
runs = ["forward"]
later = ["backward"]

[[results]]
function = "lib.get"
gives = "lib.Thing"

[[passes]]
function = "lib.Thing.to"
argument = "self"

[[aliases]]
name = ["other.lib", "kept.lib"]
means = "lib"

[[aliases]]
name = "other.lib.own"

[[edges]]
from = "mail.a"
to = "mail.b.<lambda1>"
why = "by hand"

[[probes]]
function = "lib.capability"
returns = "bool:major >= 9"

[[architectures]]
name = "sm120"
capability = [12, 0]
family = "blackwell"
devices = ["RTX 5090"]
shared-memory = 101376
"""


def test_each_table_becomes_data() -> None:
    model = load(FULL, "mail.toml")
    holds = model.holds
    assert model.project == Project("mail", ("mail.server", "mail.jobs"))
    assert holds.entry_points == (EntryPoint("mail serve", "mail.cli.serve"),)
    assert holds.events == (Event("start", "start", ("*.Server.start", "threading.Thread.start")),)
    assert holds.registries == (
        Registry("backends", "BACKEND", "mail.backends.*", "", (), "", ("mail.registry.find",), "instance"),
        Registry("models", "", "", "mail.registry.TABLE", ("module", "class"), "mail.models.", (), "class"),
    )
    assert holds.callbacks == (
        Callback("pool.Pool.submit", "fn", "executor", "rest", "", "later", "0"),
        Callback("pool.submit", "fn", "executor", "rest", "", "later", "0"),
        Callback("lib.each", "key", "callback", "", "", "now", ""),
    )
    assert holds.dispatches == (Dispatch("lib.Module", "__call__", ("forward",), ("backward",), "dispatch"),)
    assert holds.results == (Result("lib.get", "lib.Thing"),)
    assert holds.passes == (Pass("lib.Thing.to", "self", ""),)
    assert holds.aliases == (
        Alias("other.lib", "lib"),
        Alias("kept.lib", "lib"),
        Alias("other.lib.own", "other.lib.own"),
    )
    assert holds.edges == (ToldEdge("mail.a", "mail.b.<lambda1>", "by hand"),)
    assert holds.probes == (Probe("lib.capability", "bool:major >= 9"),)
    assert holds.architectures == (Architecture("sm120", (12, 0), "blackwell", ("RTX 5090",), 101376),)
    assert not model.removals


EVENT = '[[events]]\nname = "x"\nany = ["a.b"]\n'


@pytest.mark.parametrize(
    ("text", "place", "message", "help"),
    [
        ('[[callback]]\nfunction = "f"', (1, 2), "unknown key `callback` in the file", "did you mean `callbacks`?"),
        ('[[callbacks]]\nfuntion = "f"', (2, 0), "unknown key `funtion` in [[callbacks]]", "did you mean `function`?"),
        ("zzzz = 1", (1, 0), "unknown key `zzzz` in the file", "keys of the file: "),
        ('[[callbacks]]\nfunction = "f"', (1, 2), "[[callbacks]] lacks `argument`", "`argument`: The argument"),
        (EVENT + '[[events]]\nany = ["a"]', (4, 2), "[[events]] lacks `name`", "`name`: "),
        ("callbacks = 1", (1, 0), "`callbacks` must be a list of tables, written [[callbacks]]", ""),
        ("callbacks = [1]", (1, 13), "[[callbacks]] must be a table", ""),
        ("project = 1", (1, 0), "[project] must be a table", ""),
        ("[project]\nname = 3", (2, 0), "`name` in [project] must be a string, not an integer", "`name`: "),
        ('[project]\nname = ""', (2, 0), "`name` in [project] must not be empty", ""),
        ('[project]\nname="x"\nremove = true', (3, 0), "unknown key `remove` in [project]", "keys of [project]: "),
        ('[[events]]\nname = "x"\nany = "a.b"', (3, 0), "`any` in [[events]] must be a list, not a string", ""),
        (
            '[[events]]\nname="x"\nany = ["a", 2]',
            (3, 12),
            "`any` in [[events]] element 2 must be a string, not an integer",
            "",
        ),
        ('[[events]]\nname="x"\nany = []', (3, 0), "`any` in [[events]] must not be empty", ""),
        (
            '[[callbacks]]\nfunction="f g"\nargument=0',
            (2, 0),
            "`function` in [[callbacks]] must be a dotted name, not `f g`",
            "",
        ),
        (
            '[[callbacks]]\nfunction="f"\nargument=-1',
            (3, 0),
            "`argument` in [[callbacks]] must be a keyword or a position from 0",
            "",
        ),
        (
            '[[callbacks]]\nfunction="f"\nargument=["a","b","c"]',
            (3, 0),
            "`argument` in [[callbacks]] must be at most two spellings of one argument",
            "",
        ),
        (
            '[[callbacks]]\nfunction="f"\nargument=0\nwhen="soon"',
            (4, 0),
            "`when` in [[callbacks]] must be `now`, `later` or `joined`, not `soon`",
            "`when`: ",
        ),
        (
            '[[registries]]\nname="r"\nmembers={variable="V"}',
            (3, 0),
            "`members` in [[registries]] must have `modules` beside `variable`",
            "",
        ),
        (
            '[[registries]]\nname="r"\nmembers={variables="V"}',
            (3, 9),
            "unknown key `variables` in `members` in [[registries]]",
            "did you mean `variable`?",
        ),
        (
            '[[registries]]\nname="r"\nmembers={prefix="p."}',
            (3, 0),
            "`members` in [[registries]] must have either `variable` and `modules` or `table` and `value`",
            "",
        ),
        (
            '[[dispatch]]\nclass="c"\ncall="m"\nruns=[]',
            (4, 0),
            "`runs` in [[dispatch]] must name at least one method",
            "",
        ),
        (
            '[[probes]]\nfunction="f"\nreturns="bool:"',
            (3, 0),
            "`returns` in [[probes]] must be `capability`, `major`, `minor`, `sm`, `sm-string`, `device-name` or "
            "`properties` or `bool:EXPR`, not `bool:`"[:80],
            "",
        ),
        (
            '[[architectures]]\nname="a"\nfamily="f"\ncapability=[12]',
            (4, 0),
            "`capability` in [[architectures]] must be the major and the minor number",
            "",
        ),
        (
            '[[results]]\nfunction="f"\ngives="g"\nremove="yes"',
            (4, 0),
            "`remove` in [[results]] must be true or false, not a string",
            "",
        ),
        (EVENT + EVENT, (4, 2), "[[events]] says `x` twice", ""),
        (
            '[[results]]\nfunction=["f", "f"]\ngives="g"',
            (1, 2),
            "[[results]] says `f` twice",
            "",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, place: tuple[int, int], message: str, help: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text, "bad.toml")
    error = caught.value
    assert error.message.startswith(message)
    assert (error.path, (error.line, error.column)) == ("bad.toml", place)
    assert not help or any(line.startswith(help) for line in error.help)


def test_a_row_that_is_removed_needs_only_its_key() -> None:
    model = load('[[dispatch]]\nclass = ["a.B", "a.C"]\ncall = "run"\nremove = true\n', "u.toml")
    assert [(r.table, r.key, r.line) for r in model.removals] == [
        ("dispatch", ("a.B", "run"), 1),
        ("dispatch", ("a.C", "run"), 1),
    ]
    assert model.holds.dispatches == ()
    with pytest.raises(ConfigError, match="lacks `call`"):
        load('[[dispatch]]\nclass = "a.B"\nremove = true\n', "u.toml")


def test_a_file_may_hold_other_keys_and_a_table_around_it() -> None:
    text = '[tool.codepath]\nexclude = ["x"]\n[[tool.codepath.results]]\nfunction = "f"\ngives = "g"\n'
    document = parse(text, "pyproject.toml")
    assert read(document, ("tool", "codepath"), {"exclude"}).holds.results == (Result("f", "g"),)
    with pytest.raises(ConfigError) as caught:
        read(document, ("tool", "codepath"))
    assert (caught.value.message, caught.value.line) == ("unknown key `exclude` in [tool.codepath]", 2)
    with pytest.raises(ConfigError, match="unknown key `exlude`") as caught:
        read(parse('exlude = ["x"]', "codepath.toml"), (), {"exclude"})
    assert caught.value.help[0] == "did you mean `exclude`?"
    assert read(parse("", "pyproject.toml"), ("tool", "codepath")).holds.results == ()
    with pytest.raises(ConfigError, match="must be a table"):
        read(parse("tool = 1", "pyproject.toml"), ("tool", "codepath"))


def test_the_example_server_has_a_knowledge_file() -> None:
    path = Path(__file__).parents[3] / "examples" / "mini_server" / "codepath.toml"
    chosen = choose(shipped(), [load(path.read_bytes(), path.name)], ["mini_server.launch"])
    assert [registry.variable for registry in chosen.registries] == ["EntryClass"]
    assert "mini_server.comm.capability.device_capability" in {probe.function for probe in chosen.probes}


def test_long_words_are_cut_in_errors() -> None:
    with pytest.raises(ConfigError) as caught:
        load("x" * 10_000 + " = 1", "bad.toml")
    assert len(caught.value.message) < 200


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2000) | st.sampled_from(["", "a", "a.b", "*", "rest", "bool:x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "value", "table"]), inner),
    max_leaves=4,
)


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(held)}" for key, held in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value) if value is not None else "1.5"


@given(st.data())
def test_values_of_any_type_give_a_model_or_an_error(data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(TABLES))
    keys = data.draw(st.lists(st.sampled_from([key.name for key in keys_of(table)]), unique=True))
    text = table.title + "\n" + "".join(f"{key} = {_toml(data.draw(_ANY))}\n" for key in keys)
    try:
        model = load(text, "f.toml")
    except ConfigError as error:
        assert 1 <= error.line <= len(keys) + 1
        return
    assert getattr(model.holds, table.field) or model.removals


def test_the_reference_names_every_key() -> None:
    text = reference()
    for table in TABLES:
        assert f"## `{table.title}`" in text
        for key in (*keys_of(table), *(inner for outer in table.keys for inner in outer.inner)):
            assert key.meaning in text
            assert key.meaning.endswith(".")
    assert "| `members.variable` |" in text
    assert reference() == text
