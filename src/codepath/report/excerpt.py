"""A source line with a mark under the place that matters."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.report.pen import Pen, Span, harmless

_WIDE = 120  # columns; generated code has lines of a megabyte


def excerpt_lines(pen: Pen, text: str, line: int, column: int, remark: str = "", length: int = 1) -> Iterator[str]:
    """Write a source line framed as rustc does.

    Args:
        pen: How lines are written.
        text: The source line without its line break.
        line: From 1.
        column: From 0 in code points.
        remark: What stands behind the mark.
        length: How many code points are marked.
    """
    if column > _WIDE:
        text, column = f"…{text[column - _WIDE // 2 :]}", _WIDE // 2 + 1
    text = text[: 2 * _WIDE]
    number = str(line)
    blank = " " * len(number)
    before = harmless(text[:column].expandtabs(1))
    marked = "^" * max(1, len(harmless(text[column : column + length])))
    yield pen.line(f"{blank} |")
    yield pen.line(f"{number} | ", text.expandtabs(1))
    yield pen.line(f"{blank} | ", " " * len(before), Span(marked, "error"), f" {remark}" if remark else "")
    yield pen.line(f"{blank} |")
