"""Answers as JSON documents. DESIGN.md section 6 is the contract, `schemas/` its machine form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from codepath.model.answers import (
    EntriesAnswer,
    IndexAnswer,
    Path,
    ReachAnswer,
    Reason,
    Skipped,
    SourceInfo,
    Stats,
    StatusAnswer,
    Step,
    StepsAnswer,
    SymbolsAnswer,
    Truncation,
    Unresolved,
)
from codepath.model.values import NoneHop, ValuesAnswer, Writer
from codepath.report.assumed import assumed_document
from codepath.report.detect_json import detected_document
from codepath.report.encode import pretty, rows
from codepath.report.version import SCHEMA, VERSION
from codepath.report.view import View

Document = dict[str, object]
NO_SOURCE = SourceInfo("", "", 0, 0, ())


def document(view: View, stats: Stats | None, truncated: Truncation | None, own: Mapping[str, object]) -> Document:
    """Return a document: what all have, then what is the command's own."""
    return {
        "codepath": {"version": VERSION, "schema": SCHEMA},
        "source": _source(view.source),
        "query": dict(view.query),
        "stats": _stats(stats or Stats(), view.seconds),
        "truncated": truncated,
        **own,
    }


def _source(source: SourceInfo) -> Document:
    skipped = [{"path": path, "reason": reason} for path, reason in source.skipped]
    sizes = {"files": source.files, "lines": source.lines}
    return {"spec": source.spec, "root": source.root, **sizes, "skipped": skipped}


def _stats(stats: Stats, seconds: float | None = None) -> Document:
    """Return counts of call sites; those that are in none of the tiers lead outside the tree."""
    found: Document = {
        "call_sites": stats.call_sites,
        "exact": stats.exact,
        "inferred": stats.inferred,
        "family": stats.family,
        "by_name": stats.by_name,
        "outside": stats.outside,
        "unresolved": stats.unresolved,
    }
    return found if seconds is None else {**found, "seconds": round(seconds, 3)}


def reach_json(answer: ReachAnswer, view: View) -> Iterator[str]:
    """Write the answer to `reach`."""
    own = {
        "target": answer.target,
        "call_sites": answer.call_sites,
        "entries": answer.entries,
        "paths": [_path(p) for p in answer.paths],
        "groups": answer.groups,
        "guards_always": answer.guards_always,
        "nearest_miss": answer.nearest_miss,
        "spelled": answer.spelled,
        "bypasses": answer.bypasses,
        "stored_value": writer_document(answer.stored_value) if answer.stored_value is not None else None,
        "hooks": answer.hooks,
        **assumed_document(answer),
    }
    yield pretty(document(view, answer.stats, answer.truncated, own))


def _path(path: Path) -> Document:
    return {
        "entry": path.entry,
        "steps": path.steps,
        "feasible": path.feasible,
        "contradiction": path.contradiction,
        "order": path.order,
    }


def values_json(answer: ValuesAnswer, view: View) -> Iterator[str]:
    """Write the answer to `values`."""
    own = {
        "variable": answer.variable,
        "kind": answer.kind,
        "place": answer.place,
        "states": answer.states,
        "setters": answer.setters,
        "getters": answer.getters,
        "writers": [writer_document(writer) for writer in answer.writers],
        "readers": answer.readers,
        "unset_reads": answer.unset_reads,
        "gaps": [detected_document(gap) for gap in answer.gaps],
    }
    yield pretty(document(view, answer.stats, answer.truncated, own))


def writer_document(writer: Writer) -> Document:
    """Return a writer as documents have it."""
    return {
        "place": writer.place,
        "how": writer.how,
        "through": writer.through,
        "value": writer.value,
        "may_be_none": writer.may_be_none,
        "none_chain": [_hop(hop) for hop in writer.none_chain],
        "none_causes": {"shown": [[_hop(hop) for hop in chain] for chain in writer.causes], "total": writer.total},
        "unknown": [_hop(hop) for hop in writer.unknown],
        "guards": writer.guards,
    }


