"""The answers to `hooks` as JSON documents."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.hooks import Holder, HookAnswer, HookRow, HooksAnswer, Lookup
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.view import View


def hook_json(answer: HookAnswer, view: View) -> Iterator[str]:
    """Write the answer to `hooks NAME`."""
    own = {
        "hook": answer.hook,
        "family": answer.family,
        "registry": answer.registry or None,
        "have": answer.have,
        "lack": answer.lack,
        "unknown": answer.unknown,
        "lookups": [_lookup(one) for one in answer.lookups],
        "classes": [_class(one) for one in answer.classes],
    }
    yield pretty(document(view, None, answer.truncated, own))


def _lookup(lookup: Lookup) -> Document:
    return {
        "place": lookup.place,
        "style": lookup.style,
        "on": lookup.on,
        "receiver": lookup.receiver,
        "can_be": lookup.can_be,
        "if_missing": lookup.if_missing,
        "missing": lookup.missing or None,
        "missing_place": lookup.missing_place,
        "guards": lookup.guards,
    }


def _class(holder: Holder) -> Document:
    provider = holder.provider
    source = {"class": provider.cls, "how": provider.how, "place": provider.place} if provider is not None else None
    alike = {"feature": holder.like, "have": holder.like_have, "total": holder.like_total} if holder.like else None
    return {
        "class": holder.cls,
        "file": holder.file,
        "line": holder.line,
        "has": holder.has,
        "from": source,
        "why": holder.why or None,
        "wraps": holder.wraps or None,
        "hides": holder.hides or None,
        "like": alike,
        "surprise": holder.surprise if alike else None,
        "bases": (*holder.bases, *holder.outside),
    }


def hooks_json(answer: HooksAnswer, view: View) -> Iterator[str]:
    """Write the answer to `hooks` without a name."""
    own = {"hooks": [_row(row) for row in answer.hooks], "gaps": answer.gaps}
    yield pretty(document(view, None, answer.truncated, own))


def _row(row: HookRow) -> Document:
    return {
        "hook": row.hook,
        "family": row.family,
        "on": row.on,
        "styles": row.styles,
        "if_missing": row.if_missing,
        "places": row.places,
        "have": row.have,
        "lack": row.lack,
        "unknown": row.unknown,
        "surprising": row.surprising,
        "surprise": row.surprise if row.surprising else None,
    }
