"""Trees of faults that no release has: the minimal snippet of a case and the same repaired, two revisions of one repository.

The snippets have names of their own; a `Repair` says which they are in the terms of the query, and what mends them.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from bug_queries.asking import Check
from bug_queries.trees import BugTree

_MODULE = "snippet"
_WHO = ("-c", "user.name=codepath", "-c", "user.email=codepath@localhost", "-c", "commit.gpgsign=false")


@dataclass(frozen=True)
class Repair:
    """How a snippet is asked about and mended.

    Args:
        check: The keys of the query in the names of the snippet.
        old: A text that stands once in the snippet.
        new: What mends it there.
    """

    check: Check = field(default_factory=dict)
    old: str = ""
    new: str = ""


REPAIRS = {
    "sglang-29681": Repair(
        {"cls": f"{_MODULE}.LiteRunner", "buggy_missing": ["window_aware"]},
        "        self.pool = []\n",
        "        self.pool = []\n        self.window_aware = False\n",
    ),
    "sglang-28660": Repair(
        {"caller": f"{_MODULE}.Runner.__init__", "callee": f"{_MODULE}.LiteRunner.initialize"},
        "    def initialize(self, free_bytes):",
        "    def initialize(self, free_bytes=0):",
    ),
    "sglang-18440": Repair(
        {"owner": f"{_MODULE}.WrapperB", "attr": "pack"},
        "        self.cfg = cfg               # pack not stored\n",
        "        self.cfg = cfg\n        self.pack = pack\n",
    ),
}


def is_snippet(case: Check) -> bool:
    """Tell whether a fault lived between two releases."""
    return bool(case.get("commit_level")) or str(case["last_buggy_version"]).startswith("git:")


@lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="codepath-bugs-")


def snippet_trees(name: str, snippet: str) -> tuple[BugTree, BugTree] | None:
    """Return the faulty and the repaired tree of a case, None where it is not known how to mend its snippet."""
    repair = REPAIRS.get(name)
    if repair is None or snippet.count(repair.old) != 1:
        return None
    top = Path(_folder().name, name)
    revisions = []
    top.mkdir(exist_ok=True)
    _git(top, "init", "--quiet")
    for text in (snippet, snippet.replace(repair.old, repair.new)):
        (top / f"{_MODULE}.py").write_text(text, encoding="utf-8")
        _git(top, "add", "--all")
        _git(top, *_WHO, "commit", "--quiet", "--allow-empty", "--message", "snippet")
        revisions.append(_git(top, "rev-parse", "HEAD"))
    before, after = (BugTree(f"git:{revision}@{top}", None) for revision in revisions)
    return before, after


def _git(top: Path, *words: str) -> str:
    done = subprocess.run(("git", "-C", str(top), *words), capture_output=True, text=True, check=True)
    return done.stdout.strip()
