"""Measures how much of the calls codepath finds, and how right it is, and writes docs/explain/accuracy.md.

    CODEPATH_BENCH=FOLDER python benchmarks/accuracy.py [--only NAME,...] [--codepath CMD]

`CODEPATH_BENCH` is a folder of scorers and facts (`truth/`, `dynamic/`, `micro/`, `codepath_edges.py`), `CODEPATH_PYCG` the
`micro-benchmark/snippets` folder of PyCG's repository, `CODEPATH_OBSERVED` what benchmarks/observe.py wrote. A measure whose
folder is not there keeps its last figures, which are stored in docs/explain/accuracy.json. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
PAGE = TOP / "docs" / "explain" / "accuracy.md"
FIGURES = PAGE.with_suffix(".json")
FAULTS = PAGE.with_name("bugs.json")
JUDGED = PAGE.with_name("errors.json")
RELEASE, LARGE = "sglang==0.5.9", "sglang==0.5.23"
ARCHITECTURES = (
    (
        "sglang",
        "0.5.9",
        RELEASE,
        "at least 16 of 18 found, 15 verdicts, 16 severities; at most 1 of 24 decoys and 2 of 39 others reported",
    ),
    ("vllm", "0.16.0", "vllm==0.16.0", "the figures, whatever they are"),
    ("flashinfer", "0.6.3", "flashinfer-python==0.6.3", "the figures, whatever they are"),
)
_INTRO = """\
# Accuracy

