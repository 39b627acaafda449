"""What detectors see, as JSON documents."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.detect import Detected, FamilyAnswer, Member
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.view import View


def family_json(answer: FamilyAnswer, view: View) -> Iterator[str]:
    """Write the answer to `family`."""
    own = {
        "class": answer.cls,
        "place": answer.place,
        "members": [_member(member) for member in answer.members],
        "gaps": [detected_document(gap) for gap in answer.gaps],
    }
    yield pretty(document(view, None, None, own))


def _member(member: Member) -> Document:
    return {
        "class": member.cls,
        "place": member.place,
        "bases": member.bases,
        "outside": member.outside,
        "is_made": member.is_made,
        "replaced": member.replaced,
    }


def detected_document(one: Detected) -> Document:
    """Return what a detector sees as documents have it."""
    return {
        "kind": one.kind,
        "form": one.form,
        "class": one.owner,
        "attribute": one.name,
        "base": one.base or None,
        "method": one.method or None,
        "message": one.message,
        "place": one.place,
        "precision": one.precision,
        "surprise": one.surprise,
        "evidence": [{"place": note.place, "what": note.text} for note in one.notes],
        "guards": one.guards,
    }
