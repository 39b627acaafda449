"""One construct, evaluated for each architecture: a function, a global, a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codepath.analysis.arch.answer import Evaluation
from codepath.analysis.arch.calling import apply
from codepath.analysis.arch.spread import deep
from codepath.analysis.arch.tables import shown
from codepath.analysis.arch.values import Func, Instance, Partial, Val
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import Place, Stats
from codepath.model.arch import ArchRow, ExplainAnswer, ExplainedValue
from codepath.program.bodies import Body


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about: a row by its name, a function or global by its dotted name, or a line of a file."""

    text: str
    row_name: str = ""
    name: str = ""
    path: str = ""
    line: int = 0


def explain(evaluation: Evaluation, rows: Sequence[ArchRow], asked: Asked) -> ExplainAnswer:
    """Return what something is on each architecture, and the rows that rest on it.

    Raises:
        QueryError: Nothing there is known to depend on the architecture.
    """
    with deep():
        values = tuple(_of_line(evaluation, asked) if asked.line else _of_name(evaluation, asked.name))
    if asked.line:
        fitting = [r for r in rows if any(_is_at(p, asked) for p in (r.place, *(u.place for u in r.lookups)))]
    else:
        fitting = [r for r in rows if r.name == asked.row_name or (asked.name and _rests_on(r, asked))]
    if not values and not fitting:
        where = "on this line" if asked.line else "of this name"
        raise QueryError(f"nothing {where} is known to depend on the architecture: `{asked.text}`")
    return ExplainAnswer(asked.text, tuple(a.name for a in evaluation.archs), values, tuple(fitting), Stats())


def _is_at(place: Place, asked: Asked) -> bool:
    return place.file == asked.path and place.line == asked.line


def _rests_on(row: ArchRow, asked: Asked) -> bool:
    """Tell whether a row stands in the function that is asked about, or its key passes it or the global."""
    own = asked.name.rpartition(".")[2]
    if row.place.function == asked.name or row.name == own:
        return True
    return any(e.place is not None and e.place.file == asked.path and e.what in (own, f"{own}()") for e in row.evidence)


def _of_name(evaluation: Evaluation, name: str) -> Iterator[ExplainedValue]:
    bodies = evaluation.world.bodies
    if not name:
        return
    info = bodies.scope(name)
    found: list[Val | None] = []
    if info is not None and info.form == "function":
        for machine in evaluation.spread.machines:
            run = machine.run_scope(info.sid)
            found.append(run.value if run is not None and run.ends else None)
        place = Place(info.module.path, ir.line_of(info.at), ir.column_of(info.at), info.name)
        yield _value(evaluation, f"{info.id}(...)", place, found)
        return
    module, _, last = name.rpartition(".")
    owner = bodies.scope(module)
    if owner is None or owner.form != "module":
        return
    is_called = False
    for machine in evaluation.spread.machines:
        value = machine.global_value(owner.sid, last)
        if isinstance(value.data, (Func, Partial)):
            is_called, value = True, apply(machine, None, value, (), {}, 0)
        found.append(value)
    at = next((d.at for d in bodies.of(owner).scope.definitions if d.id == last), 0)
    text = f"{last}()" if is_called else last
    yield _value(evaluation, text, Place(owner.module.path, ir.line_of(at), ir.column_of(at), owner.name), found)


def _of_line(evaluation: Evaluation, asked: Asked) -> Iterator[ExplainedValue]:
    """Yield the conditions on a line, each as far as it was reached."""
    world = evaluation.world
    body = world.bodies.body(_module(evaluation, asked.path))
    for info in body.info.module.scopes if body is not None else ():
        scope = world.bodies.of(info)
        for index, expr in enumerate(scope.scope.exprs):
            if ir.line_of(expr.at) != asked.line:
                continue
            found: list[Val | None] = []
            for machine in evaluation.spread.machines:
                notes = machine.record.notes.get(info.sid)
                found.append(notes.tests.get(index) if notes is not None else None)
            if any(v is not None and v.trail is not None for v in found):
                place = Place(asked.path, asked.line, ir.column_of(expr.at), info.name)
                yield _value(evaluation, _text(evaluation, scope, index), place, found, is_test=True)


def _module(evaluation: Evaluation, path: str) -> str:
    tree = evaluation.world.bodies.tree
    return next((name for name, module in tree.modules.items() if module.path == path), "")


def _text(evaluation: Evaluation, body: Body, index: int) -> str:
    """Return an expression as written, as far as it stands on its first line."""
    expr = body.scope.exprs[index]
    lines = evaluation.judge.comments.lines(body.info.module.path)
    line = lines[ir.line_of(expr.at) - 1] if ir.line_of(expr.at) <= len(lines) else ""
    return line[ir.column_of(expr.at) :].strip()


def _value(
    evaluation: Evaluation, text: str, place: Place, found: Sequence[Val | None], *, is_test: bool = False
) -> ExplainedValue:
    values = []
    for arch, value in zip(evaluation.archs, found, strict=True):
        if value is None:
            values.append((arch.name, "not reached" if is_test else "raises"))
        elif is_test:
            values.append((arch.name, {True: "true", False: "false"}.get(value.data, "unknown")))
        else:
            values.append((arch.name, _plain(value)))
    first = next((v for v in found if v is not None and v.trail is not None), None)
    return ExplainedValue(text, place, tuple(values), tuple(evaluation.judge.trail(first)))


def _plain(value: Val) -> str:
    if isinstance(value.data, Instance) and value.data.fields:
        return ", ".join(f"{name}={shown(held)}" for name, held in value.data.fields)
    text = shown(value)
    return "unknown" if text == "?" else text