How many of the calls that really happen codepath finds, and how many of those that it names are right. Written by
`make accuracy`; the scorers and the facts are a folder of their own (`CODEPATH_BENCH`), of which a part is kept back.
`CODEPATH_OBSERVED` is the folder that `python benchmarks/observe.py FOLDER` fills. Each measure has its command and what it
must show. The tiers are those of every report: `exact`, `inferred`, `family`.
"""


@dataclass(frozen=True)
class Measure:
    """One measure: its command as a person types it, what it must show, and what reads the figures from its output."""

    name: str
    title: str
    command: str
    must: str
    read: Callable[[str], dict[str, Any]]


def _truth(out: str) -> dict[str, Any]:
    found = re.findall(r"^(edges|guards|never)\s+(\d+) /\s*(\d+)", out, re.MULTILINE)
    return {kind: f"{got} of {asked}" for kind, got, asked in found}


def _dynamic(out: str) -> dict[str, Any]:
    line = next(line for line in out.splitlines() if re.match(r"\S+\s+ALL\b", line)).split()
    return {"observed": int(line[2]), "recall": float(line[4]), "precision bound": float(line[8])}


def _micro(table: str) -> Callable[[str], dict[str, Any]]:
    def read(out: str) -> dict[str, Any]:
        part = out[out.index(f", {table}") :]
        total = re.search(r"^TOTAL\s+(\d+)\s+\d+\s+(\d+)\s+(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)", part, re.MULTILINE)
        assert total is not None, out
        names = ("cases", "complete", "sound", "exact", "precision", "recall")
        return dict(zip(names, (float(n) if "." in n else int(n) for n in total.groups()), strict=True))

    return read


def _arch(out: str) -> dict[str, Any]:
    found = re.findall(r"^(found|verdict|severity|decoys clean|not missing clean)\s+(\d+) /\s*(\d+)", out, re.MULTILINE)
    return {kind: f"{got} of {asked}" for kind, got, asked in found}


def _status(out: str) -> dict[str, Any]:
    stats = json.loads(out)["stats"]
    known = stats["exact"] + stats["inferred"] + stats["family"]
    calls = stats["call_sites"]
    left = stats["by_name"] + stats["unresolved"]
    return {
        "calls": calls,
        "in the tree": known,
        "outside": stats["outside"],
        "share": round((known + stats["outside"]) / calls, 3),
        "share of those not outside": round(known / (known + left), 3),
    }


def measures(codepath: str) -> list[Measure]:
    """Return the measures; `codepath` is the command."""
    edges = f"$CODEPATH_BENCH/codepath_edges.py --codepath {shlex.quote(codepath)}"
    dynamic = "python3 $CODEPATH_BENCH/dynamic/score_dynamic.py --cmd"
    fresh = f"{dynamic.removesuffix(' --cmd')} --dir $CODEPATH_OBSERVED --cmd"
    micro = "python3 $CODEPATH_BENCH/micro/score_micro.py"
    arch = f"python3 $CODEPATH_BENCH/arch/score_arch.py --codepath {shlex.quote(codepath)}"
    return [
        Measure(
            "truth",
            "Hand-verified edges, their guards, and edges that must not be there",
            f"python3 $CODEPATH_BENCH/truth/score_truth.py --codepath {shlex.quote(codepath)} --only edges,guards,never",
            "at least 65 of 66 edges, 40 of 41 guards, N-1 to N-4 of `never`",
            _truth,
        ),
        Measure(
            "dynamic-family",
            "Calls observed while test suites ran; tiers exact, inferred, family",
            f'{dynamic} "python3 {edges}"',
            "recall at least 0.86, the goal 0.90; precision at least 0.80",
            _dynamic,
        ),
        Measure(
            "dynamic",
            "The same, tiers exact and inferred",
            f'{dynamic} "python3 {edges} --tiers exact,inferred"',
            "precision at least 0.90",
            _dynamic,
        ),
        Measure(
            "fresh-family",
            "Calls observed while the suites of eleven more packages ran; tiers exact, inferred, family",
            f'{fresh} "python3 {edges}"',
            "precision at least 0.80, recall at least 0.86",
            _dynamic,
        ),
        Measure(
            "fresh",
            "The same, tiers exact and inferred",
            f'{fresh} "python3 {edges} --tiers exact,inferred"',
            "precision at least 0.90",
            _dynamic,
        ),
        Measure(
            "pycg",
            "PyCG's suite, normalised",
            f'{micro} --snippets $CODEPATH_PYCG --cmd "python3 {edges} --pycg"',
            "at least 110 exact, precision 0.98, recall 0.96",
            _micro("normalised"),
        ),
        Measure(
            "idioms",
            "Idioms of a launch path, calls within the case",
            f'{micro} --snippets $CODEPATH_BENCH/micro/idioms --cmd "python3 {edges}"',
            "40 complete, 40 sound of 41",
            _micro("internal"),
        ),
        *(
            Measure(
                f"arch-{project}",
                f"Architecture tables, branches and look-alikes of {project} {version}, for sm120",
                f"{arch} --project {project} --version {version} --source {spec}",
                must,
                _arch,
            )
            for project, version, spec, must in ARCHITECTURES
        ),
        Measure(
            "calls",
            "Calls of the server's part of a release that have a known target",
            f"{codepath} status --source {RELEASE} --only 'sglang.srt.**' --format json",
            "a share of at least 0.85, and 0.70 of those not outside",
            _status,
        ),
    ]


def run(command: str, **environment: str) -> tuple[str, float]:
    """Run a command line; return its output and the seconds of CPU that it and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = subprocess.run(
        command,
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if found.returncode:
        sys.exit(f"{command}: exit {found.returncode}: {found.stderr.strip()[-400:]}")
    return found.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def solving(codepath: str, spec: str) -> dict[str, Any]:
    """Return the CPU seconds of `index` on stored facts, in one process: several share the rows and cost more than one.

    A file of knowledge that changes nothing makes it solve anew.
    """
    with tempfile.TemporaryDirectory() as folder:
        cache = {"CODEPATH_CACHE_DIR": str(Path(folder, "cache"))}
        command = f"cd {shlex.quote(folder)} && {codepath} index {shlex.quote(spec)} --workers 1 -q"
        run(command, **cache)
        Path(folder, "codepath.toml").write_text('[[entry-points]]\nname = "none"\nfunction = "none.none"\n')
        _, cpu = run(command, **cache)
        _, warm = run(command, **cache)
    return {"CPU s": round(cpu - warm, 1), "peak MB, of all runs": _peak()}


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


def page(figures: Mapping[str, Mapping[str, Any]], codepath: str) -> str:
    """Return the page as Markdown."""
    parts = [_INTRO]
    rows = [(m.name, m.title, m.command, m.must) for m in measures(codepath)]
    for spec, must in ((RELEASE, "at most 12 s"), (LARGE, "at most 45 s and 2 GB")):
        title = f"CPU of the call graph from stored facts, {spec}"
        rows.append((f"cpu-{spec.rpartition('=')[2]}", title, f"{codepath} index {spec} --workers 1", must))
    for name, title, command, must in rows:
        found = figures.get(name)
        said = "not measured" if found is None else ", ".join(f"{key} {value}" for key, value in found.items())
        parts.append(f"## {title}\n\n```sh\n{command}\n```\n\n{said}\n\nMust show: {must}.\n")
    return "\n".join([*parts, *_judged(), *_faults()])


def _judged() -> Iterator[str]:
    """Yield the section about findings of severity error: each as it was judged by reading the source behind it."""
    rows = json.loads(JUDGED.read_text())
    wrong = sum(1 for row in rows if not row["judged"].startswith("right"))
    yield f"## Findings of severity error of every rule over {RELEASE} and {LARGE}, each read in the source\n"
    yield f"```sh\ncodepath check --source {RELEASE} --all\ncodepath check --source {LARGE} --all\n```\n"
    yield f"{len(rows)} findings, {wrong} of them no fault. Must show: at most 1 in 10 is wrong. `latent`: true, and nothing"
    yield "of the release leads there yet. A test on the releases demands that each finding stands here.\n"
    yield "| release | rule | place | judged | why |\n|---|---|---|---|---|"
    for row in rows:
        place = f"{'/'.join(row['file'].split('/')[-2:])}:{row['line']}"
        yield f"| {row['release'].rpartition('=')[2]} | {row['rule']} | {place} | {row['judged']} | {row['why']} |"
    yield ""


_MISSED = """\
What is missed, by kind:

- A step that is missing and should be repeated, as a second call of a function: `order` tells of what is there.
- A method that many classes have, called on an attribute of which only running tells the class: `order` wants one of them.
- An attribute that only other objects read, on a class that never stores it: `hooks NAME` tells it, `values` does not know it.
- State that a context manager sets and a getter does not ask for: nothing says that the getter should.
"""


def _faults() -> Iterator[str]:
    """Yield the section about known faults: what `make bugs` found, by kind."""
    if not FAULTS.exists():
        return
    rows = [row for row in json.loads(FAULTS.read_text()).values() if row["verified"]]
    yield "## Known faults, by the kind that names them\n\n```sh\nmake bugs\n```\n"
    yield "| kind | verified cases | found | not built |\n|---|---|---|---|"
    for kind in sorted({row["kind"] for row in rows}):
        own = [row["result"] for row in rows if row["kind"] == kind]
        yield f"| {kind} | {len(own)} | {own.count('found')} | {own.count('not built') or ''} |"
    yield "\nEach case, with its command: [bugs.md](bugs.md). Must show: at least 75 % of the verified cases of each kind.\n"
    yield _MISSED


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="names of measures, by commas; the others keep their figures")
    parser.add_argument("--codepath", default="codepath", help="the command to measure")
    options = parser.parse_args()
    figures: dict[str, Any] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    wanted = options.only.split(",") if options.only else None
    for measure in measures(options.codepath):
        needed = [
            name for name in ("CODEPATH_BENCH", "CODEPATH_PYCG", "CODEPATH_OBSERVED") if f"${name}" in measure.command
        ]
        if (wanted is None or measure.name in wanted) and all(os.environ.get(name) for name in needed):
            print(measure.name, flush=True)
            figures[measure.name] = measure.read(run(measure.command)[0])
    for spec in (RELEASE, LARGE):
        name = f"cpu-{spec.rpartition('=')[2]}"
        if wanted is None or name in wanted:
            print(name, flush=True)
            figures[name] = solving(options.codepath, spec)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
    PAGE.write_text(page(figures, "codepath"))


if __name__ == "__main__":
    main()
