"""Asks codepath about known faults, in the release before each repair and in the one with it, and says how it did.

    CODEPATH_BENCH=FOLDER python benchmarks/bugs.py [--only QUERY,...] [--cases ID,...] [--codepath CMD]

`CODEPATH_BENCH` is a folder with `bugs/cases.jsonl`; `CODEPATH_BENCH_VLLM` one with a folder of `.py` files for each release of
vLLM, named by its version (the wheels are too large to keep); `CODEPATH_BENCH_REPOS` one with a clone of each repository that
has no releases, named like the project. A fault that no release has is looked for in two revisions of a repository that is made
of its minimal snippet. Other releases are wheels that codepath downloads and keeps. A case whose tree is not there keeps its
last result; the results stand in docs/explain/bugs.json and are written as tables to docs/explain/bugs.md. It is no test.

A fault counts as found where the answer for the faulty tree shows it and that for the repaired one does not.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bug_queries import queries
from bug_queries.asking import Asked, Query
from bug_queries.snippets import REPAIRS, is_snippet, snippet_trees
from bug_queries.trees import BugTree

TOP = Path(__file__).resolve().parent.parent
PAGE = TOP / "docs" / "explain" / "bugs.md"
RESULTS = PAGE.with_suffix(".json")
_AMBIGUOUS = re.compile(r"`([^`]+)` names \d+ things")
_CANDIDATE = re.compile(r"(?<= )\d+ ([\w.]+) (\S+\.py:\d+)")
_MORE = " more: codepath symbols"
_FOLDERS = ("CODEPATH_BENCH_VLLM", "CODEPATH_BENCH_REPOS")
_LATE = "no answer in"
WORDS = ("found", "missed", "both", "reversed", "not built", "no answer", "no tree")
_INTRO = """\
# Known faults

Public bug reports with the release before the repair and the one with it, asked about with the command that a person would
type; written by `make bugs`. `found`: the answer shows the fault in the first and not in the second. `missed`: in neither.
`both`: in both, so that it says nothing. `no answer`: the command could not answer. The collection is a folder of its own
(`CODEPATH_BENCH`), of which a part is kept back.
"""


@dataclass(frozen=True)
class Runner:
    """Asks one command about trees. `timeout` is in seconds."""

    command: tuple[str, ...]
    cache: Path
    timeout: int

    def ask(self, words: Sequence[str], tree: BugTree) -> Asked:
        """Return the answer to one command."""
        line = [*self.command, *words, "--source", tree.spec, "--format", "json", "-q"]
        try:
            done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return Asked(tuple(words), tree, None, f"{_LATE} {self.timeout} s")
        if done.returncode not in (0, 1):
            return Asked(tuple(words), tree, None, " ".join(done.stderr.split()))
        return Asked(tuple(words), tree, json.loads(done.stdout))

    def settle(self, asked: Asked, check: dict[str, Any]) -> Asked:
        """Ask again where a name meant several things: about the one that the check has most words in common with."""
        found = _AMBIGUOUS.search(asked.error)
        if found is None:
            return asked
        ways = self._ways(found[1], asked)
        known = _parts(json.dumps(check))
        best = max(ways, key=lambda way: len(known & _parts(" ".join(way))), default=None)
        if best is None:
            return asked
        return self.ask([best[0] if word == found[1] else word for word in asked.words], asked.tree)

    def _ways(self, name: str, asked: Asked) -> list[tuple[str, str]]:
        """Return what a name can mean, as a longer name and a place each."""
        if _MORE not in asked.error:
            return list(_CANDIDATE.findall(asked.error))
        symbols = self.ask(("symbols", name), asked.tree).rows("symbols")
        meant = (s for s in symbols if s["name"].endswith(f".{name}"))
        return [(".".join(s["name"].split(".")[-2:]), f"{s['place']['file']}:{s['place']['line']}") for s in meant]

    def tree(self, case: dict[str, Any], key: str) -> BugTree | None:
        """Return the tree of a case, None where it is not at hand. `key` is last_buggy_version or fixed_version."""
        project, version = case["project"], case[key]
        if version is None:
            return None
        if is_snippet(case):
            trees = snippet_trees(case["id"], case["minimal"])
            return trees[key == "fixed_version"] if trees is not None else None
        if project == "vllm":
            return _folder("CODEPATH_BENCH_VLLM", version)
        if project.startswith("mini-"):
            found = _folder("CODEPATH_BENCH_REPOS", project)
            return BugTree(f"git:{version}@{found.path}/python", None) if found is not None else None
        return BugTree(f"{project}=={version}", self._wheel(project, version))

    def _wheel(self, project: str, version: str) -> Path | None:
        """Return the wheel of a release, which codepath downloads when it is first asked about it."""
        folder = self.cache / "wheels" / f"{project}-{version}"
        if not folder.is_dir():
            self.ask(("symbols", "nothing-is-called-this", "--no-index"), BugTree(f"{project}=={version}", None))
        return next(iter(sorted(folder.glob("*.whl"))), None)


def _parts(text: str) -> set[str]:
    """Return the words of names, `camelCase` and `snake_case` taken apart."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", text)}


