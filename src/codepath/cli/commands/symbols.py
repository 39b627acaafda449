"""`codepath symbols`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import SymbolsAnswer
from codepath.report.lists_text import symbols_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath symbols load_weights
  codepath symbols '*weight*' --limit 500"""


@click.command("symbols", short_help="Find functions, classes and globals by name.", epilog=_EXAMPLES)
@click.argument("pattern")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="How many are shown.")
@source_options
@session_options("text", "json")
def command(session: Session, pattern: str, limit: int) -> None:
    """List the functions, methods, classes and globals that PATTERN matches; * stands for anything."""
    session.answer(
        {"command": "symbols", "pattern": pattern, "limit": limit},
        lambda workspace: workspace.symbols(pattern, limit),
        {"text": symbols_text, "json": _json},
    )


def _json(answer: SymbolsAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import symbols_json

    return symbols_json(answer, view)
