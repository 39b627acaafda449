"""Each kind of rule on trees of a few lines: what it finds and what it does not."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codepath.app.rule_tests import in_memory
from codepath.checks.kinds import kinds
from codepath.checks.rules import read_rule
from codepath.checks.run import run_rules
from codepath.model.checks import Finding

_HEAD = 'id = "r"\nkind = "{}"\nseverity = "error"\nsummary = "s"\n\n[{}]\n'


def found(kind: str, settings: str, text: str, before: str | None = None) -> list[Finding]:
    rule = read_rule((_HEAD.format(kind, kind) + dedent(settings)).encode(), "r/rule.toml", "r")
    with in_memory({"m.py": dedent(text)}) as head, in_memory({"m.py": dedent(before or "x = 1")}) as base:
        return run_rules([rule], head.checked(()), frozenset(), base.checked(()) if before else None)[0]


def lines(*arguments: str) -> list[int]:
    return [finding.place.line for finding in found(*arguments)]


_REACH = """
    def bottom(): ...

    def middle():
        bottom()

    def top():
        middle()

    def other(flag):
        if flag:
            bottom()
"""


def test_never_reach() -> None:
    rule = 'from = ["top", "other"]\nto = ["bottom"]\n'
    one, other = found("never-reach", rule, _REACH)
    assert one.message == "top reaches bottom, over 2 calls" and [s.line for s in one.steps] == [8, 5]
    assert other.place.line == 12
    assert lines("never-reach", 'from = ["top"]\nto = ["other"]\n', _REACH) == []
    assert lines("never-reach", 'from = ["top"]\nto = ["bottom"]\nthrough = ["middle"]\n', _REACH) == []


def test_must_reach() -> None:
    assert lines("must-reach", 'from = ["top"]\nto = ["bottom"]\n', _REACH) == []
    guarded = found("must-reach", 'from = ["other"]\nto = ["bottom"]\n', _REACH)
    assert [f.message for f in guarded] == ["other runs bottom only where flag"]
    assert lines("must-reach", 'from = ["other"]\nto = ["bottom"]\nunless = ["flag"]\n', _REACH) == []
    never = found("must-reach", 'from = ["top"]\nto = ["other"]\n', _REACH)
    assert [f.message for f in never] == ["top never runs other"]


def test_guard_required() -> None:
    text = """
        def sink(): ...

        def inner():
            sink()

        def safe(user):
            if user.is_allowed:
                inner()

        def unsafe(user):
            inner()
    """
    (finding,) = found("guard-required", 'function = ["sink"]\nguard = ["is_allowed"]\n', text)
    assert finding.message == "sink is reached from unsafe without the guard `is_allowed`"
    assert [s.line for s in finding.steps] == [12, 5]
    assert lines("guard-required", 'function = ["sink"]\nguard = ["is_allowed"]\nfrom = ["safe"]\n', text) == []


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("if is_allowed and ready:", 0),
        ("if ready and (is_allowed and late):", 0),
        ("if not (not is_allowed or ready):", 0),
        ("if is_allowed or ready:", 1),
        ("if not (is_allowed and ready):", 1),
    ],
)
def test_a_guard_holds_with_what_it_is_a_part_of(condition: str, expected: int) -> None:
    text = f"""
        def sink(): ...

        def start(is_allowed, ready, late):
            {condition}
                sink()
    """
    assert len(found("guard-required", 'function = ["sink"]\nguard = ["is_allowed"]\n', text)) == expected
    assert len(found("guard-forbidden", 'function = ["sink"]\nguard = ["is_allowed"]\n', text)) == 1 - expected


def test_guard_forbidden() -> None:
    text = """
        def send(): ...

        def f(rank, ok):
            if rank == 0:
                send()
            if ok:
                send()
    """
    assert lines("guard-forbidden", 'function = ["send"]\nguard = ["rank == *"]\n', text) == [5]
    assert lines("guard-forbidden", 'function = ["send"]\nguard = ["other"]\n', text) == []


def test_paired() -> None:
    text = """
        def save(): ...
        def restore(): ...

        def good():
            save()
            restore()

        def bad():
            save()

        def turned():
            restore()
            save()
    """
    rule = 'first = ["save"]\nthen = ["restore"]\n'
    assert lines("paired", rule, text) == [10, 14]


def test_set_before_read() -> None:
    text = """
        value = None

        def fill():
            global value
            value = [1]

        def read():
            assert value is not None

        def main(flag=False):
            if flag:
                fill()
            read()

        if __name__ == "__main__":
            main()
    """
    assert lines("set-before-read", 'variable = ["m.value"]\n', text) == [9]


def test_never_none_where_a_function_needs_the_value() -> None:
    text = """
        value = None

        def fill(flag):
            global value
            value = 1 if flag else None

        def always():
            assert value is not None

        def sometimes(late):
            if late:
                return None
            assert value is not None

        def asking():
            return value is None
    """
    rule = 'variable = ["m.value"]\n'
    (finding,) = found("never-none", rule + 'needed-in = ["always"]\n', text)
    assert finding.place.line == 6
    assert [(note.place.line, note.text) for note in finding.notes][:1] == [(9, "needs it whatever the configuration")]
    assert lines("never-none", rule, text) == [6]
    assert lines("never-none", rule + 'needed-in = ["sometimes", "asking"]\n', text) == []


def test_must_precede_with_a_condition() -> None:
    text = """
        def first(): ...
        def second(): ...

        def start(flag):
            if flag:
                first()
            second()
    """
    rule = 'first = ["first"]\nsecond = ["second"]\nin = ["start"]\n'
    (finding,) = found("must-precede", rule, text)
    assert finding.message == "second runs without first in start when not flag" and finding.place.line == 8
    assert found("must-precede", rule + 'unless = ["not flag"]\n', text) == []


def test_must_precede_in_the_inner_of_two_functions() -> None:
    text = """
        def first(): ...
        def second(): ...

        def outer():
            inner()

        def inner():
            second()
            first()

        def alone():
            inner_without()
            second()

        def inner_without():
            first()
    """
    rule = 'first = ["first"]\nsecond = ["second"]\nin = ["outer", "inner", "alone", "inner_without"]\n'
    (finding,) = found("must-precede", rule, text)
    assert finding.message == "first runs after second in inner" and finding.place.line == 10
    late = text.replace("inner_without()\n            second()", "second()\n            inner_without()")
    assert [f.place.function for f in found("must-precede", rule, late)] == ["m.inner", "m.alone"]


def test_must_precede_in_a_loop() -> None:
    text = """
        def first(): ...
        def second(): ...

        def start(flags):
            for flag in flags:
                if flag:
                    second()
                else:
                    first()
    """
    (finding,) = found("must-precede", 'first = ["first"]\nsecond = ["second"]\nin = ["start"]\n', text)
    assert finding.message == "first can run after second in start"


def test_a_lost_caller() -> None:
    before = "def f(): ...\ndef start():\n    f()\ndef again():\n    f()\n"
    after = "def f(): ...\ndef start():\n    f()\n"
    (finding,) = found("unchanged", 'function = ["f"]\n', after, before)
    assert finding.message == "again no longer calls f"
    renamed = before.replace("again", "anew")
    assert found("unchanged", 'function = ["f"]\n', renamed, before) == []


def test_a_lost_caller_is_told_where_it_was() -> None:
    before = "def f(): ...\n\n\ndef start():\n    f()\n"
    (finding,) = found("unchanged", 'function = ["f"]\n', "def f(): ...\n\n\ndef start():\n    pass\n", before)
    assert finding.place.line == 4


def test_a_dropped_guard() -> None:
    before = "def f(): ...\ndef start(x, y):\n    if x:\n        if y:\n            f()\n"
    after = "def f(): ...\ndef start(x, y):\n    if True:\n        if y:\n            f()\n"
    (finding,) = found("unchanged", 'function = ["f"]\n', after, before)
    assert (finding.message, finding.place.line) == ("the guard `x` before f in start is gone", 5)
    assert found("unchanged", 'function = ["f"]\naspects = ["added-guards"]\n', after, before) == []


def test_an_inverted_guard_is_told_once() -> None:
    before = "def f(): ...\ndef start(x):\n    if x:\n        f()\n"
    (finding,) = found("unchanged", 'function = ["f"]\n', before.replace("if x", "if not x"), before)
    assert finding.message == "a guard before f in start is now `not x`, the opposite of what it was"


_PAIR = "def f(): ...\ndef g(): ...\ndef start(x):\n    f()\n    g()\n"
_WATCHED = 'function = ["f", "g"]\naspects = ["order"]\n'


def test_a_flipped_order() -> None:
    flipped = _PAIR.replace("    f()\n    g()", "    g()\n    f()")
    (finding,) = found("unchanged", _WATCHED, flipped, _PAIR)
    assert finding.message == "f now runs after g in start; it ran before it"
    assert (finding.place.line, finding.notes[0].place.line) == (5, 4)
    assert found("unchanged", _WATCHED, _PAIR, _PAIR) == []


def test_an_order_that_is_no_longer_settled() -> None:
    either = "def f(): ...\ndef g(): ...\ndef start(x):\n    if x:\n        f()\n    g()\n    if not x:\n        f()\n"
    (finding,) = found("unchanged", _WATCHED, either, _PAIR)
    assert finding.message == "f can now run after g in start; it ran before it"


def test_what_moved_past_several_is_told_once() -> None:
    before = "def f(): ...\ndef g(): ...\ndef h(): ...\ndef start(x):\n    f()\n    g()\n    h()\n"
    after = before.replace("    f()\n    g()\n    h()", "    h()\n    f()\n    g()")
    rule = 'function = ["f", "g", "h"]\naspects = ["order"]\n'
    (finding,) = found("unchanged", rule, after, before)
    assert finding.message == "h now runs before f, g in start; it ran after them"
    assert finding.place.line == 5


def test_a_hook_that_a_class_lost() -> None:
    text = """
        class Base: ...

        class One(Base):
            def hook(self): ...

        class Two(Base): ...

        def ask(one: Base):
            return hasattr(one, "hook")

        print(ask(One()), ask(Two()))
    """
    rule = 'hook = ["hook"]\nfamily = ["subclasses:Nothing"]\n'
    lost = text.replace("def hook(self): ...", "pass")
    (finding,) = found("hook-required", rule, lost, text)
    assert (finding.message, finding.place.line) == ("One no longer has hook", 4)
    assert found("hook-required", rule, text, text) == []


def test_fingerprints_outlive_moves() -> None:
    rule = 'from = ["top"]\nto = ["bottom"]\n'
    one = found("never-reach", rule, _REACH)
    other = found("never-reach", rule, "\n\nx = 1\n" + dedent(_REACH).replace("middle()", "middle( )"))
    assert [f.fingerprint for f in one] == [f.fingerprint for f in other]
    assert len(one[0].fingerprint) == 20


def test_names_that_are_not_there_make_a_rule_idle() -> None:
    rule = read_rule(
        (_HEAD.format("never-reach", "never-reach") + 'from = ["no"]\nto = ["nothing"]').encode(), "r", "r"
    )
    with in_memory({"m.py": "x = 1\n"}) as tree:
        assert [run.state for run in run_rules([rule], tree.checked(()), frozenset())[1]] == ["idle"]


_TABLES = """
id = "r"
kind = "must-precede"
severity = "error"
summary = "s"

