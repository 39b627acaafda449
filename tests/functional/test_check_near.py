"""`check --diff` of a repository: detectors look where the change is, and find what it breaks elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from codepath.app.checking import LEFT_OUT, MOST_NEAR
from tests.functional.running import Program, write
from tests.functional.test_check import found, git

_BASE = """
class Worker:
    def __init__(self, size):
        self.size = size
        self.table = {}

    def width(self):
        return self.size * 2
"""
_OTHER = """
from jobs.worker import Worker


class Fast(Worker):
    def look(self, key):
        return self.table.get(key), self.width()
"""
_OLD = """
class Lonely:
    def run(self):
        return self.never_set

    def __init__(self):
        self.size = 1
"""
_SILENT = """
class Quiet:
    def __init__(self):
        self.size = 1

    def run(self):
        return self.missing  # codepath: ignore[unset-read] set by those who load it
"""
_CALLS = """
from jobs.prepare import prepare
from jobs.old import Lonely
from jobs.other import Fast
from jobs.silent import Quiet


def main():
    prepare(1)
    return Lonely().run(), Fast(2).look(3), Quiet().run()


if __name__ == "__main__":
    main()
"""
_FILES: dict[str, str | bytes] = {
    "pyproject.toml": '[project]\nname = "jobs"\n',
    "jobs/__init__.py": "",
    "jobs/worker.py": _BASE,
    "jobs/other.py": _OTHER,
    "jobs/old.py": _OLD,
    "jobs/silent.py": _SILENT,
    "jobs/prepare.py": "def prepare(a):\n    return a\n",
    "jobs/calls.py": _CALLS,
}


@pytest.fixture
def jobs(tmp_path: Path) -> Program:
    """A repository with one commit on `main`."""
    folder = write(tmp_path / "repository", _FILES)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return Program(folder, tmp_path / "cache")


def _edit(jobs: Program, path: str, old: str, new: str) -> None:
    file = jobs.cwd / path
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_store_that_is_taken_out_is_missed_below(jobs: Program) -> None:
    _edit(jobs, "jobs/worker.py", "        self.table = {}\n", "")
    document = jobs.document("check", "--diff", "main", status=1)
    assert found(document) == [("unset-read", "jobs/other.py", 7)]
    assert found(document) == [f for f in found(jobs.document("check", status=1)) if f[1] != "jobs/old.py"]


def test_a_parameter_more_does_not_fit_a_caller_elsewhere(jobs: Program) -> None:
    _edit(jobs, "jobs/prepare.py", "def prepare(a):", "def prepare(a, b):")
    assert found(jobs.document("check", "--diff", "main", status=1)) == [("signature-drift", "jobs/calls.py", 9)]


def test_what_was_so_is_not_new(jobs: Program) -> None:
    _edit(jobs, "jobs/worker.py", "return self.size * 2", "return self.size * 3")
    assert found(jobs.document("check", "--diff", "main")) == []


def test_a_run_of_the_base_gives_what_is_known_elsewhere(jobs: Program) -> None:
    assert found(jobs.document("check", status=1)) == [("unset-read", "jobs/old.py", 4)]
    _edit(jobs, "jobs/worker.py", "        self.table = {}\n", "")
    jobs.document("check", "--source", f"git:HEAD@{jobs.cwd}", status=1)
    document = jobs.document("check", "--diff", "main", status=1)
    assert found(document) == [("unset-read", "jobs/other.py", 7)]
    assert found(document, "existing") == [("unset-read", "jobs/old.py", 4)]


_ALIKE = """
class Base:
    def stop(self):
        raise NotImplementedError

    def drain_queue(self): ...
    def close_socket(self): ...
    def publish_end(self): ...
""" + "".join(
    f"""

class {name}(Base):
    def stop(self):
        self.drain_queue()
        self.close_socket()
        self.publish_end()
"""
    for name in ("Pipe", "Ring", "Tree", "Star")
)
_GROUPS = """
class Handle:
    def open(self): ...
    def close(self): ...


_ROWS: Handle | None = None
_COLUMNS: Handle | None = None
_EXPERTS: Handle | None = None
_HEADS: Handle | None = None
_STAGES: Handle | None = None


def forget():
    return
"""
_NAMING = """
from jobs.groups import _COLUMNS, _EXPERTS, _HEADS, _ROWS, _STAGES


def capture():
    for handle in (_ROWS, _COLUMNS, _EXPERTS, _HEADS, _STAGES):
        handle.open()


def destroy():
    for handle in (_ROWS, _COLUMNS, _EXPERTS, _HEADS, _STAGES):
        handle.close()


def stop_all(stops):
    for one in stops:
        one.stop()


def main():
    capture(), destroy(), stop_all([])
