"""Measures codepath on published releases: where time and memory go, as ratios and seconds, in one run on one machine.

    python benchmarks/run.py [--releases 0.4.6,0.5.9,0.5.23] [--json FILE]

Each measure runs the installed command in a process of its own with a cache of its own; downloads are kept apart and are not
measured. Nothing here is a test: a slow machine fails nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "sglang"
TARGET = "set_global_expert_location_metadata"
COMMON = "ModelRunner.load_model"  # every release has it, and few paths to it
LONG = "sglang.srt.layers.linear.ColumnParallelLinear.__init__"  # every release has it, and hundreds of paths to it
_BARE = """
import gc, sys, time
gc.disable()
import libcst
from pathlib import Path
files = [p.read_bytes() for p in sorted(Path(sys.argv[1]).rglob("*.py"))]
start = time.process_time()
for data in files:
    try:
        libcst.parse_module(data)
    except Exception:
        pass
print(time.process_time() - start)
"""


_FACTS = """
import sys
from codepath.app.opening import open_workspace
from codepath.app.options import Options
with open_workspace(Options(source=sys.argv[1], workers=int(sys.argv[2])), None, print) as workspace:
    opened = workspace._opened
    opened.indexer.ensure(opened.indexer.keys)
"""
_TABLE = """

LIMITS_BY_MAJOR = {9: 64, 10: 128}


def has_known_limit() -> bool:
    return torch.cuda.get_device_capability()[0] in LIMITS_BY_MAJOR
