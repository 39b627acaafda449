"""A picture as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.pictures import Picture, PictureStep
from codepath.report.documents import document
from codepath.report.draw.words import kind_of
from codepath.report.encode import pretty
from codepath.report.view import View


def picture_json(picture: Picture, view: View) -> Iterator[str]:
    """Write a picture."""
    own = {
        "root": picture.root,
        "until": picture.until or None,
        "steps": [_step(step) for step in picture.steps],
        "lanes": picture.lanes,
        "total": picture.total,
        "hidden": picture.hidden,
        "assumed": picture.assumed,
        "versions": picture.versions,
    }
    yield pretty(document(view, None, picture.truncated, own))


def _step(step: PictureStep) -> dict[str, object]:
    return {
        "number": step.number,
        "parent": step.parent,
        "kind": kind_of(step),
        "title": step.title,
        "place": step.place,
        "hops": step.hops,
        "guards": step.guards,
        "lane": step.lane,
        "how": step.how,
        "events": step.events,
        "inside": step.inside,
        "skips": step.skips,
        "sets": step.sets,
        "shown": step.shown,
        "blocked": step.blocked,
        "denied": step.denied or None,
        "choices": step.choices,
        "excludes": step.excludes,
        "repeats": step.repeats or None,
        "hidden": step.hidden,
        "change": step.change or None,
        "was": step.was or None,
        "reads": step.reads,
        "rules": step.rules,
    }
