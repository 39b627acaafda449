"""`siblings`, `siblings --family`, and what `hooks` says of wrappers and interfaces, on small trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import EXAMPLE, Program

_LOOPS = """\
class Table:
    def fill(self, batch):
        return batch


class Normal:
    def get_next_batch(self):
        self.note_time()
        return self.table.fill(self.queue)

    def note_time(self):
        self.time = 1

    def run_batch(self, batch):
        return batch

    def finish_batch(self, batch):
        return batch

    def event_loop_normal(self):
        batch = self.get_next_batch()
        self.finish_batch(self.run_batch(batch))

    def event_loop_overlap(self):
        batch = self.get_next_batch()
        self.finish_batch(self.run_batch(batch))


class Receiver(Normal):
    def get_next_remote_batch(self):
        self.note_time()
        return self.queue

    def event_loop_remote(self):
        batch = self.get_next_remote_batch()
        self.finish_batch(self.run_batch(batch))


def dispatch(server, kind):
    if kind == "remote":
        server.event_loop_remote()
    elif kind == "overlap":
        server.event_loop_overlap()
    else:
        server.event_loop_normal()
"""
_INBOX = """\
class Inbox:
    def __init__(self, ranks, first):
        take = self.take_from_one
        if ranks > 1:
            if first:
                take = self.receive_first
            else:
                take = self.receive_other
        self.take = take

    def when_idle(self):
        self.checked = True

    def take_from_one(self, block):
        if block:
            self.when_idle()
        return []

    def receive_first(self, block):
        return []

    def receive_other(self, block):
        if block:
            self.when_idle()
        return []
"""
_PAIRS = """\
class Manager:
    def note_failure(self, room):
        self.failed = room

    def publish_state(self, room):
        self.state = room


class Sender:
    def abort(self):
        self.manager.note_failure(1)


def first(sender):
    sender.manager.note_failure(2)
    sender.manager.publish_state(2)


def second(sender):
    sender.manager.note_failure(3)
    sender.manager.publish_state(3)


def third(sender):
    sender.manager.note_failure(4)
    sender.manager.publish_state(4)
"""
_OBJECTS = """\
def prepare_buffers(model):
    model.buffers = True


def count_layers(model):
    return 1


def add_model(model):
    return model


class Runner:
    def load(self):
        count_layers(self.model)
        count_layers(self.helper.model)
        add_model(self.helper.model)
        add_model(self.model)
        prepare_buffers(self.model)

    def load_both(self):
        count_layers(self.model)
        count_layers(self.helper.model)
        prepare_buffers(self.model)
        if (helper := getattr(self, "helper", None)) and (inner := getattr(helper, "model", None)):
            prepare_buffers(inner)
"""
_SERVERS = """\
def build_full(app, state, client):
    state.client = client
    state.title = "full"


def build_demo(app, client):
    app.state.title = "demo"
    app.engine = client
"""
_GROUPS = """\
from enum import Enum


class Group:
    def open(self):
        return self


class Kind(Enum):
    ROW = 1
    COLUMN = 2
    HEAD = 3
    STAGE = 4


_ROWS: Group | None = None
_COLUMNS: Group | None = None
_HEADS: Group | None = None
_STAGES: Group | None = None


def get_rows():
    assert _ROWS is not None
    return _ROWS


def capture():
    get_rows().open()
    for group in (_COLUMNS, _STAGES):
        group.open()


TITLES = {Kind.ROW: "row", Kind.COLUMN: "column", Kind.HEAD: "head"}
"""
_WRAPPERS = """\
class Backend:
    def run(self, n):
        return n

    def stop(self):
        return None

    def after_warmup(self):
        return None


class Scratchy(Backend):
    def run(self, n):
        return n + 1

    def after_warmup(self):
        self.dirty = False


class Wrapper(Backend):
    def __init__(self, inner: Backend):
        self.inner = inner

    def run(self, n):
        return self.inner.run(n)

    def stop(self):
        return self.inner.stop()


class Careful(Wrapper):
    def after_warmup(self):
        self.inner.after_warmup()


def capture(kind):
    backend = Wrapper(Scratchy()) if kind else Careful(Scratchy())
    backend.after_warmup()
"""
_INTERFACES = """\
from typing import Protocol


class TapMixin:
    def set_taps(self, ids):
        self.taps = ids


class SupportsTaps(Protocol):
    has_taps = True


class ModelA(TapMixin): ...


class ModelB(TapMixin): ...


class ModelC(TapMixin): ...


class ModelD(TapMixin): ...


