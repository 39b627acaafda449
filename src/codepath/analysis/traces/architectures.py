"""A failure that is about the GPU: the table or branch on the failing line, evaluated for each architecture.

Approximates: under (only modules of the traceback are evaluated; of an exception without frames the whole tree is).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from codepath.analysis.traces.site import Ground, Site, plain_function
from codepath.model import ir
from codepath.model.arch import ArchRow
from codepath.model.knowledge import Architecture
from codepath.model.trace import Cause, Evidence

EvaluateModules = Callable[[Sequence[str]], "Sequence[ArchRow]"]
"""Evaluates some modules for every architecture, all that mention one where none are named."""

_MODULES = 4  # innermost modules of a traceback that are evaluated
_CAPABILITY = re.compile(r"(?<![\d.])(\d{1,2})\.(\d)(?![\d.])|\((\d{1,2}), ?(\d)\)")
_MOST = 6
_SHOWN = 12


def arch_cause(site: Site, exception: str, message: str, modules: Sequence[str]) -> Cause | None:
    """Return that the line fails on some architectures, None where it does not depend on them.

    A look-up counts by its own line, a `raise` or `assert` by the conditions that lead to it.
    """
    lines = _asked(site, exception)
    if not lines:
        return None
    for row in site.ground.arch_rows(tuple(modules)[:_MODULES]):
        if not lines.isdisjoint(_lines(row, site.file)):
            failing = _failing(row, message if exception == "KeyError" else "")
            ran = _ran(site.ground, message, failing)
            if failing and ran is not None:
                return _cause(site, row, failing, ran)
    return None


def arch_causes(ground: Ground, message: str) -> Iterator[Cause]:
    """Yield the tables of the tree in which looking up a key that a log names alone fails."""
    rows = [row for row in ground.arch_rows(()) if row.kind == "table" and _failing(row, message)]
    for row in rows[:_MOST]:
        lookup = next((p.place for p in row.lookups if p.style == "[]"), row.place)
        site = Site(ground, lookup.function, lookup.file, lookup.line)
        yield _cause(site, row, _failing(row, message), (), is_certain=len(rows) == 1)


def named_in(text: str, known: Iterable[Architecture]) -> tuple[str, ...]:
    """Return the architectures of the devices that a log names, by name; a device counts by its longest name."""
    words = [(device, arch.name) for arch in known for device in arch.devices if len(device) > 3]
    found: dict[str, None] = {}
    for device, name in sorted(words, key=lambda w: (-len(w[0]), w)):
        pattern = re.compile(rf"(?<![\w-]){re.escape(device)}(?![\w-])")
        if pattern.search(text):
            found[name] = None
            text = pattern.sub("", text)
    return tuple(found)


def architectures_of(said: Iterable[str], known: Sequence[Architecture]) -> tuple[str, ...]:
    """Return the architectures that words mean: `sm120`, `120`, `12.0`, or the name of a device."""
    found: dict[str, None] = {}
    for word in said:
        plain = word.strip("'\"").lower().replace("_", "")
        for arch in known:
            major, minor = arch.capability
            if plain in (arch.name, f"{major}{minor}", f"{major}.{minor}"):
                found[arch.name] = None
        found.update(dict.fromkeys(named_in(word, known)))
    return tuple(found)


def _asked(site: Site, exception: str) -> set[int]:
    """Return the lines whose table or branch decides that a line fails, none where no such thing does."""
    if exception == "KeyError":
        return {site.line}
    region = site.region()
    if isinstance(region, ir.Assert):
        return {ir.line_of(region.at), *(ir.line_of(e.at) for e in site.exprs[region.start : region.stop])}
    if isinstance(region, ir.Raise):
        guards = site.guards_of(region.exc if region.exc >= 0 else region.start)
        return {guard.line for guard in guards if guard.file == site.file and guard.kind != "try"}
    return set()


def _lines(row: ArchRow, file: str) -> set[int]:
    places = (*(p.place for p in row.lookups), *(() if row.kind == "table" else (row.place,)))
    return {place.line for place in places if place.file == file}


def _failing(row: ArchRow, key: str) -> tuple[str, ...]:
    """Return the architectures that a row fails on; with a key those whose look-up of it does.

    One that the row names and yet excludes fails only under a further condition.
    """
    if not key:
        named = frozenset(row.keys)
        return tuple(a for a, v in row.verdicts if v == "crash" or (v == "excluded" and a not in named))
    wanted = f"KeyError: {key} at "
    return tuple(name for name, reason in row.reasons if reason.startswith(wanted))


def _ran(ground: Ground, message: str, failing: Sequence[str]) -> tuple[str, ...] | None:
    """Return the architectures of a run that a row fails on, none for a run of unknown ones, None where it takes all."""
    told = [f"sm{a or c}{b or d}" for a, b, c, d in _CAPABILITY.findall(message)]
    named = [name for name in dict.fromkeys(told) if name in ground.all_architectures] or list(ground.architectures)
    ran = tuple(name for name in named if name in failing)
    return ran if ran or not named else None


def _cause(site: Site, row: ArchRow, failing: Sequence[str], ran: Sequence[str], *, is_certain: bool = True) -> Cause:
    covered = [name for name, verdict in row.verdicts if verdict == "covered" or name in row.keys]
    fails = _listed(ran or failing)
    keys = ", ".join(row.keys[:_SHOWN]) + (", ..." if len(row.keys) > _SHOWN else "")
    if row.kind == "table":
        claim = f"`{row.name}` has no row for {fails}: its keys are {keys}"
    else:
        claim = f"`{plain_function(site.function)}` fails on {fails}: it takes {_listed(covered) or 'none'}"
    evidence = [Evidence(row.place, f"knows {keys}" if keys else f"`{row.name}`")]
    evidence += [
        Evidence(p.place, "looks it up" if row.kind == "table" else "asks for the architecture") for p in row.lookups
    ]
    evidence += [Evidence(e.place, e.what) for e in row.evidence if e.place is not None]
    target = (ran or failing)[0]
    return Cause(
        kind="arch-table",
        claim=claim,
        evidence=tuple(dict.fromkeys(evidence)),
        fix_places=(Evidence(row.place, f"add what {target} needs, or refuse it before"),),
        commands=(("arch", "--target", target), ("reach", f"{site.file}:{site.line}")),
        certain=is_certain and (bool(ran) or row.kind == "table"),
        score=0.94 if is_certain else 0.6,
    )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
