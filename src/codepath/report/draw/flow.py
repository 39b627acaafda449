"""How the steps of a picture follow each other: boxes inside boxes, and arrows in run order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codepath.model.pictures import Picture, PictureStep
from codepath.report.draw.words import kind_of

START = 0


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow between two steps, `START` for the function itself; form is `then`, `or`, `skipped` or `starts`."""

    tail: int
    head: int
    form: str


class Flow:
    """The steps of a picture by parent, and the arrows between them.

    Of several steps one of which runs, each follows what is before them all, or, `in_column`, the one above it.
    """

    def __init__(self, picture: Picture, *, in_column: bool = False) -> None:
        self._in_column = in_column
        self.inside: dict[int, list[PictureStep]] = {}
        for step in picture.steps:
            self.inside.setdefault(step.parent, []).append(step)
        self.arrows: list[Arrow] = []
        self._run(START, [START])

    def _run(self, parent: int, ends: list[int]) -> list[int]:
        """Draw what runs in a step; return the steps with which it ends."""
        for group in groups(self.inside.get(parent, ())):
            after: list[int] = []
            for number, step in enumerate(group):
                is_one = number > 0 if self._in_column else len(group) > 1
                form = _form(step) or ("or" if is_one else "then")
                before = after if self._in_column and after else ends
                tails = before[-1:] if form == "skipped" or self._in_column else before
                self.arrows += [Arrow(tail, step.number, form) for tail in tails]
                inner = self._run(step.number, [step.number])
                if form in ("then", "or"):
                    after += inner
            ends = after or ends
        return ends


def _form(step: PictureStep) -> str:
    """Return the form of the arrow to a step that the next one does not wait for, "" for other steps."""
    return "skipped" if step.change == "dropped" else _FORMS.get(kind_of(step), "")


_FORMS = {"skipped": "skipped", "starts": "starts", "later": "starts"}


def groups(steps: Sequence[PictureStep]) -> Iterator[list[PictureStep]]:
    """Yield steps one by one, those of which only one runs together."""
    group: list[PictureStep] = []
    for step in steps:
        if group and not any(other.number in step.excludes for other in group):
            yield group
            group = []
        group.append(step)
    if group:
        yield group
