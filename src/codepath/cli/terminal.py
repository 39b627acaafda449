"""The two output streams: what they can show, and writing to them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TextIO

from codepath.cli.progress import ProgressLine
from codepath.errors import CodepathError
from codepath.report.pen import Pen, Piece

_DRAWN = "╞│├└─█←…"


class Terminal:
    """Standard output and standard error of this run.

    `started` is the `perf_counter` time of its start; `cache_dir` the cache folder named on the command line.
    """

    def __init__(self) -> None:
        self.started = perf_counter()
        self.cache_dir: Path | None = None
        self._out = _stream(sys.stdout)
        self._err = _stream(sys.stderr)
        self._colour = "auto"
        self._quiet = False
        self.progress = ProgressLine(self._err, "none")

    def configure(self, *, colour: str, progress: str, quiet: bool, cache_dir: Path | None) -> None:
        """Take the options of a command: `colour` auto, always or never; `progress` auto, bar, plain or none."""
        self._colour = colour
        self._quiet = quiet
        self.cache_dir = cache_dir
        mode = progress
        if progress == "auto":
            mode = "bar" if _is_terminal(self._err) else "plain"
        self.progress = ProgressLine(self._err, "none" if quiet and progress == "auto" else mode)

    def pen(self) -> Pen:
        """Return how lines are written to standard output."""
        return self._pen(self._out)

    def _pen(self, stream: TextIO) -> Pen:
        terminal = _is_terminal(stream)
        colour = self._colour == "always" or (self._colour == "auto" and _wants_colour(terminal))
        return Pen(colour=colour, links=terminal and self._colour != "never", ascii_only=not _can_draw(stream))

    def write(self, chunks: Iterable[str] | bytes) -> None:
        """Write text or bytes to standard output. Raises BrokenPipeError where the reader went away."""
        if isinstance(chunks, bytes):
            self._put_bytes(chunks)
            return
        first = True
        for chunk in chunks:
            if first:
                self.progress.clear()
                first = False
            self._put(chunk)

    def _put(self, chunk: str) -> None:
        try:
            self._out.write(chunk)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._unwritable(error) from error

    def _put_bytes(self, data: bytes) -> None:
        if _is_terminal(self._out):
            raise CodepathError("a terminal cannot show this format", help=("-o FILE writes it to a file",))
        try:
            self._out.flush()
            self._out.buffer.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> CodepathError:
        self.abandon()
        return CodepathError(f"standard output cannot be written: {error.strerror or error}")

    def note(self, text: str) -> None:
        """Write a one-line remark to standard error, unless all is to be quiet."""
        if not self._quiet:
            self.remark(text)

    def remark(self, *pieces: Piece) -> None:
        """Write a line to standard error; a reader who went away does not matter there."""
        self.progress.clear()
        try:
            self._err.write(self._pen(self._err).line(*pieces))
            self._err.flush()
        except (OSError, ValueError):
            return

    def excerpt(self, lines: Iterable[str]) -> None:
        """Write ready lines to standard error."""
        try:
            self._err.writelines(lines)
            self._err.flush()
        except (OSError, ValueError):
            return

    def error_pen(self) -> Pen:
        """Return how lines are written to standard error."""
        return self._pen(self._err)

    def finish(self) -> None:
        """Take away the progress bar and send on what is buffered. Raises BrokenPipeError."""
        self.progress.clear()
        try:
            self._out.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._unwritable(error) from error

    def abandon(self) -> None:
        """Give up standard output, so that the interpreter's own flush at the end does not complain."""
        try:
            descriptor = self._out.fileno()
            null = os.open(os.devnull, os.O_WRONLY)
        except (OSError, ValueError):
            return
        os.dup2(null, descriptor)
        os.close(null)


def _stream(stream: TextIO | None) -> TextIO:
    """Return a stream that takes any text; one to nowhere where the program was started without it."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace", newline="\n")
    return stream


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _wants_colour(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced not in ("0", "false")
    return terminal


def _can_draw(stream: TextIO) -> bool:
    try:
        _DRAWN.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