"""


def test_what_siblings_and_families_lose_is_found_where_one_is_changed(jobs: Program) -> None:
    write(jobs.cwd, {"jobs/alike.py": _ALIKE, "jobs/groups.py": _GROUPS, "jobs/naming.py": _NAMING})
    git(jobs.cwd, "add", "-A")
    git(jobs.cwd, "commit", "-qm", "more")
    whole = jobs.cwd / "jobs/alike.py"
    text = whole.read_text("utf-8")
    at = text.rindex("        self.publish_end()\n")
    whole.write_text(text[:at] + text[at:].replace("        self.publish_end()\n", ""), encoding="utf-8")
    _edit(
        jobs,
        "jobs/naming.py",
        "_EXPERTS, _HEADS, _STAGES):\n        handle.open()",
        "_EXPERTS, _STAGES):\n        handle.open()",
    )
    asked = ("--select", "siblings,set-difference")
    near = found(jobs.document("check", "--diff", "main", *asked, status=1))
    assert {rule for rule, _, _ in near} == {"siblings", "set-difference"}
    assert found(jobs.document("check", *asked, status=1)) == near


def test_what_was_looked_for_around_a_change_is_not_kept_for_the_whole(jobs: Program) -> None:
    write(jobs.cwd, {"jobs/alike.py": _ALIKE.replace("self.publish_end()\n", "", 1), "jobs/naming.py": _NAMING})
    write(jobs.cwd, {"jobs/groups.py": _GROUPS})
    git(jobs.cwd, "add", "-A")
    git(jobs.cwd, "commit", "-qm", "more")
    _edit(jobs, "jobs/prepare.py", "return a", "return a + 1")
    jobs.document("check", "--diff", "main")
    told = [f for f in found(jobs.document("check", status=1)) if f[0] == "siblings"]
    assert told == [("siblings", "jobs/alike.py", 12)]


def test_diff_of_a_few_files_tells_what_they_break(jobs: Program) -> None:
    _edit(jobs, "jobs/worker.py", "        self.table = {}\n", "")
    assert found(jobs.document("diff", "main", ".")) == [("unset-read", "jobs/other.py", 7)]


def test_diff_of_many_files_leaves_out_rules_that_are_told_no_names(jobs: Program) -> None:
    write(jobs.cwd, {f"jobs/more/m{number}.py": "x = 1\n" for number in range(MOST_NEAR)})
    _edit(jobs, "jobs/worker.py", "        self.table = {}\n", "")
    document = jobs.document("diff", "main", ".")
    assert found(document) == []
    states = {run["id"]: (run["state"], run["reason"]) for run in document["rules"]}
    assert states["unset-read"] == ("left-out", LEFT_OUT)
    assert states["arch-table-gap"][0] == "ran"
    assert "not run: " in jobs.text("diff", "main", ".")
    assert found(jobs.document("diff", "main", ".", "--gate", status=1)) == [("unset-read", "jobs/other.py", 7)]
    assert found(jobs.document("diff", "main", ".", "--select", "unset-read")) == [("unset-read", "jobs/other.py", 7)]


_BACKEND = """
class Backend:
    def run(self, n): ...
    def stop(self): ...


class Planned(Backend):
    def run(self, n):
        return n

    def stop(self):
        return None

    def plan_rows(self, n):
        self.rows = n


class Split(Backend):
    def __init__(self, inner: Backend):
        self.inner = inner

    def run(self, n):
        return self.inner.run(n)

    def stop(self):
        self.inner.stop()

    def plan_rows(self, n):
        self.inner.plan_rows(n)


class Whole(Backend):
    def __init__(self, inner: Backend):
        self.inner = inner

    def run(self, n):
        return self.inner.run(n)

    def stop(self):
        self.inner.stop()

    def plan_rows(self, n):
        self.inner.plan_rows(n)
"""
_PREFILL = """
from jobs.backend import Planned, Split, Whole


def make(kind):
    if kind == "split":
        return Split(Planned())
    if kind == "whole":
        return Whole(Planned())
    return Planned()


def prefill(kind, n):
    backend = make(kind)
    if hasattr(backend, "plan_rows"):
        backend.plan_rows(n)
    return backend.run(n)