[[must-precede]]
first = ["layout"]
second = ["capture"]
in = ["start"]
unless = ["draft"]

[[must-precede]]
first = ["layers"]
second = ["capture"]
in = ["start"]
unless = ["plain"]
"""


def test_each_table_of_a_rule_is_looked_at_for_itself() -> None:
    """A condition that excuses one does not excuse the other; a table of which nothing is there leaves the other one."""
    rule = read_rule(_TABLES.encode(), "r/rule.toml", "r")
    text = """
        def layout(): ...

        def layers(): ...

        def capture(): ...

        def start(draft, plain):
            if not draft:
                layout()
            if not draft:
                layers()
            capture()
    """
    with in_memory({"m.py": dedent(text)}) as tree:
        found, (run,) = run_rules([rule], tree.checked(()), frozenset())
    assert [f.message for f in found] == ["capture runs without layers in start when draft"]
    assert (run.state, run.reason, run.findings) == ("ran", "", 1)
    with in_memory({"m.py": dedent(text).replace("layers", "others")}) as tree:
        found, (run,) = run_rules([rule], tree.checked(()), frozenset())
    assert (found, run.state, run.reason) == ([], "ran", "nothing in this tree is called `layers`")


@pytest.mark.parametrize("kind", kinds().values(), ids=str)
def test_every_kind_says_what_its_keys_mean(kind: object) -> None:
    assert kind.summary.endswith(".") and kind.keys  # type: ignore[attr-defined]
    assert all(key.meaning and not key.meaning.endswith(".") for key in kind.keys)  # type: ignore[attr-defined]


def test_methods_of_a_base_are_meant_under_the_name_of_a_class() -> None:
    text = """
        class Mixin:
            def first(self): ...

        class Runner(Mixin):
            def start(self):
                self.second()
                self.first()

            def second(self): ...
    """
    rule = 'first = ["Runner.first"]\nsecond = ["Runner.second"]\nin = ["Runner.start"]\n'
    assert [f.message for f in found("must-precede", rule, text)] == ["first runs after second in Runner.start"]


def test_a_condition_beside_its_opposite_is_no_way() -> None:
    text = """
        import os

        def first(): ...
        def other(): ...
        def second(): ...

        def start():
            if os.environ.get("X") == "1":
                first()
            else:
                other()
            second()
    """
    rule = 'first = ["first", "other"]\nsecond = ["second"]\nin = ["start"]\n'
    assert found("must-precede", rule, text) == []


def test_what_is_not_in_the_tree_is_never_missed() -> None:
    rule = 'first = ["gone"]\nsecond = ["second"]\nin = ["start"]\n'
    assert found("must-precede", rule, "def second(): ...\n\ndef start():\n    second()\n") == []


def test_functions_outside_the_tree() -> None:
    text = "import os\n\ndef start():\n    os.system('x')\n"
    assert lines("never-reach", 'from = ["start"]\nto = ["os.system"]\n', text) == [4]
    assert lines("never-reach", 'from = ["start"]\nto = ["os.popen"]\n', text) == []


def test_an_override_that_never_calls_its_base() -> None:
    text = """
        def fill(): ...

        class Base:
            def start(self):
                fill()

        class Good(Base):
            def start(self):
                super().start()

        class Bad(Base):
            def start(self):
                print("own")
    """
    assert lines("override-calls-super", 'method = ["Base.start"]\n', text) == [13]
    named = found("override-calls-super", 'method = ["Base.start"]\ncalls = ["fill"]\n', text)
    assert [f.message for f in named] == ["Bad.start never runs fill, which Base.start runs"]
    assert lines("override-calls-super", 'method = ["Base.start"]\nexcept = ["Bad.start"]\n', text) == []


_HANDED = """
    class Table:
        def fill(self): ...

    class Other:
        def fill(self): ...

    class Backend:
        def run(self, once):
            once()

    class Base:
        def __init__(self):
            self.backend = Backend()
            self.table = Table()

        def capture(self):
            def once():
                self.table.fill()

            self.backend.run(once)

    class Good(Base):
        def capture(self):
            def once():
                Other().fill()

            self.backend.run(once)

    class Polite(Base):
        def capture(self):
            print("before")
            super().capture()

    class Bad(Base):
        def capture(self):
            def once():
                print("own")

            self.backend.run(once)
"""


def test_an_override_that_hands_on_another_function() -> None:
    """What hands the functions on runs all of them; the one nested in another override does not count as this one's."""
    (bad,) = found("override-calls-super", 'method = ["Base.capture"]\ncalls = ["**.fill"]\n', _HANDED)
    assert bad.message == "Bad.capture never runs fill, which Base.capture runs"
    assert [(note.place.function, note.place.line, note.text) for note in bad.notes] == [
        ("m.Base.capture.once", 19, "Base.capture runs fill")
    ]
    own = found("override-calls-super", 'method = ["Base.capture"]\ncalls = ["Table.fill"]\n', _HANDED)
    assert [f.place.function for f in own] == ["m.Good.capture", "m.Bad.capture"]


def test_an_override_need_not_run_what_its_base_does_not() -> None:
    text = _HANDED.replace("self.table.fill()", "print()")
    assert lines("override-calls-super", 'method = ["Base.capture"]\ncalls = ["**.fill"]\n', text) == []
