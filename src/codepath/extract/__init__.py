"""One file's bytes to the facts of it: a pure, picklable function. libcst is imported at the first call."""

from __future__ import annotations

from codepath.extract.version import EXTRACTOR_VERSION
from codepath.model import ir

__all__ = ["EXTRACTOR_VERSION", "extract", "fast_parser"]


def extract(data: bytes, path: str) -> ir.ModuleFacts:
    """Return the facts of a file.

    Args:
        data: Its bytes.
        path: What errors call it; the facts do not hold it.

    Raises:
        SourceError: The bytes are not Python source; line from 1, column from 0 in code points.
    """
    from codepath.extract.facts import facts_of

    return facts_of(data, path)


def fast_parser() -> bool:
    """Make parsing faster within this process, which patches libcst's classes; return whether that worked.

    For processes that extract and do nothing else with libcst.
    """
    from codepath.extract.fast import install

    return install()
