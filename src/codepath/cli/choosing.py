"""Asking which of several things was meant, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import click

from codepath.cli.terminal import Terminal
from codepath.errors import AmbiguousError

T = TypeVar("T")


def chosen(ask: Callable[[dict[str, str]], T], terminal: Terminal) -> T:
    """Ask a question; where a word in it means several things, let a person choose by number and ask again.

    `ask` is given what words were chosen to mean. Where nobody is there to choose, the error stands.
    """
    meant: dict[str, str] = {}
    while True:
        try:
            return ask(meant)
        except AmbiguousError as error:
            if not is_watched() or error.query in meant:
                raise
            meant[error.query] = _choice(error, terminal)


def is_watched() -> bool:
    """Tell whether a person sees the question and can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _choice(error: AmbiguousError, terminal: Terminal) -> str:
    terminal.remark(f"`{error.query}` names {len(error.candidates)} things:")
    width = len(str(len(error.candidates)))
    longest = max(len(name) for name, _ in error.candidates)
    for number, (name, place) in enumerate(error.candidates, 1):
        terminal.remark(f"  {number:>{width}}  {name:<{longest}}   {place}")
    number = click.prompt("which", type=click.IntRange(1, len(error.candidates)), err=True)
    return error.candidates[number - 1][0]
