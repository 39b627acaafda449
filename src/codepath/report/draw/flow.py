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
    """The steps of a picture by parent, and the arrows between them."""

    def __init__(self, picture: Picture) -> None:
        self.inside: dict[int, list[PictureStep]] = {}
        for step in picture.steps:
            self.inside.setdefault(step.parent, []).append(step)
        self.arrows: list[Arrow] = []
        self._run(START, [START])

    def _run(self, parent: int, ends: list[int]) -> list[int]:
        """Draw what runs in a step; return the steps with which it ends."""
        for group in _groups(self.inside.get(parent, ())):
            after: list[int] = []
            for step in group:
                form = _FORMS.get(kind_of(step), "or" if len(group) > 1 else "then")
                tails = ends[-1:] if form == "skipped" else ends
                self.arrows += [Arrow(tail, step.number, form) for tail in tails]
                inner = self._run(step.number, [step.number])
                if form in ("then", "or"):
                    after += inner
            ends = after or ends
        return ends


_FORMS = {"skipped": "skipped", "starts": "starts", "later": "starts"}


def _groups(steps: Sequence[PictureStep]) -> Iterator[list[PictureStep]]:
    """Yield steps one by one, those of which only one runs together."""
    group: list[PictureStep] = []
    for step in steps:
        if group and not any(other.number in step.excludes for other in group):
            yield group
            group = []
        group.append(step)
    if group:
        yield group
