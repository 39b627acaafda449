"""The answer to `siblings --family`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.siblings import Enumeration, MemberFamily, MembersAnswer
from codepath.report.common import skipped_lines
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.pen import Span, pad
from codepath.report.view import View, count

_MOST = 12
_MOST_MEMBERS = 30
_WIDE = 48
_KINDS = {"globals": "globals of one class", "classes": "classes below one base", "enum": "an enumeration"}


def members_json(answer: MembersAnswer, view: View) -> Iterator[str]:
    """Write the answer as a document."""
    own: Document = {"families": answer.families}
    yield pretty(document(view, None, None, own))


def members_text(answer: MembersAnswer, view: View) -> Iterator[str]:
    """Write each family, its members, and the places that name several of them."""
    everything = bool(view.query.get("all"))
    if not answer.families:
        yield view.pen.line(Span("NONE", "answer"), ": no place names nearly all members of a family.")
    for number, family in enumerate(answer.families):
        if number:
            yield view.pen.line()
        yield from _family(family, view, everything)
    yield from skipped_lines(view)


def _family(family: MemberFamily, view: View, everything: bool) -> Iterator[str]:
    where = view.place(family.place.file, family.place.line)
    yield view.pen.line(Span(_short(family.of), "name"), f"  {_KINDS[family.kind]}  ", where)
    names = [_short(member.name) for member in family.members]
    shown = names if everything else names[:_MOST_MEMBERS]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    yield view.pen.line(f"  {count(len(names), 'member')}: {', '.join(shown)}{more}")
    found = family.enumerations if everything else family.enumerations[:_MOST]
    for one in found:
        yield from _enumeration(family, one, view)
    if len(family.enumerations) > len(found):
        yield view.pen.line(f"  ... {len(family.enumerations) - len(found)} more places: --all")
    if not family.enumerations:
        yield view.pen.line("  no place is seen to name several of them")


def _enumeration(family: MemberFamily, one: Enumeration, view: View) -> Iterator[str]:
    name = _short(one.place.function)
    where = view.place(one.place.file, one.place.line)
    mark = "  others name them" if one.precision == "high" else ""
    yield view.pen.line()
    said = f"  names {len(one.covers)} of {len(family.members)}"
    yield view.pen.line("  ", Span(name, "name"), pad(_WIDE, name), where, said, Span(mark, "dim"))
    if one.misses:
        yield view.pen.line("    leaves out ", Span(", ".join(_short(miss) for miss in one.misses), "warning"))


def _short(name: str) -> str:
    parts = name.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]
