"""Questions as documents: a snippet, the command that a person would type, and the lines that its answer must show.

A section holds `<!-- ask: COMMAND -->` and code with the comments `finding:` (shown as wrong) and `ok:` (not shown), each with
the command's first word. `<!-- shows: WORD ... -->` names the verdicts of `arch` that count as shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codepath.checks.examples import Example, examples

Shown = set[tuple[str, int]]
_ASK = re.compile(r"<!-- ask: (?P<words>.+?) -->")
_SHOWS = re.compile(r"<!-- shows: (?P<words>.+?) -->")


@dataclass(frozen=True)
class Question:
    """One section: what is asked, of which files, and which lines are tagged."""

    title: str
    words: tuple[str, ...]
    shows: frozenset[str]
    example: Example


def questions(path: Path) -> Iterator[Question]:
    """Yield the questions of a document; a section with code asks exactly one."""
    for section in path.read_text("utf-8").split("\n## ")[1:]:
        title = section.partition("\n")[0]
        asked = _ASK.search(section)
        assert asked is not None, f"{path.name}: nothing is asked under {title!r}"
        words = tuple(asked["words"].split())
        shows = _SHOWS.search(section)
        found = list(examples(section.partition("\n")[2], words[0]))
        assert len(found) == 1, f"{path.name}: no one example under {title!r}"
        yield Question(title, words, frozenset(shows["words"].split() if shows else ()), found[0])


def shown(question: Question, answer: dict[str, Any]) -> Shown:
    """Return the lines that an answer shows as wrong."""
    return set(_JUDGES[question.words[0]](question, answer))


def _hooks(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for row in answer["classes"]:
        if row["has"] is False or row.get("hides"):
            yield row["file"], row["line"]


def _order(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield where the second thing runs first, without the first one, or where nothing tells."""
    for context in answer["contexts"]:
        if context["verdict"] not in ("before", "inside") or context["skips"] or context.get("again"):
            yield from ((place["file"], place["line"]) for place in context["then_sites"])


def _arch(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    targets = [word for flag, word in zip(question.words, question.words[1:], strict=False) if flag == "--target"]
    for row in answer["tables"]:
        if any(row["verdicts"].get(target) in question.shows for target in targets):
            yield row["place"]["file"], row["place"]["line"]


def _callers(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for step in answer["steps"]:
        yield step["file"], step["line"]


def _family(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for gap in answer["gaps"]:
        yield gap["place"]["file"], gap["place"]["line"]


def _values(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for gap in answer["gaps"]:
        yield gap["place"]["file"], gap["place"]["line"]
    for way in answer.get("unset_reads", ()):
        yield way["reader"]["file"], way["reader"]["line"]


def _siblings(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the functions that lack what others do, calls that leave out an object, enumerations that leave out a member."""
    for family in answer.get("families", ()):
        yield from ((e["place"]["file"], e["place"]["line"]) for e in family["enumerations"] if e["misses"])
    for one in answer.get("differences", ()):
        if one["form"] == "object":
            yield one["place"]["file"], one["place"]["line"]
    lacking = {name for one in answer.get("differences", ()) for name in one["lack"]}
    for one in answer.get("siblings", ()):
        if any(one["place"]["function"].endswith(name) for name in lacking):
            yield one["place"]["file"], one["place"]["line"]


def _flags(question: Question, answer: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for fault in answer["faults"]:
        if fault["precision"] != "low":
            yield fault["place"]["file"], fault["place"]["line"]


_JUDGES = {
    "flags": _flags,
    "siblings": _siblings,
    "hooks": _hooks,
    "order": _order,
    "arch": _arch,
    "callers": _callers,
    "values": _values,
    "family": _family,
}
