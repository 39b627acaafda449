"""Writes docs/explain/arch-history.md: one table over releases, as `codepath arch` judges it in each.

    python benchmarks/arch_history.py [--codepath codepath] [--output FILE] [RELEASE | RELEASE=SPEC]...

A release is a version of the package, asked as `PACKAGE==RELEASE`, or with a SPEC of its own: a wheel or a folder.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PACKAGE = "sglang"
TABLE = "TORCH_SYMM_MEM_ALL_REDUCE_MAX_SIZES"
TARGET = "sm120"
RELEASES = ("0.4.6", "0.5.8", "0.5.9", "0.5.23")
OUTPUT = Path(__file__).parent.parent / "docs" / "explain" / "arch-history.md"
MISSES = ("crash", "silent", "fallback")


def asked(command: Sequence[str], spec: str) -> dict[str, Any]:
    """Return the document of `arch` for a tree."""
    words = [*command, "arch", "--target", TARGET, "--source", spec, "--format", "json", "-q"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{spec}: {done.stderr.strip()[-300:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def page(rows: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# One table over the releases"
    yield ""
    yield f"Made by `make arch-history`: what `codepath arch --target {TARGET}` says of `{TABLE}` in releases of {PACKAGE},"
    yield "and how many tables and branches of the whole tree miss the architecture."
    yield ""
    columns = rows[0][1]["columns"]
    yield f"| release | keys | {' | '.join(columns)} | why on {TARGET} | rows | crash | silent | fall back |"
    yield f"|---|---|{'---|' * len(columns)}---|---|---|---|---|"
    for release, document in rows:
        yield _row(release, document, columns)
    yield ""
    yield from _places(rows)


def _table(document: dict[str, Any]) -> dict[str, Any] | None:
    return next((t for t in document["tables"] if t["name"] == TABLE), None)


def _row(release: str, document: dict[str, Any], columns: Sequence[str]) -> str:
    found = _table(document)
    counts = {m: sum(t["verdicts"][TARGET] == m for t in document["tables"]) for m in MISSES}
    sums = f"{len(document['tables'])} | {counts['crash']} | {counts['silent']} | {counts['fallback']}"
    if found is None:
        return f"| {release} | no such table | {' | '.join('' for _ in columns)} | | {sums} |"
    verdicts = " | ".join(found["verdicts"][c] for c in columns)
    why = found["reasons"][TARGET].replace("|", "\\|")
    return f"| {release} | {', '.join(found['keys'])} | {verdicts} | {why} | {sums} |"


def _places(rows: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    for release, document in rows:
        found = _table(document)
        if found is not None:
            uses = ", ".join(f"{u['place']['file']}:{u['place']['line']} by `{u['style']}`" for u in found["lookups"])
            yield f"- {release}: defined at {found['place']['file']}:{found['place']['line']}; looked up at {uses}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="*", default=list(RELEASES), metavar="RELEASE")
    parser.add_argument("--codepath", default="codepath")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    given = parser.parse_args()
    rows = []
    for word in given.releases:
        release, _, spec = word.partition("=")
        rows.append((release, asked(shlex.split(given.codepath), spec or f"{PACKAGE}=={release}")))
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text("\n".join(page(rows)).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