class ServeA(SupportsTaps):
    def __init__(self):
        self.model = ModelA()


class ServeB(SupportsTaps):
    def __init__(self):
        self.model = ModelB()


class ServeC(SupportsTaps):
    def __init__(self):
        self.model = ModelC()


class ServeD:
    def __init__(self):
        self.model = ModelD()


def supports_taps(model):
    return isinstance(model, SupportsTaps)
"""


def _program(folder: Path, source: str) -> Program:
    tree = folder / "tree"
    tree.mkdir()
    (tree / "m.py").write_text(source, encoding="utf-8")
    return Program(tree, folder / "cache")


def _said(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [one for one in document["differences"] if one["name"] == name]
    assert len(found) == 1, name
    return found[0]


def test_siblings_of_one_caller_are_compared_through_what_stands_for_each_other(tmp_path: Path) -> None:
    program = _program(tmp_path, _LOOPS)
    found = program.document("siblings", "event_loop_remote")
    assert {one["function"] for one in found["siblings"]} == {
        "m.Normal.event_loop_normal",
        "m.Normal.event_loop_overlap",
        "m.Receiver.event_loop_remote",
    }
    fill = _said(found, "fill")
    assert fill["lack"] == ["m.Receiver.event_loop_remote"] and (fill["have_total"], fill["total"]) == (2, 3)
    assert [place["line"] for place in fill["have"][0]["through"]] == [21]
    assert "get_next_batch" not in [one["name"] for one in found["differences"]]
    text = program.run("siblings", "event_loop_remote").stdout
    assert "COMPARED: 3 functions" in text and "taken in its place" in text
    assert "Receiver.event_loop_remote never calls `fill`, which 2 of 3 siblings do" in text


def test_functions_that_one_variable_can_hold_are_siblings(tmp_path: Path) -> None:
    found = _program(tmp_path, _INBOX).document("siblings", "take_from_one")
    assert [(one["function"], one["found"]) for one in found["siblings"]] == [
        ("m.Inbox.take_from_one", "asked"),
        ("m.Inbox.receive_first", "alternative"),
        ("m.Inbox.receive_other", "alternative"),
    ]
    idle = _said(found, "when_idle")
    assert idle["lack"] == ["m.Inbox.receive_first"] and [guard["text"] for guard in idle["have"][0]["guards"]] == [
        "block"
    ]


def test_a_call_that_others_make_beside_another_one(tmp_path: Path) -> None:
    pair = _said(_program(tmp_path, _PAIRS).document("siblings", "Sender.abort"), "publish_state")
    assert (pair["form"], pair["beside"], pair["have_total"], pair["total"]) == ("pair", "note_failure", 3, 3)
    assert pair["lack"] == ["m.Sender.abort"]


def test_an_object_that_a_function_forgets(tmp_path: Path) -> None:
    program = _program(tmp_path, _OBJECTS)
    one = _said(program.document("siblings", "Runner.load"), "prepare_buffers")
    assert (one["form"], one["beside"], one["lack"]) == ("object", "self.model", ["self.helper.model"])
    whole = program.document("siblings", "Runner.load_both")
    assert [d["name"] for d in whole["differences"] if d["form"] == "object"] == []


def test_functions_that_are_named_are_compared_with_each_other(tmp_path: Path) -> None:
    program = _program(tmp_path, _SERVERS)
    found = program.document("siblings", "build_full", "build_demo")
    assert [one["found"] for one in found["siblings"]] == ["asked", "asked"]
    assert {(one["what"], one["name"], one["lack"][0]) for one in found["differences"]} == {
        ("store", "client", "m.build_demo"),
        ("store", "engine", "m.build_full"),
    }
    assert program.document("siblings", "m.py:7")["siblings"][0]["function"] == "m.build_demo"


def test_what_enumerations_leave_out(tmp_path: Path) -> None:
    program = _program(tmp_path, _GROUPS)
    (family,) = program.document("siblings", "--family", "Group")["families"]
    assert (family["kind"], [m["name"] for m in family["members"]]) == (
        "globals",
        ["_ROWS", "_COLUMNS", "_HEADS", "_STAGES"],
    )
    assert family["members"][0]["names"] == ["_ROWS", "get_rows"]
    (one,) = family["enumerations"]
    assert (one["place"]["function"], one["misses"]) == ("m.capture", ["_HEADS"])
    (kinds,) = program.document("siblings", "--family", "Kind")["families"]
    assert [e["misses"] for e in kinds["enumerations"]] == [["m.Kind.STAGE"]]
    assert program.document("siblings", "--family", "_HEADS")["families"] == [family]
    every = program.document("siblings", "--family")["families"]
    assert {f["of"] for f in every} == {"m.Group", "m.Kind"}
    text = program.run("siblings", "--family", "Group").stdout
    assert "leaves out _HEADS" in text and "names 3 of 4" in text


def test_a_wrapper_that_hides_what_it_wraps(tmp_path: Path) -> None:
    program = _program(tmp_path, _WRAPPERS)
    rows = {row["class"]: row for row in program.document("hooks", "Backend.after_warmup")["classes"]}
    assert rows["m.Wrapper"]["has"] is True and rows["m.Wrapper"]["hides"] == "m.Scratchy"
    assert rows["m.Careful"]["hides"] is None and rows["m.Scratchy"]["hides"] is None
    text = program.run("hooks", "Wrapper.after_warmup").stdout
    assert "Wrapper has it from Backend alone and hides that of Scratchy, which it wraps" in text


def test_who_derives_from_an_interface_that_code_tests_for(tmp_path: Path) -> None:
    program = _program(tmp_path, _INTERFACES)
    found = program.document("hooks", "SupportsTaps", "--missing")
    assert [row["class"] for row in found["classes"]] == ["m.ServeD"]
    assert found["classes"][0]["like"] == {"feature": "m.TapMixin", "have": 3, "total": 4}
    assert [(one["style"], one["place"]["line"]) for one in found["lookups"]] == [("isinstance", 46)]
    text = program.run("hooks", "SupportsTaps").stdout
    assert "isinstance on an instance `model`" in text and "3 of 4 classes with TapMixin have it" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("build",), "no function of this tree is named `build`"),
        (("m.py:3000",), "no function of this tree stands at `m.py:3000`"),
        ((), "name a function"),
        (("--family", "Nothing"), "no family of this tree is named `Nothing`"),
    ],
)
def test_what_cannot_be_asked(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    assert said in _program(tmp_path, _SERVERS).error("siblings", *words)


def test_a_name_of_several_functions_lists_them(tmp_path: Path) -> None:
    program = _program(tmp_path, "class A:\n    def go(self): ...\n\n\nclass B:\n    def go(self): ...\n")
    said = program.error("siblings", "go")
    assert "`go` names 2 functions; give one of" in said and "m.A.go" in said


_RULE = """\
id = "hides-something"
kind = "missing-protocol"
severity = "warning"
precision = "medium"
summary = "A wrapper hands on what it wraps."
why = "It is asked in place of it."
applies-to = "any"

