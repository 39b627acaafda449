"""The answers to `symbols`, `entries` and `cache` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.answers import EntriesAnswer, Entry, Symbol, SymbolsAnswer
from codepath.report.common import LINE, cut_line
from codepath.report.pen import Span, pad
from codepath.report.view import View, count

ENTRY_KINDS = {
    "main": ("python -m", "module"),
    "script": ("script", "console script"),
    "declared": ("declared", "entry point"),
    "spawned": ("process", "target"),
}


def symbols_text(answer: SymbolsAnswer, view: View) -> Iterator[str]:
    """Write the things of the tree that match a pattern, one a line."""
    if not answer.symbols:
        yield view.pen.line(f"No name matches `{view.query.get('pattern')}`.")
        return
    yield from _symbols(answer.symbols, view)
    yield from cut_line(answer.truncated, view, "--limit N shows more")


def _symbols(symbols: Sequence[Symbol], view: View, lead: str = "") -> Iterator[str]:
    end = min(max(len(s.name) for s in symbols), 70) + 3
    for symbol in symbols:
        place = view.place(symbol.place.file, symbol.place.line)
        yield view.pen.line(lead, f"{symbol.kind:<9}", Span(symbol.name, "name"), pad(end, symbol.name), place)


def entries_text(answer: EntriesAnswer, view: View, *, full: bool) -> Iterator[str]:
    """Write the ways into the tree by kind; `full` lists each with its place."""
    kinds: dict[str, list[Entry]] = {kind: [] for kind in ENTRY_KINDS}
    for entry in answer.entries:
        kinds.setdefault(entry.kind, []).append(entry)
    if not answer.entries:
        yield view.pen.line("No entry point was found.")
    for kind, entries in kinds.items():
        if entries:
            yield from _kind(kind, entries, view, full=full)
    end = max((len(r.name) for r in answer.registries), default=0) + 3
    for registry in answer.registries:
        head = f"{'registry':<10} {count(registry.classes, 'class', 'classes'):<19}"
        where = f"{registry.variable} in {registry.modules}" if registry.variable else registry.table
        yield view.pen.line(Span(head, "name"), " ", registry.name, pad(end, registry.name), where)
    if view.query.get("uncalled"):
        yield from _uncalled(answer.uncalled, view)
    yield view.pen.line('add your own: codepath.toml  [[entry-points]] name = "...", function = "pkg.module.function"')


def _kind(kind: str, entries: Sequence[Entry], view: View, *, full: bool) -> Iterator[str]:
    title, noun = ENTRY_KINDS.get(kind, (kind, "entry point"))
    number = count(len(entries), noun)
    head = f"{title:<10} {number:<19}"
    if not full:
        yield view.pen.line(Span(head, "name"), " ", _as_fits([_short_name(e) for e in entries], LINE - len(head) - 1))
        return
    yield view.pen.line(Span(head, "name"))
    end = min(max(len(e.name) for e in entries), 60) + 3
    for entry in entries:
        yield view.pen.line("  ", entry.name, pad(end, entry.name), view.place(entry.place.file, entry.place.line))


def _short_name(entry: Entry) -> str:
    if entry.kind == "spawned":
        return entry.name.rpartition(".")[2]
    return entry.name.removeprefix("python -m ") if entry.kind == "main" else entry.name


def _as_fits(names: Sequence[str], room: int) -> str:
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join([*shown, name, "..."])) > room:
            return ", ".join([*shown, "..."])
        shown.append(name)
    return ", ".join(shown)


def _uncalled(uncalled: Sequence[Symbol], view: View) -> Iterator[str]:
    yield view.pen.line()
    if not uncalled:
        yield view.pen.line("Every function is called by something that codepath can see.")
        return
    yield view.pen.line(f"{count(len(uncalled), 'function')} that nothing is seen to call:")
    yield from _symbols(uncalled, view, "  ")
    yield view.pen.line()


def cache_text(path: str, freed: int, view: View) -> Iterator[str]:
    """Write what tending the cache did."""
    yield view.pen.line(f"cache: {view.folder(path)}, {size(freed)} freed")


def size(number: int) -> str:
    """Return a number of bytes as people say it."""
    if number < 1000:
        return count(number, "byte")
    value, units = number / 1000, ["kB", "MB", "GB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.1f} {units[0]}" if value < 10 else f"{value:.0f} {units[0]}"