def _typed(words: Sequence[str], spec: str) -> str:
    """Return a command as anybody can type it: folders of this machine by the variable that names them."""
    for variable in _FOLDERS:
        top = os.environ.get(variable)
        if top and top in spec:
            return f"codepath {shlex.join(words)} --source {spec.replace(top.rstrip('/'), f'${variable}')}"
    if spec.startswith("git:"):
        spec = "git:REV@SNIPPET"
    return shlex.join(("codepath", *words, "--source", spec))


def _without_folders(text: str) -> str:
    """Return a text with the variables in place of the folders of this machine that they name."""
    for variable in _FOLDERS:
        top = os.environ.get(variable, "").rstrip("/")
        for folder in (top, os.path.relpath(top)) if top else ():
            text = text.replace(folder, f"${variable}")
    return text


def _folder(variable: str, *parts: str) -> BugTree | None:
    top = os.environ.get(variable)
    found = Path(top, *parts) if top else None
    return BugTree(str(found), found) if found is not None and found.is_dir() else None


def _judged(case: dict[str, Any], query: Query, runner: Runner) -> dict[str, Any]:
    """Return the result of a case."""
    check = case["expected"]["check"]
    if is_snippet(case) and case["id"] in REPAIRS:
        check = {**check, **REPAIRS[case["id"]].check}
    result = {"query": check["query"], "kind": query.kind, "verified": case["verified"], "commands": [], "errors": []}
    if not query.is_built:
        return {**result, "result": "not built"}
    sides = []
    for key in ("last_buggy_version", "fixed_version"):
        tree = runner.tree(case, key)
        if tree is None:
            return {**result, "result": "no tree"}
        answers = [runner.settle(runner.ask(words, tree), check) for words in query.asked(check, tree)]
        result["commands"] += [_typed(a.words, tree.spec) for a in answers]
        result["errors"] += [_without_folders(a.error)[:200] for a in answers if a.error]
        if any(a.error.startswith(_LATE) for a in answers):
            return {**result, "result": "no answer"}
        is_answered = any(a.answer is not None for a in answers)
        sides.append(query.flagged(check, answers) if is_answered else None)
    return {**result, "result": _word(*sides)}


def _word(buggy: bool | None, fixed: bool | None) -> str:
    """Return what two verdicts are together; a repaired tree without the name that is asked about is not flagged."""
    if buggy is None:
        return "no answer"
    return {(True, True): "both", (False, False): "missed", (False, True): "reversed"}.get(
        (buggy, bool(fixed)), "found"
    )


def _page(results: dict[str, dict[str, Any]]) -> Iterator[str]:
    yield _INTRO
    verified = {name: r for name, r in results.items() if r["verified"]}
    yield f"| kind | cases | {' | '.join(WORDS)} |"
    yield f"|---|---|{'---|' * len(WORDS)}"
    for kind in sorted({r["kind"] for r in verified.values()}):
        rows = [r for r in verified.values() if r["kind"] == kind]
        yield _counts(kind, rows)
    yield _counts("all verified", list(verified.values()))
    yield ""
    yield "| case | query | result | command |"
    yield "|---|---|---|---|"
    for name, row in sorted(results.items(), key=lambda item: (item[1]["kind"], item[0])):
        command = row["commands"][0].partition(" --source")[0].replace("|", "\\|") if row["commands"] else ""
        yield f"| {name}{'' if row['verified'] else ' (not verified)'} | {row['query']} | {row['result']} | `{command}` |"


def _counts(title: str, rows: Sequence[dict[str, Any]]) -> str:
    counts = Counter(r["result"] for r in rows)
    return f"| {title} | {len(rows)} | {' | '.join(str(counts[w] or '') for w in WORDS)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="QUERY,...")
    parser.add_argument("--cases", default="", metavar="ID,...")
    parser.add_argument("--codepath", default="codepath")
    parser.add_argument("--timeout", type=int, default=1200, help="seconds for one command")
    parser.add_argument("--keep", action="store_true", help="ask only where there is no result yet")
    given = parser.parse_args()
    bench = os.environ.get("CODEPATH_BENCH")
    if not bench:
        sys.exit("CODEPATH_BENCH names no folder")
    lines = Path(bench, "bugs", "cases.jsonl").read_text("utf-8").splitlines()
    only, ids, known = set(given.only.split(",")) - {""}, set(given.cases.split(",")) - {""}, queries()
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    command = tuple(shlex.split(given.codepath))
    runner = Runner(command, _cache(command), given.timeout)
    for case in map(json.loads, lines):
        name, word = case["id"], case["expected"]["check"]["query"]
        if (only and word not in only) or (ids and name not in ids) or (given.keep and name in results):
            continue
        started = time.monotonic()
        result = _judged(case, known[word], runner)
        if result["result"] != "no tree" or name not in results:
            results[name] = result
        print(f"{name:14} {word:22} {result['result']:10} {time.monotonic() - started:6.1f} s", flush=True)
        _write(results)
    print("\n".join(_page(results)))


def _cache(command: Sequence[str]) -> Path:
    """Return the cache folder of the command."""
    status = [*command, "status", "--source", str(TOP / "src"), "--format", "json", "-q"]
    done = subprocess.run(status, capture_output=True, text=True, check=True)
    return Path(json.loads(done.stdout)["cache"]["path"])


def _write(results: dict[str, dict[str, Any]]) -> None:
    RESULTS.write_text(json.dumps(dict(sorted(results.items())), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text("\n".join(_page(results)).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