"""
_PAIR = ("jobs/backend.py", "jobs/prefill.py")
_LOOK_UP = '    if hasattr(backend, "plan_rows"):\n        backend.plan_rows(n)\n'
_FORWARD = "\n    def plan_rows(self, n):\n        self.inner.plan_rows(n)\n"


def _without_forward(text: str) -> str:
    return text.replace(_FORWARD, "", 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((_BACKEND, _PREFILL), (_without_forward(_BACKEND), _PREFILL)),
        ((_without_forward(_BACKEND), _PREFILL.replace(_LOOK_UP, "")), (_without_forward(_BACKEND), _PREFILL)),
    ],
    ids=["wrapper", "look-up"],
)
def test_what_a_wrapper_hides_is_found_where_it_or_a_look_up_changes(
    jobs: Program, before: tuple[str, str], after: tuple[str, str]
) -> None:
    write(jobs.cwd, dict(zip(_PAIR, before, strict=True)))
    git(jobs.cwd, "add", "-A")
    git(jobs.cwd, "commit", "-qm", "more")
    write(jobs.cwd, dict(zip(_PAIR, after, strict=True)))
    near = found(jobs.document("check", "--diff", "main", "--select", "missing-protocol", status=1))
    assert near == [("missing-protocol", "jobs/prefill.py", 15)]
    assert found(jobs.document("check", "--select", "missing-protocol", status=1)) == near


def test_what_is_stored_of_a_change_is_of_that_change_alone(jobs: Program) -> None:
    _edit(jobs, "jobs/worker.py", "        self.table = {}\n", "")
    first = found(jobs.document("check", "--diff", "HEAD", status=1))
    assert found(jobs.document("check", "--diff", "HEAD", status=1)) == first == [("unset-read", "jobs/other.py", 7)]
    git(jobs.cwd, "commit", "-qam", "second")
    assert found(jobs.document("check", "--diff", "HEAD")) == []
    _edit(jobs, "jobs/prepare.py", "return a", "return a + 1")
    assert found(jobs.document("check", "--diff", "HEAD")) == []
    assert found(jobs.document("check", "--diff", "HEAD~1", status=1)) == first


_MODELS = """
class Core:
    def after_load(self): ...


class Pictures:
    def __init__(self):
        self.text = Core()

    def after_load(self):
        self.text.after_load()


EntryClass = [Core, Pictures]
"""
_LOAD = """
from jobs import models


def look_up(name):
    for cls in models.EntryClass:
        if cls.__name__ == name:
            return cls


def load(name):
    model = look_up(name)()
    if hasattr(model, "after_load"):
        model.after_load()
    return model
"""
_REGISTRY = """
[[registries]]
name = "own"
members = { variable = "EntryClass", modules = "jobs.models" }
looked-up-by = ["jobs.load.look_up"]
returns = "class"
"""
_ASKED = '    if hasattr(model, "after_load"):\n        model.after_load()\n'
_HANDED_ON = "\n    def after_load(self):\n        self.text.after_load()\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((_MODELS, _LOAD), (_MODELS.replace(_HANDED_ON, ""), _LOAD)),
        ((_MODELS.replace(_HANDED_ON, ""), _LOAD.replace(_ASKED, "")), (_MODELS.replace(_HANDED_ON, ""), _LOAD)),
    ],
    ids=["class", "look-up"],
)
def test_a_hook_is_missing_where_the_class_or_a_look_up_changes(
    jobs: Program, before: tuple[str, str], after: tuple[str, str]
) -> None:
    pair = ("jobs/models.py", "jobs/load.py")
    write(jobs.cwd, {**dict(zip(pair, before, strict=True)), "codepath.toml": _REGISTRY})
    git(jobs.cwd, "add", "-A")
    git(jobs.cwd, "commit", "-qm", "more")
    write(jobs.cwd, dict(zip(pair, after, strict=True)))
    near = found(jobs.document("check", "--diff", "HEAD", "--select", "missing-hook", status=1))
    assert near == [("missing-hook", "jobs/models.py", 6)]
    assert found(jobs.document("check", "--select", "missing-hook", status=1)) == near
    git(jobs.cwd, "commit", "-qam", "it is there")
    _edit(jobs, "jobs/worker.py", "        self.table = {}\n", "")
    assert found(jobs.document("check", "--diff", "HEAD", "--select", "missing-hook")) == []


_TOWER = """
def size(ids, rows=None):
    return len(ids) if ids is not None else len(rows)
"""
_STAGE = """
from jobs.tower import size


def run(batch):
    return size(batch, None)
"""


@pytest.mark.parametrize("where", ["function", "call"])
def test_a_parameter_is_left_out_where_the_function_or_a_call_changes(jobs: Program, where: str) -> None:
    handed = _STAGE.replace("batch, None", "None, None")
    before = {"jobs/tower.py": _TOWER.replace("len(rows)", "0"), "jobs/stage.py": handed}
    if where == "call":
        before = {"jobs/tower.py": _TOWER, "jobs/stage.py": _STAGE}
    write(jobs.cwd, before)
    git(jobs.cwd, "add", "-A")
    git(jobs.cwd, "commit", "-qm", "more")
    write(jobs.cwd, {"jobs/tower.py": _TOWER, "jobs/stage.py": handed})
    near = found(jobs.document("check", "--diff", "HEAD", "--select", "unset-read", status=1))
    assert near == [("unset-read", "jobs/tower.py", 3)]
