"""Which tier the bodies of one method have where an expression runs several of them."""

from __future__ import annotations

from tests.support import steps_of

_SHAPES = """
class Shape:
    def draw(self):
        pass
"""


def _program(count: int, base: str = "Shape") -> str:
    classes = "".join(f"class S{n}({base}):\n    def draw(self):\n        pass\n\n" for n in range(count))
    made = ", ".join(f"S{n}()" for n in range(count))
    return f"{_SHAPES}\n{classes}\ndef draw_all():\n    for shape in [{made}]:\n        shape.draw()\n"


def _tiers(source: str) -> dict[str, str]:
    steps = steps_of({"main.py": source})
    return {s.callee: s.resolution for s in steps if s.caller == "main.draw_all" and s.callee.endswith(".draw")}


def test_few_overrides_that_values_lead_to_are_inferred() -> None:
    assert _tiers(_program(3)) == {f"main.S{n}.draw": "inferred" for n in range(3)}


def test_many_overrides_say_no_more_than_their_family() -> None:
    assert _tiers(_program(4)) == {f"main.S{n}.draw": "family" for n in range(4)}


def test_many_methods_that_override_nothing_are_inferred() -> None:
    assert set(_tiers(_program(5, base="object")).values()) == {"inferred"}


def test_a_table_of_classes_is_inferred_however_long() -> None:
    source = _program(6) + "\n".join(
        [
            "",
            "def make(key):",
            "    table = {" + ", ".join(f"{n}: S{n}" for n in range(6)) + "}",
            "    return table[key]()",
        ]
    )
    steps = [s for s in steps_of({"main.py": source}) if s.caller == "main.make"]
    assert len(steps) == 6
    assert {s.resolution for s in steps} == {"inferred"}
