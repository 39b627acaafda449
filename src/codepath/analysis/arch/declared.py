"""Lists of architectures, and least ones, that code hands to a function which checks them: `min_sm=90`, `majors=[9, 10]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codepath.analysis.arch.judge import Judge
from codepath.analysis.arch.sites import Draft, short
from codepath.model import ir
from codepath.model.answers import Step
from codepath.model.arch import ArchEvidence
from codepath.model.knowledge import Architecture, Requirement
from codepath.program.bodies import Body

_NUMBER = re.compile(r"\d{1,3}")


def declared(judge: Judge) -> Iterator[Draft]:
    """Yield a row for each call of a function that the models name as one that is told what is supported."""
    world = judge.spread.world
    for requirement in world.knowledge.requirements:
        seen: set[tuple[str, int, int]] = set()
        for step in world.steps_into(requirement.function):
            place = (step.file, step.line, step.column)
            if step.resolution != "by-name" and place not in seen:
                seen.add(place)
                yield from _row(judge, requirement, step)


def _row(judge: Judge, requirement: Requirement, step: Step) -> Iterator[Draft]:
    body = judge.spread.world.bodies.body(step.caller)
    index = body.at_place(step.line, step.column) if body is not None else None
    if body is None or index is None:
        return
    call = body.scope.exprs[index]
    argument = _argument(body, call, requirement.argument) if isinstance(call, ir.Call) else -1
    told = _numbers(body.scope.exprs, argument) if argument >= 0 else ()
    if not told:
        return
    place = judge.place(body.info, body.scope.exprs[argument].at)
    subject = _subject(body, index)
    last = requirement.function.rpartition(".")[2]
    draft = Draft(f"{subject}: {last}", place, "table", tuple(str(number) for number in told))
    around = "\n\n".join(judge.comments.above(step.file, line) for line in {step.line, place.line})
    for arch in judge.archs:
        draft.say(arch.name, *_verdict(judge, requirement, told, arch, subject, around))
    draft.evidence.append(ArchEvidence(f"{last} is told what is supported", place))
    draft.group = f"{place.file}:{place.line}"
    yield draft


def _subject(body: Body, index: int) -> str:
    """Return the function that is told of: the one that a call decorates, else the one that calls."""
    exprs = body.scope.exprs
    if any(isinstance(e, (ir.Function, ir.Class)) and index in e.decorators for e in exprs):
        below = [s for s in body.info.module.scopes if s.form in ("function", "class") and s.at >= exprs[index].at]
        if below:
            return short(min(below, key=lambda s: s.at))
    return short(body.info)


def _argument(body: Body, call: ir.Call, wanted: str) -> int:
    """Return the expression of an argument by its keyword or position, -1 where it is not given."""
    plain = [a for a in call.args if a.name is None and not a.star]
    if wanted.isdigit():
        return plain[int(wanted)].value if int(wanted) < len(plain) else -1
    return next((a.value for a in call.args if a.name == wanted), -1)


def _numbers(exprs: tuple[ir.Expr, ...], index: int) -> tuple[int, ...]:
    """Return the numbers that are written in an expression, () where one of them is none."""
    expr = exprs[index]
    if isinstance(expr, ir.Sequence):
        found = [_numbers(exprs, item) for item in expr.items]
        if expr.form == "tuple" and len(found) == 2 and all(found):  # a capability
            return (found[0][0] * 10 + found[1][0],)
        return tuple(number for item in found for number in item) if all(found) else ()
    if not isinstance(expr, ir.Const) or isinstance(expr.value, bool):
        return ()
    if isinstance(expr.value, int):
        return (expr.value,)
    match = _NUMBER.search(expr.value) if isinstance(expr.value, str) else None
    return (int(match.group()),) if match is not None else ()


def _verdict(
    judge: Judge, requirement: Requirement, told: tuple[int, ...], arch: Architecture, subject: str, around: str
) -> tuple[str, str]:
    major, minor = arch.capability
    number = major if requirement.of == "major" else major * 10 + minor
    if number >= min(told) if requirement.form == "least" else number in told:
        return "covered", "is among what is declared"
    if judge.words.speaks_of_others(subject, arch.name):
        return "excluded", "the function is named after other architectures"
    if judge.words.excludes(around, arch.name):
        return "excluded", "a comment says which architectures are meant"
    if requirement.missing == "excluded" or requirement.form == "least":
        return "excluded", "declared as not supported"
    shown = ", ".join(map(str, told))
    return "crash", f"raises: only {shown} {'is' if len(told) == 1 else 'are'} declared"
