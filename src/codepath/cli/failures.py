"""Errors as the user sees them."""

from __future__ import annotations

from pathlib import Path

from codepath.cli.terminal import Terminal
from codepath.errors import CodepathError
from codepath.report.excerpt import excerpt_lines
from codepath.report.pen import Piece, Span

NO_ANSWER = 2
INTERRUPTED = 130
READER_GONE = 141


def report_error(error: CodepathError, terminal: Terminal) -> None:
    """Print what could not be answered, where, and the way out.

    A help line that starts with a blank belongs to the line before it. An attribute `excerpt` of the error is the source
    line at its place.
    """
    terminal.remark(Span("error", "error"), f": {error.message}")
    path, line = str(getattr(error, "path", "")), int(getattr(error, "line", 0))
    column = int(getattr(error, "column", 0))
    if path and line:
        terminal.remark("  --> ", Span(path, "place"), f":{line}:{column + 1}")
    elif path and path not in error.message:
        terminal.remark("  --> ", Span(path, "place"))
    excerpt = getattr(error, "excerpt", "")
    if excerpt and line:
        terminal.excerpt(excerpt_lines(terminal.error_pen(), str(excerpt), line, column))
    for text in error.help:
        terminal.remark(*_help(text))


def _help(text: str) -> tuple[Piece, ...]:
    return ("  ", text) if text.startswith(" ") else ("  = ", text)


def report_crash(error: Exception, terminal: Terminal, args: list[str]) -> None:
    """Print a line about a fault of codepath's own and save its traceback."""
    where = "".join(f" while {note}" for note in getattr(error, "__notes__", ())) or _where(error)
    terminal.remark(Span("internal error", "error"), f": {_brief(error)}{where}")
    saved = _save(error, terminal.cache_dir, args)
    if saved:
        terminal.remark("  = ", f"saved: {saved}   please report it with that file")
    else:
        terminal.remark("  = ", "the traceback could not be saved")


def _brief(error: Exception) -> str:
    text = repr(error)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _where(error: Exception) -> str:
    """Say in which line of codepath an exception was raised."""
    trace = error.__traceback__
    found = ""
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.startswith("codepath."):
            found = f" in {module}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _save(error: Exception, cache_dir: Path | None, args: list[str]) -> str:
    """Save a traceback in the cache folder, else in the temporary one; return its path, "" where neither takes it."""
    import tempfile

    text = _account(error, args)
    for folder in (_cache(cache_dir), Path(tempfile.gettempdir())):
        if folder is not None and folder.is_dir():
            path = _save_in(folder, text)
            if path:
                return path
    return ""


def _save_in(folder: Path, text: str) -> str:
    import os
    from datetime import datetime

    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    for name in (f"crash-{stamp}.txt", f"crash-{stamp}-{os.getpid()}.txt"):
        try:
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            continue
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return str(folder / name)
    return ""


def _cache(cache_dir: Path | None) -> Path | None:
    try:
        from codepath.app import cache_folder

        return cache_folder(cache_dir)
    except Exception:  # whatever broke the run may break this too
        return cache_dir


def _account(error: Exception, args: list[str]) -> str:
    import platform
    import traceback

    from codepath.report.version import VERSION

    head = f"codepath {VERSION}, Python {platform.python_version()}, {platform.platform()}\narguments: {args!r}\n\n"
    return head + "".join(traceback.format_exception(type(error), error, error.__traceback__))