def _hop(hop: NoneHop) -> Document:
    place = hop.place
    own = {"file": place.file, "line": place.line, "column": place.column, "function": place.function}
    return {**own, "reason": hop.reason}


def steps_json(answer: StepsAnswer, view: View) -> Iterator[str]:
    """Write the answer to `callers` or `callees`."""
    own = {"target": answer.target, "steps": answer.steps, "unresolved": answer.unresolved}
    yield pretty(document(view, answer.stats, answer.truncated, own))


def symbols_json(answer: SymbolsAnswer, view: View) -> Iterator[str]:
    """Write the answer to `symbols`."""
    yield pretty(document(view, None, answer.truncated, {"symbols": answer.symbols}))


def entries_json(answer: EntriesAnswer, view: View) -> Iterator[str]:
    """Write the answer to `entries`; `uncalled` is null where it was not asked for."""
    uncalled = answer.uncalled if view.query.get("uncalled") else None
    own = {"entries": answer.entries, "registries": answer.registries, "uncalled": uncalled}
    yield pretty(document(view, None, None, own))


def _skipped(skipped: Iterable[Skipped]) -> list[Document]:
    return [{"path": s.path, "reason": s.reason, "line": s.line, "column": s.column} for s in skipped]


def index_json(answer: IndexAnswer, view: View) -> Iterator[str]:
    """Write the answer to `index`."""
    own = {
        "files": answer.files,
        "parsed": answer.parsed,
        "classes": answer.classes,
        "functions": answer.functions,
        "entries": [{"kind": kind, "count": number} for kind, number in answer.entries],
        "namespace_folders": answer.namespace_folders,
        "byte_order_marks": answer.byte_order_marks,
        "skipped": _skipped(answer.skipped),
        "cache": {"path": answer.cache, "bytes": answer.database},
    }
    yield pretty(document(view, answer.stats, None, own))


def status_json(answer: StatusAnswer, view: View) -> Iterator[str]:
    """Write the answer to `status`."""
    from codepath.report.draw.graphviz import drawers

    reasons = [_reason(reason) for reason in answer.unresolved]
    own = {
        "files": answer.files,
        "lines": answer.lines,
        "stored": answer.stored,
        "solved": answer.solved,
        "skipped": _skipped(answer.skipped),
        "reasons": reasons,
        "cache": {"path": answer.cache, "bytes": answer.database, "other_versions": answer.other_versions},
        "projects": answer.projects,
        "config": answer.config,
        "rules": {"on": answer.rules_on, "off": answer.rules_off},
        "optional": drawers(),
    }
    yield pretty(document(view, answer.stats, None, own))


def _reason(reason: Reason) -> dict[str, object]:
    return {
        "reason": reason.reason,
        "count": reason.count,
        "examples": _counted(reason.examples),
        "receivers": [
            {
                "receiver": r.text,
                "owner": r.owner,
                "count": r.count,
                "functions": r.functions,
                "calls": _counted(r.calls),
                "places": r.places,
                "teach": r.teach,
            }
            for r in reason.receivers
        ],
    }


def _counted(counts: Iterable[tuple[str, int]]) -> list[dict[str, object]]:
    return [{"text": text, "count": number} for text, number in counts]


def cache_json(path: str, freed: int, view: View) -> Iterator[str]:
    """Write what tending the cache did."""
    yield pretty(document(view, None, None, {"cache": {"path": path, "freed": freed}}))


def graph_rows(items: Iterable[Step | Unresolved]) -> Iterator[str]:
    """Write steps or unresolved call sites, one JSON row a line."""
    empty = True
    for chunk in rows(items):
        yield chunk
        empty = False
    if not empty:
        yield "\n"


def graph_json(items: Iterable[Step | Unresolved], key: str, stats: Stats | None, view: View) -> Iterator[str]:
    """Write steps or unresolved call sites as one document, a row a line, under `key`."""
    head = pretty(document(view, stats, None, {})).removesuffix("\n}\n")
    yield f'{head},\n  "{key}": [\n    '
    yield from rows(items, ",\n    ")
    yield "\n  ]\n}\n"