[missing-protocol]
precision = "medium"
"""
_DOCUMENT = "# hides-something\n\n" + "".join(
    f"## {title}\n\nSee the kind.\n\n"
    for title in ("What it finds", "Why", "How to fix", "What it misses", "References")
)
_CAREFUL = """

class Polite(Backend):
    def __init__(self, inner: Backend):
        self.inner = inner

    def run(self, n):
        return self.inner.run(n)

    def stop(self):
        return self.inner.stop()

    def after_warmup(self):
        self.inner.after_warmup()
"""


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        (
            _WRAPPERS + _CAREFUL,
            "Wrapper has only the `after_warmup` of Backend, which does nothing, and does not hand it on to Polite and "
            "Scratchy, which it wraps",
            38,
        ),
        (
            _INTERFACES + "\n\nclass ServeE(SupportsTaps):\n    def __init__(self):\n        self.model = ModelA()\n",
            "ServeD does not derive from SupportsTaps, as 4 of the 5 classes do that hold a TapMixin",
            40,
        ),
    ],
)
def test_rules_of_a_project_ask_for_what_is_less_sure(tmp_path: Path, source: str, message: str, line: int) -> None:
    program = _program(tmp_path, source)
    folder = tmp_path / "tree" / "queries" / "hides-something"
    folder.mkdir(parents=True)
    (folder / "rule.toml").write_text(_RULE, encoding="utf-8")
    (folder / "rule.md").write_text(_DOCUMENT, encoding="utf-8")
    (tmp_path / "tree" / "codepath.toml").write_text('queries = ["queries"]\n', encoding="utf-8")
    found = program.document("check", "--select", "hides-something", "--exit-zero")["findings"]
    assert [(one["message"], one["place"]["line"]) for one in found] == [(message, line)]


def test_the_example_has_no_wrapper_that_hides_anything(tmp_path: Path) -> None:
    found = Program(EXAMPLE, tmp_path / "cache").document("check", "--select", "missing-protocol", "--exit-zero")
    assert found["findings"] == []
