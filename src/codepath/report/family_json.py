"""The answer to `family` as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.detect import FamilyAnswer, Member
from codepath.report.detect_json import detected_document
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
