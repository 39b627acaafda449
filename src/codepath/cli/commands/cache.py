"""`codepath cache`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from codepath.cli.options import session_options
from codepath.cli.session import Session
from codepath.report.lists_text import cache_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath cache gc
  codepath cache clear --cache-dir /tmp/codepath"""


@click.group("cache", short_help="Tend the cache: clear, gc.", epilog=_EXAMPLES)
def command() -> None:
    """Tend the cache, in which facts of files are kept from run to run."""


@command.command("clear", epilog="\b\nExamples:\n  codepath cache clear\n  codepath cache clear --format json")
@session_options("text", "json")
def clear(session: Session) -> None:
    """Remove all that the cache holds."""
    from codepath.app import clear_cache

    _tend(session, "cache clear", clear_cache)


@command.command("gc", epilog="\b\nExamples:\n  codepath cache gc\n  codepath cache gc --format json")
@session_options("text", "json")
def gc(session: Session) -> None:
    """Remove what no version or tree of today needs."""
    from codepath.app import gc_cache

    _tend(session, "cache gc", gc_cache)


def _tend(session: Session, name: str, tend: Callable[[Path | None], tuple[str, int]]) -> None:
    from codepath.cli.outputs import check_writable
    from codepath.report.documents import NO_SOURCE, cache_json

    check_writable(session.outputs)
    path, freed = tend(session.options.cache_dir)

    def report(format: str, view: View) -> Iterator[str]:
        return cache_text(path, freed, view) if format == "text" else cache_json(path, freed, view)

    session.write(report, {"command": name}, NO_SOURCE)