"""


@dataclass(frozen=True)
class Run:
    """One run of the command: seconds of wall clock and of CPU (children included), peak resident MB of any process."""

    wall: float
    cpu: float
    peak: float
    out: str


@dataclass(frozen=True)
class Answer:
    """What an answer with all its paths cost, in seconds of wall clock and of CPU; the paths that it found, shown or not."""

    wall: float
    cpu: float
    paths: int


def run(arguments: list[str], cache: Path, *, check: bool = True, script: str = "") -> Run:
    """Run codepath, or a script in its place, with a cache folder."""
    program = [sys.executable, "-c", script] if script else [str(Path(sys.executable).parent / "codepath")]
    command = [*program, *arguments]
    environment = {**os.environ, "CODEPATH_CACHE_DIR": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if check and process.returncode:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}: {err.strip()[-400:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, after.ru_maxrss / 1024, out)


def in_child(measure: Callable[[], Run]) -> Run:
    """Run a measure in a forked child, so that its peak is not hidden behind a larger earlier one."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        result = measure()
        with os.fdopen(write, "w") as pipe:
            json.dump([result.wall, result.cpu, result.peak, ""], pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if not text:
        sys.exit(1)
    return Run(*json.loads(text))


class Bench:
    """The releases, unpacked once, and a folder for caches."""

    def __init__(self, releases: list[str], work: Path) -> None:
        self.work = work
        self.trees = {version: self._unpacked(version) for version in releases}
        self.lines = {v: sum(p.read_bytes().count(b"\n") for p in t.rglob("*.py")) for v, t in self.trees.items()}
        self.results: dict[str, float] = {}

    def _unpacked(self, version: str) -> Path:
        """Return a folder with the Python files of a release, downloaded by codepath itself."""
        cache = self.work / "downloads"
        run(["reach", "no_such_name", "--source", f"{PACKAGE}=={version}"], cache, check=False)
        wheel = next((cache / "wheels").glob(f"**/{PACKAGE}-{version}-*.whl"))
        target = self.work / "trees" / version
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target, [n for n in archive.namelist() if n.endswith(".py")])
        return target

    def fresh(self) -> Path:
        """Return an empty cache folder."""
        return Path(tempfile.mkdtemp(dir=self.work))

    def note(self, name: str, value: float, unit: str, limit: str = "") -> None:
        """Print and keep a figure."""
        self.results[name] = round(value, 3)
        print(f"{name:58s} {value:9.2f} {unit:10s} {limit}", flush=True)

    # --- measures ----------------------------------------------------------------------------------------------------

    def parse_cost(self, version: str) -> None:
        tree = self.trees[version]
        bare = float(subprocess.run([sys.executable, "-c", _BARE, str(tree)], capture_output=True, text=True).stdout)
        one = run(["index", "--source", str(tree), "--workers", "1", "-q"], self.fresh())
        two = run(["index", "--source", str(tree), "--workers", "2", "-q"], self.fresh())
        facts = [run([str(tree), str(workers)], self.fresh(), script=_FACTS) for workers in (1, 2)]
        self.note(f"{version} bare libcst.parse_module", bare, "CPU s")
        self.note(f"{version} facts of every file over bare libcst", facts[0].cpu / bare, "ratio")
        self.note(f"{version} facts of every file, 2 workers over 1", facts[1].wall / facts[0].wall, "wall ratio")
        self.note(f"{version} cold index, 1 worker", one.cpu, "CPU s")
        self.note(f"{version} cold index over bare libcst", one.cpu / bare, "ratio", "at most 1.5")
        self.note(f"{version} cold index, 2 workers over 1", two.wall / one.wall, "wall ratio", "at most 0.6")

    def warm(self, version: str) -> None:
        tree, cache = self.trees[version], self.fresh()
        run(["index", "--source", str(tree), "-q"], cache)
        question = ["reach", TARGET, "--source", str(tree), "-q"]
        best = min(run(question, cache).wall for _ in range(5))
        self.note(f"{version} warm reach", best, "s", "at most 0.7")
        copy = self.work / f"copy-{version}"
        shutil.copytree(tree, copy)
        run(["index", "--source", str(copy), "-q"], cache)
        changed = next(copy.rglob("model_runner.py"))
        changed.write_bytes(changed.read_bytes() + b"\n# changed\n")
        time.sleep(2.1)
        question = ["reach", TARGET, "--source", str(copy), "-q"]
        self.note(f"{version} reach after one changed file", run(question, cache).wall, "s", "at most 2")
        self.architectures(version, tree, copy, cache)

    def architectures(self, version: str, tree: Path, copy: Path, cache: Path) -> None:
        """What tables and branches cost where the calls are stored, and in a copy with a table and a predicate more."""
        question = ["arch", "--target", "sm120", "-q", "--source"]
        self.note(f"{version} arch, nothing of it kept", run([*question, str(tree)], cache).cpu, "CPU s", "at most 6")
        changed = next(copy.rglob("fp8_utils.py"))
        changed.write_text(changed.read_text(encoding="utf-8") + _TABLE, encoding="utf-8")
        time.sleep(2.1)
        self.note(
            f"{version} arch after a table and a predicate",
            run([*question, str(copy)], cache).cpu,
            "CPU s",
            "at most 6",
        )

    def first(self, version: str, limit: str) -> None:
        question = ["reach", TARGET, "--source", str(self.trees[version]), "--workers", "2", "-q"]
        self.note(f"{version} reach as first question", run(question, self.fresh()).wall, "s", limit)

    def growth(self) -> None:
        rates, facts = {}, {}
        for version, tree in self.trees.items():
            arguments = ["index", "--source", str(tree), "--workers", "2", "-q"]
            cache = self.fresh()
            cold = in_child(lambda arguments=arguments, cache=cache: run(arguments, cache))  # type: ignore[misc]
            rates[version] = cold.wall / self.lines[version] * 1e5
            self.note(f"{version} cold index, 2 workers, per 100k lines", rates[version], "s")
            facts[version] = run([str(tree), "2"], self.fresh(), script=_FACTS).wall / self.lines[version] * 1e5
            self.note(f"{version} of it the facts", facts[version], "s")
            self.note(f"{version} cold index, peak of one process", cold.peak, "MB", "at most 700 on 0.5.23")
            self.paths(version, cache)
        for name, found, limit in (("", rates, "at most 25"), (", facts alone", facts, "")):
            spread = (max(found.values()) - min(found.values())) / min(found.values())
            self.note(f"spread of the seconds per 100k lines{name}", 100 * spread, "%", limit)

    def paths(self, version: str, cache: Path) -> None:
        """What paths cost, feasibility and order included: few of them, and what each of many adds to a small question."""
        at = ["--source", str(self.trees[version]), "-q"]
        small = min(run(["callers", COMMON, *at], cache).cpu for _ in range(3))
        few, long = (self.all_paths(target, at, cache) for target in (COMMON, LONG))
        self.note(f"{version} warm reach --all of {COMMON}", few.wall, "s", f"{few.paths} paths")
        self.note(f"{version} warm reach --all of {LONG.split('.', 4)[-1]}", long.wall, "s", f"{long.paths} paths")
        self.note(f"{version} the same, per path", 1000 * (long.cpu - small) / long.paths, "CPU ms", "flat")
        order = min(run(["order", COMMON, "cuda-graph-capture", *at], cache).wall for _ in range(3))
        self.note(f"{version} warm order", order, "s", "at most 0.8 on 0.5.9")

    def all_paths(self, target: str, at: list[str], cache: Path) -> Answer:
        """Ask for all paths three times, and return the cheapest."""
        answers = [run(["reach", target, "--all", "--format", "json", *at], cache) for _ in range(3)]
        answer = json.loads(answers[0].out)
        cut = answer["truncated"]
        paths = cut["total"] if cut and cut["what"] == "paths" else len(answer["paths"])
        return Answer(min(a.wall for a in answers), min(a.cpu for a in answers), paths)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--releases", default="0.4.6,0.5.9,0.5.23")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.releases.split(","), Path(folder))
        main_release = "0.5.9" if "0.5.9" in bench.trees else next(iter(bench.trees))
        bench.parse_cost(main_release)
        bench.warm(main_release)
        for version, limit in (("0.5.9", "at most 6"), ("0.5.23", "at most 20")):
            if version in bench.trees:
                bench.first(version, limit)
        bench.growth()
        if options.json is not None:
            options.json.write_text(json.dumps(bench.results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
