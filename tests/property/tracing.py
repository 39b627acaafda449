"""Executes a generated program with all combinations of its flags and notes which call began when, and inside which."""

from __future__ import annotations

import itertools
import sys
import threading
import warnings
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

MODULE = "m"
FLAGS = 3
_MAX_CALLS = 600
_INLINE = frozenset(["<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<module>"])


class TooLong(BaseException):
    """The program made too many calls."""


@dataclass(eq=False)
class Activation:
    """One call of a function and the call that made it, None where none of the program did."""

    name: str
    caller: Activation | None


@dataclass
class Run:
    """The calls of one run in the order in which they began."""

    flags: tuple[bool, ...]
    activations: list[Activation] = field(default_factory=list)


def traced(source: str) -> list[Run]:
    """Run a program with every combination of its flags."""
    code = compile(source, MODULE, "exec")
    return [_run(code, flags) for flags in itertools.product((False, True), repeat=FLAGS)]


class _Tracer:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[FrameType, Activation] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_filename != MODULE or code.co_name in _INLINE or frame in self._known:
            return
        if len(self._run.activations) >= _MAX_CALLS:
            raise TooLong
        made = Activation(f"{MODULE}.{_qualified(code)}", self._caller(frame.f_back))
        self._known[frame] = made
        self._run.activations.append(made)

    def _caller(self, frame: FrameType | None) -> Activation | None:
        while frame is not None and frame not in self._known:
            frame = frame.f_back
        return self._known.get(frame) if frame is not None else None


def _qualified(code: CodeType) -> str:
    return str(getattr(code, "co_qualname", code.co_name)).replace(".<locals>", "")


def _run(code: CodeType, flags: tuple[bool, ...]) -> Run:
    run = Run(flags)
    tracer = _Tracer(run)
    space: dict[str, Any] = {"__name__": MODULE}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # coroutines that are never awaited are part of what is drawn
        exec(code, space)
        before = sys.getprofile()
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        try:
            space["main"](*flags)
        except (TooLong, Exception):
            pass
        finally:
            sys.setprofile(before)
            threading.setprofile(None)
    return run
