"""`codepath trace`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Query, Session
from codepath.errors import CodepathError
from codepath.model.trace import AbsentAnswer, TraceAnswer
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath trace server.log
  codepath trace --absent 'initial layout'

\b
LOG is a file, or - for standard input: a whole log, or the last lines of one."""
_MOST = 64_000_000


@click.command("trace", short_help="What caused the failure that a log or a traceback shows.", epilog=_EXAMPLES)
@click.argument("log", required=False)
@click.option(
    "--absent", metavar="TEXT", help="Say under which guards a log line with this text would be printed; no LOG."
)
@click.option(
    "--assume", metavar="NAME=VALUE", multiple=True, help="Something that held in the run; `model` is a class."
)
@click.option("--launch-args", metavar="FLAGS", default="", help="The flags of the launch command, in quotes.")
@click.option("--all", "everything", is_flag=True, help="Every frame, cause and place in text.")
@source_options
@session_options("text", "json")
def command(
    session: Session, log: str | None, absent: str | None, assume: tuple[str, ...], launch_args: str, everything: bool
) -> None:
    """Find the tracebacks in LOG, match them to the tree, and say what caused the failure."""
    if any("=" not in pair for pair in assume):
        raise click.UsageError("--assume takes NAME=VALUE.")
    query = {"command": "trace", "log": log, "absent": absent}
    query |= {"assume": ",".join(assume) or None, "launch_args": launch_args or None}
    if (log is None) == (absent is None):
        raise click.UsageError("Give either LOG or --absent TEXT.")
    if absent is not None:
        _answer_absent(session, absent, query)
        return
    assert log is not None
    data = _read(log)

    def text(answer: TraceAnswer, view: View) -> Iterator[str]:
        from codepath.report.trace_text import trace_text

        return trace_text(answer, view, everything=everything)

    session.answer(
        query,
        lambda workspace: workspace.trace(data, assume=assume, launch_args=launch_args),
        {"text": text, "json": _json},
    )


def _answer_absent(session: Session, text: str, query: Query) -> None:
    if not text.strip():
        raise click.UsageError("--absent takes the text of a log line, or a part of it.")
    session.answer(query, lambda workspace: workspace.absent(text), {"text": _absent_text, "json": _absent_json})


def _absent_text(answer: AbsentAnswer, view: View) -> Iterator[str]:
    from codepath.report.absent_text import absent_text

    return absent_text(answer, view)


def _absent_json(answer: AbsentAnswer, view: View) -> Iterator[str]:
    from codepath.report.trace_documents import absent_json

    return absent_json(answer, view)


def _read(log: str) -> bytes:
    """Return the last bytes of a log, at most `_MOST`."""
    if log == "-":
        kept = b""
        while chunk := sys.stdin.buffer.read(1 << 20):
            kept = (kept + chunk)[-_MOST:] if len(kept) + len(chunk) > 2 * _MOST else kept + chunk
        return kept[-_MOST:]
    try:
        with open(log, "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _MOST))
            return file.read(_MOST)
    except OSError as error:
        raise CodepathError(f"`{log}` cannot be read: {error.strerror or error}") from error


def _json(answer: TraceAnswer, view: View) -> Iterator[str]:
    from codepath.report.trace_documents import trace_json

    return trace_json(answer, view)
