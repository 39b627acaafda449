"""`codepath trace`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.errors import CodepathError
from codepath.model.trace import TraceAnswer
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath trace server.log
  codepath trace - --assume model=LlamaForCausalLM --all

\b
LOG is a file, or - for standard input: a whole log, or the last lines of one."""
_MOST = 64_000_000


@click.command("trace", short_help="What caused the failure that a log or a traceback shows.", epilog=_EXAMPLES)
@click.argument("log")
@click.option(
    "--assume", metavar="NAME=VALUE", multiple=True, help="Something that held in the run; `model` is a class."
)
@click.option("--launch-args", metavar="FLAGS", default="", help="The flags of the launch command, in quotes.")
@click.option("--all", "everything", is_flag=True, help="Every frame, cause and place in text.")
@source_options
@session_options("text", "json")
def command(session: Session, log: str, assume: tuple[str, ...], launch_args: str, everything: bool) -> None:
    """Find the tracebacks in LOG, match them to the tree, and say what caused the failure."""
    if any("=" not in pair for pair in assume):
        raise click.UsageError("--assume takes NAME=VALUE.")
    data = _read(log)

    def text(answer: TraceAnswer, view: View) -> Iterator[str]:
        from codepath.report.trace_text import trace_text

        return trace_text(answer, view, everything=everything)

    session.answer(
        {"command": "trace", "log": log, "absent": None, "assume": ",".join(assume) or None, "launch_args": launch_args or None},
        lambda workspace: workspace.trace(data, assume=assume, launch_args=launch_args),
        {"text": text, "json": _json},
    )


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
