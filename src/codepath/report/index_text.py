"""The answers to `index` and `status` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.answers import IndexAnswer, Skipped, Stats, StatusAnswer
from codepath.report.common import next_lines
from codepath.report.excerpt import excerpt_lines
from codepath.report.lists_text import ENTRY_KINDS, size
from codepath.report.pen import Span
from codepath.report.reasons_text import reasons_text
from codepath.report.view import View, count

_MAX_SKIPPED = 5
_ENTRY_NOUNS = {
    "main": ("`__main__` module", "`__main__` modules"),
    "script": ("console script", "console scripts"),
    "spawned": ("process target", "process targets"),
    "declared": ("declared entry point", "declared entry points"),
}


def index_text(answer: IndexAnswer, view: View) -> Iterator[str]:
    """Write what indexing did; one line where nearly everything was stored already."""
    yield from _skipped(answer.skipped, view, _MAX_SKIPPED)
    seconds = f"{view.seconds:.1f} s"
    kept = answer.files - answer.parsed
    if answer.parsed == 0 or kept > 9 * answer.parsed:
        parsed = f"{count(answer.parsed, 'file')} parsed, {kept} unchanged"
        yield view.pen.line(Span("Up to date", "answer"), f" in {seconds}: {parsed}.")
        return
    every = answer.files + sum(1 for s in answer.skipped if not s.line)
    some = f" ({every - len(answer.skipped)} of {every} files)" if answer.skipped else ""
    yield view.pen.line(Span(f"Indexed {_tree(view)}", "answer"), f" in {seconds}{some}")
    yield from _size(answer, view)
    yield from _marks(answer.byte_order_marks, view)
    yield view.pen.line()
    yield from next_lines(
        view,
        [
            (view.command("reach", "NAME"), "who reaches a function, and under which guards"),
            (view.command("entries"), "the ways in"),
        ],
    )


def _tree(view: View) -> str:
    version = view.source.version
    return f"{view.source.spec} ({version})" if version else view.source.spec


def _size(answer: IndexAnswer, view: View) -> Iterator[str]:
    calls = f"{count(answer.stats.call_sites, 'call')} ({_shares(answer.stats)})"
    numbers = [count(answer.files, "file"), count(answer.classes, "class", "classes")]
    yield view.pen.line("  ", "   ".join([*numbers, count(answer.functions, "function"), calls]))
    kinds = dict(answer.entries)
    order = [k for k in ENTRY_KINDS if kinds.get(k)] + sorted(set(kinds) - set(ENTRY_KINDS))
    ways = [count(kinds[k], *_ENTRY_NOUNS.get(k, (k,))) for k in order]
    if ways:
        yield view.pen.line("  ", "   ".join(ways))
    if answer.namespace_folders:
        verb = "is treated as a package" if answer.namespace_folders == 1 else "are treated as packages"
        yield view.pen.line(f"  {count(answer.namespace_folders, 'folder')} without __init__.py {verb}")
    yield view.pen.line(f"  cache: {view.folder(answer.cache)} ({size(answer.database)})")


def _shares(stats: Stats) -> str:
    known = stats.exact + stats.inferred + stats.family + stats.outside
    parts = [("resolved", known), ("by name only", stats.by_name), ("unknown", stats.unresolved)]
    return ", ".join(f"{_percent(n, stats.call_sites)} {word}" for word, n in parts)


def _percent(part: int, whole: int) -> str:
    if 0 < 200 * part < whole:
        return "<1 %"
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def _marks(files: Sequence[str], view: View) -> Iterator[str]:
    if not files:
        return
    starts = "starts with a byte-order mark; it was" if len(files) == 1 else "start with a byte-order mark; they were"
    yield view.pen.line()
    yield view.pen.line(Span("warning", "warning"), f": {count(len(files), 'file')} {starts} read as UTF-8")
    for file in files[:_MAX_SKIPPED]:
        yield view.pen.line("  --> ", view.place(file, 1))
    if len(files) > _MAX_SKIPPED:
        yield view.pen.line(f"  ... {len(files) - _MAX_SKIPPED} more")


def _skipped(skipped: Sequence[Skipped], view: View, limit: int) -> Iterator[str]:
    if not skipped:
        return
    verb = "was" if len(skipped) == 1 else "were"
    yield view.pen.line(Span("warning", "warning"), f": {count(len(skipped), 'file')} {verb} left out")
    for item in skipped[:limit]:
        place = view.place(item.path, item.line)
        where = [place, f":{item.column + 1}"] if item.line else [place]
        if item.excerpt:
            yield view.pen.line("  --> ", *where)
            yield from excerpt_lines(view.pen, item.excerpt, item.line, item.column, item.reason)
        else:
            yield view.pen.line("  --> ", *where, "   ", item.reason)
    if len(skipped) > limit:
        yield view.pen.line(f"  ... {len(skipped) - limit} more: {view.command('status', '--format', 'json')}")


def status_text(answer: StatusAnswer, view: View) -> Iterator[str]:
    """Write the state of a tree and its index."""
    from codepath.report.draw.graphviz import drawers

    yield _row(view, "tree", f"{_tree(view)}   {count(answer.files, 'file')}, {count(answer.lines, 'line')}")
    yield _row(view, "index", f"{view.folder(answer.cache)}   {size(answer.database)}   {_state(answer)}")
    if answer.other_versions:
        facts = f"facts of {count(answer.other_versions, 'file')} are from another version"
        yield _row(view, "", f"{facts}; `codepath cache gc` drops them")
    if answer.stats is not None:
        yield from _stats(answer.stats, view)
    project = ", ".join(answer.projects) or "none"
    rules = f"{count(answer.rules_on, 'rule')} on, {answer.rules_off} off"
    yield _row(view, "config", f"{answer.config or 'none'}   project {project}   {rules}")
    found = ("yes" if here else "no" for here in drawers().values())
    yield _row(view, "optional", "dot: {}   svg wheel: {}".format(*found))
    yield from _skipped(answer.skipped, view, len(answer.skipped) if len(answer.skipped) < 20 else _MAX_SKIPPED)
    yield from reasons_text(answer.unresolved, view)


def _row(view: View, title: str, text: str) -> str:
    return view.pen.line(Span(f"{title:<9}", "name"), text)


def _state(answer: StatusAnswer) -> str:
    if answer.stored < answer.files:
        return f"incomplete ({answer.stored} of {answer.files} files)"
    solved = "" if answer.solved else ", calls not solved yet"
    return f"{count(answer.stored, 'file')}   up to date{solved}"


def _stats(stats: Stats, view: View) -> Iterator[str]:
    yield _row(view, "calls", f"{stats.call_sites}: {_shares(stats)}")
    tiers = [("exact", stats.exact), ("inferred", stats.inferred), ("family", stats.family)]
    tiers += [("by-name", stats.by_name), ("outside", stats.outside), ("unresolved", stats.unresolved)]
    yield _row(view, "", "   ".join(f"{n} {word}" for word, n in tiers))
