"""Answers about a small server that does not exist, for tests of reports and of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codepath.model.answers import (
    EntriesAnswer,
    Entry,
    Group,
    Guard,
    IndexAnswer,
    NearestMiss,
    Path,
    Place,
    ReachAnswer,
    Reason,
    RegistrySize,
    Skipped,
    SourceInfo,
    Stats,
    StatusAnswer,
    Step,
    StepsAnswer,
    Symbol,
    SymbolsAnswer,
    Truncation,
    Unresolved,
    Via,
)

LAUNCH, ENGINE = "server/launch.py", "server/engine.py"
WORKER, RUNNER, LAYOUT = "server/worker.py", "server/runner.py", "server/layout.py"
BENCH = "server/bench.py"

SOURCE = SourceInfo("src/server", "/home/me/src", 5, 900, (), "src/", "v1.4 @ 1c9d2ab")
STATS = Stats(call_sites=90, exact=40, inferred=10, family=4, by_name=2, outside=30, unresolved=4)
TARGET = Symbol("server.layout.set_layout", "function", Place(LAYOUT, 31, 0, "server.layout"))


def guard(text: str, polarity: bool, file: str, line: int, kind: str = "if") -> Guard:
    return Guard(text, polarity, kind, file, line)


NOT_DRAFT = guard("not self.is_draft", True, RUNNER, 57)
MAIN = guard('__name__ == "__main__"', True, LAUNCH, 40)
NOT_RPC = guard("args.rpc_mode", False, LAUNCH, 16, "else")
ONE_COPY = replace(guard("args.copies == 1", True, ENGINE, 18), default=True)
TRIED = guard("try", True, WORKER, 88, "try")


def step(caller: str, callee: str, file: str, line: int, *guards: Guard, kind: str = "call", **more: object) -> Step:
    made = Step(caller, callee, file, line, 4, kind, "exact", None, guards)
    return replace(made, **more)  # type: ignore[arg-type]


RUN = step("server.launch", "server.launch.run", LAUNCH, 41, MAIN)
START = step("server.launch.run", "server.engine.Engine.__init__", LAUNCH, 28, NOT_RPC, kind="construct")
DEFAULT = Via("default", Place(ENGINE, 9, 30, "server.engine.Engine.__init__"))
SPAWN = step(
    "server.engine.Engine.__init__",
    "server.worker.worker_main",
    ENGINE,
    34,
    ONE_COPY,
    kind="spawn-process",
    resolution="inferred",
    via=DEFAULT,
)
MAKE = step("server.worker.worker_main", "server.runner.Runner.__init__", WORKER, 90, TRIED, kind="construct")
INIT = step("server.runner.Runner.__init__", "server.runner.Runner.start", RUNNER, 44)
SET = step("server.runner.Runner.start", TARGET.name, RUNNER, 58, NOT_DRAFT)
BENCH_MAIN = step("server.bench", "server.bench.load", BENCH, 70)
BENCH_LOAD = step(
    "server.bench.load", "server.runner.Runner.__init__", BENCH, 53, kind="construct", resolution="by-name"
)

ENTRIES = (
    Entry("python -m server.launch", "server.launch", "main", Place(LAUNCH, 1, 0, "server.launch")),
    Entry("serve", "server.launch.run", "script", Place(LAUNCH, 12, 0, "server.launch")),
    Entry("python -m server.bench", "server.bench", "main", Place(BENCH, 1, 0, "server.bench")),
)
GAPS = (
    Unresolved("server.engine.Engine.__init__", ENGINE, 50, 8, "self.hook(*args)", "self.hook is a parameter"),
    Unresolved("server.worker.worker_main", WORKER, 99, 8, "table[name]()", "the table holds too many"),
)


def reach(**changes: object) -> ReachAnswer:
    steps = (RUN, START, SPAWN, MAKE, INIT, SET)
    found = ReachAnswer(
        target=TARGET,
        call_sites=(SET,),
        incoming=(*steps, BENCH_MAIN, BENCH_LOAD),
        entries=ENTRIES,
        paths=(Path(0, steps, "unknown"), Path(2, (BENCH_MAIN, BENCH_LOAD, INIT, SET), "unknown")),
        groups=(
            Group("unknown", "", None, (0, 1), (0,), number=1),
            Group("unknown", "through server.bench.load", None, (2,), (1,), number=2),
        ),
        guards_always=(NOT_DRAFT,),
        nearest_miss=None,
        stats=STATS,
        truncated=None,
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def miss() -> ReachAnswer:
    teach = ("[[edges]]", 'from = "server.engine.Engine.__init__"', 'to = "server.layout.set_layout"', 'why = "..."')
    none = NearestMiss(214, 31, GAPS, 12, teach=teach)
    return reach(paths=(), groups=(), guards_always=(), incoming=(SET,), entries=(), nearest_miss=none)


def many(sites: int = 41) -> ReachAnswer:
    calls = tuple(
        step(f"server.models.m{n % 29}.forward", TARGET.name, f"server/models/m{n % 29}.py", n + 1)
        for n in range(sites)
    )
    cut = Truncation("paths", 10000, -1)
    return reach(call_sites=calls, incoming=calls, guards_always=(), truncated=cut)


def callers() -> StepsAnswer:
    return StepsAnswer(TARGET, (SET,), (), STATS)


def callees() -> StepsAnswer:
    engine = Symbol("server.engine.Engine.__init__", "method", Place(ENGINE, 9, 4, "server.engine.Engine"))
    return StepsAnswer(engine, (SPAWN,), GAPS[:1], STATS)


def symbols() -> SymbolsAnswer:
    runner = Symbol("server.runner.Runner", "class", Place(RUNNER, 20, 0, "server.runner"))
    return SymbolsAnswer((TARGET, runner), Truncation("symbols", 2, 7))


def entries(uncalled: bool = False) -> EntriesAnswer:
    spawned = Entry("worker_main", "server.worker.worker_main", "spawned", Place(ENGINE, 34, 8, "server.engine"))
    registry = RegistrySize("models", 8, "EntryClass", "server.models.*", "")
    return EntriesAnswer((*ENTRIES, spawned), (registry,), (TARGET,) if uncalled else ())


BROKEN = Skipped("server/models/new.py", "'(' was never closed", 7, 16, "    def forward(self, (")


def index(**changes: object) -> IndexAnswer:
    found = IndexAnswer(
        files=5,
        parsed=5,
        classes=7,
        functions=31,
        stats=STATS,
        entries=(("main", 2), ("script", 1)),
        namespace_folders=1,
        byte_order_marks=("server/models/old.py",),
        skipped=(),
        cache="/home/me/.cache/codepath",
        database=38_200_000,
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def status(**changes: object) -> StatusAnswer:
    found = StatusAnswer(
        files=5,
        lines=900,
        stored=5,
        solved=True,
        skipped=(BROKEN,),
        stats=STATS,
        unresolved=(Reason("a parameter", 3, (("fn", 2), ("self.hook", 1))),),
        cache="/home/me/.cache/codepath",
        database=900,
        other_versions=2,
        projects=("server",),
        config=None,
        rules_on=9,
        rules_off=2,
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def graph() -> Iterator[Step]:
    return iter((SPAWN, START, RUN, MAKE, INIT, SET))
