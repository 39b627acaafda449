"""What can be stored in a variable, where its None comes from, and what readers do with it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codepath.analysis.variables.rules import never_none, set_before_read
from codepath.model.values import ValuesAnswer, Writer
from tests.asking import Asked


def answer(source: str, name: str = "X", owner: str = "m", **more: str) -> ValuesAnswer:
    files = {"m.py": dedent(source), **{f"{other}.py": dedent(text) for other, text in more.items()}}
    asked = Asked(files)
    return asked.values.of(asked.variable(owner, name))


def last_store(found: ValuesAnswer) -> Writer:
    return [w for w in found.writers if w.how == "store"][-1]


def stored(body: str, setup: str = "") -> Writer:
    """Return what `X = value()` in a function stores, `value` having a body."""
    source = f"{dedent(setup)}\nX = 1\n\ndef value(p=None, q=0):\n{dedent(body).replace(chr(10), chr(10) + '    ')}\n"
    source = source.replace("def value(p=None, q=0):\n", "def value(p=None, q=0):\n    ")
    return last_store(answer(source + "\n\ndef write(p, q):\n    global X\n    X = value(p, q)\n"))


@pytest.mark.parametrize(
    ("body", "may"),
    [
        ("return 1", False),
        ("return None", True),
        ("return", True),
        ("pass", True),
        ("if q:\n    return 1", True),
        ("if q:\n    return 1\nelse:\n    return 2", False),
        ("raise ValueError", False),
        ("x = None\nx = 1\nreturn x", False),
        ("x = None\nif q:\n    x = 1\nreturn x", True),
        ("x = None\nif x is None:\n    x = 1\nreturn x", False),
        ("x = None\nif not x:\n    return 1\nreturn x", False),
        ("x = q.get('a')\nassert x is not None\nreturn x", False),
        ("x = q.get('a')\nif x is None:\n    raise ValueError\nreturn x", False),
        ("x = q.get('a')\nreturn x or 1", False),
        ("x = q.get('a')\nreturn x and 1", True),
        ("x = q.get('a')\nreturn 1 if x is None else x", False),
        ("x = q.get('a')\nx.y\nreturn x", False),
        ("x = q.get('a')\nwhile x is None:\n    x = q.get('b')\nreturn x", False),
        ("for x in [1, None]:\n    pass\nreturn x", True),
        ("for x in [1, 2]:\n    pass\nreturn x", False),
        ("a, b = 1, None\nreturn a", False),
        ("a, b = 1, None\nreturn b", True),
        ("if (x := q.get('a')) is None:\n    return 1\nreturn x", False),
        ("try:\n    x = None\n    x = 1\nexcept ValueError:\n    pass\nreturn x", True),
        ("try:\n    return 1\nfinally:\n    q.close()", False),
        ("x = q.get('a')\nif isinstance(x, int):\n    return x\nreturn 1", False),
        ("return [x for x in q]", False),
        ("return {}.get('k', 1)", None),
        ("return getattr(q, 'a', None)", True),
        ("return q == 1", False),
        ("return lambda: None", False),
        ("match q:\n    case 1:\n        return 1\n    case _:\n        return 2", False),
        ("with open('a') as f:\n    return 1", False),
        ("del q\nreturn 1", False),
    ],
)
def test_what_a_function_can_return(body: str, may: bool | None) -> None:
    assert stored(body).may_be_none is may


def test_a_chain_names_conditions_returns_calls_and_stores() -> None:
    found = answer(
        """
        X = None

        def low(c):
            if hasattr(c, "hook"):
                return c
            else:
                return None

        def high(c):
            got = low(c)
            if got is None:
                return None
            return got.value + 1

        def set_x(value):
            global X
            X = value

        def main(c):
            set_x(high(c))
        """
    )
    setter = next(w for w in found.writers if w.how == "setter")
    assert setter.through == "m.set_x"
    assert [hop.place.line for hop in setter.none_chain] == [5, 8, 11, 12, 13, 21]
    assert setter.none_chain[0].reason == 'when not `hasattr(c, "hook")`'
    assert setter.total == 1


def test_a_return_behind_a_test_that_never_holds_is_no_cause() -> None:
    body = "x = make(q)\nif x is None:\n    return None\nreturn x"
    assert stored(body, "def make(q):\n    return [q]\n").may_be_none is False


def test_what_is_not_known_is_said_to_be_so() -> None:
    found = stored("import elsewhere\nreturn elsewhere.thing(q)")
    assert found.may_be_none is None
    assert [hop.reason for hop in found.unknown] == ["the result of `elsewhere.thing`, outside the tree"]


def test_arguments_are_those_of_the_call_that_is_followed() -> None:
    found = answer(
        """
        X = 1
        Y = 2

        def same(value):
            return value

        def one():
            global X
            X = same(1)

        def other():
            global Y
            Y = same(None)
        """
    )
    assert last_store(found).may_be_none is False


def test_defaults_and_keywords() -> None:
    source = """
        X = 1

        def set_x(first, value=None, *, other=2):
            global X
            X = value

        def main():
            set_x(1)
            set_x(1, 2)
            set_x(first=None, value=3)
            set_x(1, None)
        """
    calls = [w for w in answer(source).writers if w.how == "setter"]
    assert [(w.place.line, w.may_be_none) for w in calls] == [(9, True), (10, False), (11, False), (12, True)]


def test_tables_of_keywords() -> None:
    source = """
        X = 1

        def set_x(first=0, value=None):
            global X
            X = value

        def main(more):
            set_x(**{"value": 1})
            set_x(**dict(first=2))
            table = {"first": None}
            table["value"] = 3
            set_x(**table)
            set_x(**more)
        """
    calls = [w for w in answer(source).writers if w.how == "setter"]
    assert [(w.place.line, w.may_be_none, bool(w.unknown)) for w in calls] == [
        (9, False, False),
        (10, True, False),
        (13, False, False),
        (14, True, True),
    ]


def test_a_lazy_getter_never_gives_none() -> None:
    found = answer(
        """
        X = None

        def get_x():
            global X
            if X is None:
                X = [1]
            return X

        def main():
            get_x().append(2)
        """
    )
    assert found.getters == ("m.get_x",)
    reader = next(r for r in found.readers if r.place.line == 11)
    assert (reader.how, reader.requires_set, reader.through) == ("dereference", False, "m.get_x")
    assert [(w.how, w.place.line) for w in found.writers] == [("store", 2), ("store", 7), ("mutate", 11)]


def test_readers_through_locals_and_arguments() -> None:
    found = answer(
        """
        X = None

        def get_x():
            return X

        def need(value, flag):
            if flag:
                assert value is not None

        def main(flag):
            x = get_x()
            if x is None:
                print(x)
            else:
                x.run()
            need(get_x(), flag)
            get_x().run()
            y = get_x()
            if y is None:
                raise ValueError
            y.run()
        """
    )
    rows = [(r.place.line, r.how, r.requires_set) for r in found.readers]
    assert rows == [
        (5, "use", False),
        (9, "assert", True),
        (12, "use", False),
        (13, "test", False),
        (16, "dereference", False),
        (17, "use", False),
        (18, "dereference", True),
        (19, "use", True),
        (20, "assert", True),
        (22, "dereference", False),
    ]


def test_a_call_that_stores_ends_what_was_checked() -> None:
    found = answer(
        """
        X = None
        Y = 0

        def clear():
            global X
            X = None

        def keep():
            pass

        def one():
            global Y
            assert X is not None
            keep()
            Y = X

        def two():
            global Y
            assert X is not None
            clear()
            Y = X
        """,
        "Y",
    )
    assert [(w.place.line, w.may_be_none) for w in found.writers] == [(3, False), (16, False), (22, True)]


def test_other_modules_read_and_store_a_global() -> None:
    found = answer(
        "X = None\n",
        one="import m\n\ndef f():\n    m.X = 1\n",
        two="from m import X as Z\n\ndef g():\n    return Z.a\n",
        three="from two import Z\nfrom m import X\n\ndef h(X):\n    return X.a\n",
        four="import m as mm\n\ndef k():\n    del mm.X\n",
    )
    assert [(w.place.file, w.place.line, w.how) for w in found.writers] == [
        ("m.py", 1, "store"),
        ("one.py", 4, "store"),
        ("four.py", 4, "delete"),
    ]
    assert [(r.place.file, r.place.line, r.how) for r in found.readers] == [("two.py", 4, "dereference")]


CLASS = """
    class Base:
        shared = None

        def __init__(self, a):
            self.a = a

    class C(Base):
        def __init__(self, a, b=None):
            super().__init__(a)
            self.b = b

        def use(self):
            if self.b is not None:
                self.b.run()
            self.a.run()
            return self.shared.x

    class Other:
        def __init__(self):
            self.b = 3

    def main(c: C, o: Other):
        C(1)
        C(None, 2)
        c.b.stop()
        o.b.stop()
    """


def test_attributes_of_a_class() -> None:
    found = answer(CLASS, "b", "m.C")
    assert [(w.place.line, w.how, w.may_be_none) for w in found.writers] == [
        (11, "store", True),
        (24, "setter", True),
        (25, "setter", False),
    ]
    assert [(r.place.line, r.how, r.requires_set) for r in found.readers] == [
        (14, "test", False),
        (15, "dereference", False),
        (26, "dereference", True),
    ]


def test_attributes_come_from_bases() -> None:
    found = answer(CLASS, "a", "m.C")
    assert [(w.place.line, w.may_be_none) for w in found.writers if w.how == "store"] == [(6, True)]
    shared = answer(CLASS, "shared", "m.C")
    assert [(w.place.line, w.may_be_none) for w in shared.writers] == [(3, True)]
    assert [(r.place.line, r.requires_set) for r in shared.readers] == [(17, True)]


def test_fields_of_a_dataclass() -> None:
    found = answer(
        """
        from dataclasses import dataclass

        @dataclass
        class D:
            a: int
            b: object = None

        X = 0

        def main(d: D):
            global X
            X = D(1).a
            X = D(1, b=2).b
        """
    )
    assert [(w.place.line, w.may_be_none) for w in found.writers] == [(9, False), (13, False), (14, True)]


def test_constructions_write_fields() -> None:
    source = """
        from dataclasses import dataclass

        @dataclass
        class D:
            a: int
            b: object = None

        def main():
            D(1)
            D(1, 2)
            D(a=None, b=None).b.run()
        """
    found = answer(source, "b", "m.D")
    rows = [(w.place.line, w.how, w.may_be_none) for w in found.writers]
    assert rows == [(7, "store", True), (11, "setter", False), (12, "setter", True)]
    assert [(r.place.line, r.how) for r in found.readers] == [(12, "dereference")]


def test_the_value_of_a_read() -> None:
    source = """
        X = None

        def get_x():
            return X

        def main(flag):
            x = get_x()
            assert x is not None
            x.run()
        """
    values = Asked({"m.py": dedent(source)}).values
    asserted = values.value_at("m.main", 9, "x")
    assert asserted is not None
    assert [[hop.place.line for hop in chain] for chain in asserted.chains] == [[2, 5, 8]]
    checked = values.value_at("m.main", 10, "x")
    assert checked is not None
    assert checked.may_be_none is False
    assert values.value_at("m.main", 10, "y") is None


def test_what_a_setter_stores() -> None:
    source = """
        class Slots:
            x = None

        S = Slots()

        def slots() -> Slots:
            return S

        def set_x(value):
            slots().x = value

        def get_x():
            return slots().x

        def main(table):
            set_x(1)
            set_x(table.get("a"))
            get_x().run()
        """
    asked = Asked({"m.py": dedent(source)})
    setter, getter = asked.bodies.scope("m.set_x"), asked.bodies.scope("m.get_x")
    assert setter is not None
    assert getter is not None
    stored_value = asked.values.stored_by(setter)
    assert stored_value is not None
    assert (stored_value.place.line, stored_value.may_be_none) == (18, True)
    assert asked.values.stored_by(getter) is None
    found = asked.values.of(asked.variable("m.Slots", "x"))
    assert [(w.place.line, w.how) for w in found.writers] == [
        (3, "store"),
        (11, "store"),
        (17, "setter"),
        (18, "setter"),
    ]
    assert [(r.place.line, r.how, r.through) for r in found.readers if r.through] == [(19, "dereference", "m.get_x")]


def test_rules_about_variables() -> None:
    source = """
        X = None

        def set_x(value):
            global X
            X = value

        def get_x():
            return X

        def work():
            get_x().run()

        def main(flag, table):
            if flag:
                set_x(table.get("x"))
            work()

        def other():
            work()
        """
    asked = Asked({"m.py": dedent(source)}, entries=("m.main", "m.other"))
    found = asked.values.of(asked.variable("m", "X"))
    nones = list(never_none(found))
    assert [(f.kind, f.place.line, [h.place.line for h in f.hops]) for f in nones] == [("never-none", 16, [16])]
    unset = {(f.steps[0].caller, f.place.line): [g.text for g in f.guards] for f in set_before_read(found)}
    assert unset == {("m.other", 12): [], ("m.main", 12): ["flag"]}


def test_a_constructor_sets_attributes_before_any_read_but_no_global() -> None:
    source = """
        X = None

        class C:
            def __init__(self):
                global X
                X = 1
                self.setup()

            def setup(self):
                self.a = 2

            def use(self):
                return self.a.b + X.c

        def main(c: C):
            c.use()
        """
    asked = Asked({"m.py": dedent(source)}, entries=("m.main",))
    assert asked.values.of(asked.variable("m.C", "a")).unset_reads == ()
    ways = asked.values.of(asked.variable("m", "X")).unset_reads
    assert [(way.entry, way.reader.line) for way in ways] == [("m.main", 14)]


def test_coroutines_generators_and_context_managers() -> None:
    found = answer(
        """
        from contextlib import contextmanager

        X = 0

        async def later():
            return None

        @contextmanager
        def held():
            yield None

        async def main():
            global X
            X = later()
            X = await later()
            X = held()
            with held() as h:
                X = h
        """
    )
    assert [(w.place.line, w.may_be_none) for w in found.writers] == [
        (4, False),
        (15, False),
        (16, True),
        (17, False),
        (19, True),
    ]


@pytest.mark.parametrize(
    ("source", "states"),
    [
        ("X = None\n", ("none",)),
        ("X = 1\n", ("set",)),
        ("X: int\n\ndef f():\n    global X\n    X = 1\n", ("unset", "set")),
        ("X = None\n\ndef f():\n    global X\n    X = 1\n", ("none", "set")),
        ("X = 1\n\ndef f():\n    global X\n    del X\n", ("unset", "set")),
        ("import o\nX = o.f()\n", ("set", "unknown")),
    ],
)
def test_states(source: str, states: tuple[str, ...]) -> None:
    assert answer(source).states == states


def test_recursion_ends() -> None:
    body = "if q:\n    return value(p, q - 1)\nreturn 1"
    assert stored(body).may_be_none is False


def test_getattr_with_a_constant_name_reads_an_attribute() -> None:
    source = """
    class Choice:
        @classmethod
        def prepare(cls):
            if getattr(cls, "picked", None) is not None:
                return
            cls.picked = "wide"

        @classmethod
        def get(cls):
            found = getattr(cls, "picked", None)
            assert found is not None
            return found

        def other(self, name):
            return getattr(self, name), getattr(self, "else", "picked")
    """
    found = answer(source, "picked", "m.Choice")
    assert {(r.place.line, r.how) for r in found.readers} == {(5, "test"), (11, "use"), (12, "assert")}
