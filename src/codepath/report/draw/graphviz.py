"""DOT as SVG, through Graphviz where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator

from codepath.errors import CodepathError

_SECONDS = 60


def find_dot() -> str:
    """Return the path of Graphviz's `dot`. Raises CodepathError where there is none."""
    dot = shutil.which("dot")
    if dot is None:
        raise CodepathError(
            "making SVG needs Graphviz, and `dot` is not on PATH",
            help=(
                "Debian/Ubuntu: apt-get install graphviz     macOS: brew install graphviz",
                "or: -o order.html (needs nothing)   -o order.dot   -o order.mmd",
            ),
        )
    return dot


def svg_of(chunks: Iterable[str]) -> Iterator[str]:
    """Draw DOT as SVG.

    Raises:
        CodepathError: Graphviz is not installed, or fails.
    """
    dot = find_dot()
    text = "".join(chunks)
    try:
        done = subprocess.run([dot, "-Tsvg"], input=text.encode(), capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CodepathError(f"`dot` did not draw the picture: {error}", help=("or: -o order.dot",)) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise CodepathError(f"`dot` did not draw the picture: {said[-1] if said else done.returncode}")
    yield done.stdout.decode("utf-8")
