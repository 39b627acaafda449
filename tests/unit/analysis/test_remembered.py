"""What running functions comes to, kept between questions."""

from __future__ import annotations

from codepath.analysis.known import NOTHING_KNOWN, Facts, Known, without_places
from codepath.analysis.remembered import MOST, Remembered
from codepath.model.answers import Place


def test_what_is_kept_is_found_under_the_same_facts_alone() -> None:
    first = Remembered({})
    first.put("m.f", NOTHING_KNOWN, 0, 0, (5, 1))
    grown = first.grown()
    assert grown is not None
    again = Remembered(grown)
    assert again.get("m.f", NOTHING_KNOWN, 0, 0) == (5, 1)
    assert again.get("m.f", NOTHING_KNOWN, 1, 0) is None
    assert again.get("m.f", Facts(cls="m.C"), 0, 0) is None
    assert again.grown() is None


def test_the_newest_are_kept() -> None:
    first = Remembered({number.to_bytes(12, "big"): (1, 1) for number in range(MOST)})
    first.put("m.f", NOTHING_KNOWN, 0, 0, (5, 1))
    grown = first.grown()
    assert grown is not None and len(grown) == MOST
    assert Remembered(grown).get("m.f", NOTHING_KNOWN, 0, 0) == (5, 1)


def test_facts_without_places_differ_where_values_do() -> None:
    here, there = Place("m.py", 1, 0, "m"), Place("m.py", 2, 0, "m")
    facts = [Facts(params=(("flag", Known(value, place)),)) for value in (True, 1) for place in (here, there)]
    assert len({without_places(one) for one in facts}) == 2
