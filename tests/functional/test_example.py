"""The example server, asked with every command. What is demanded was read in its sources; see examples/README.md."""

from __future__ import annotations

import ast
import json
import os
import re
from itertools import pairwise
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.functional.running import EXAMPLE, Program, guard_text, guards, places

GOLDENS = Path(__file__).parent / "goldens"
TARGET = "mini_server.layout.expert_layout.set_expert_layout"
DRAFT = "not self.is_draft_worker"
IN_SCHEDULER = [
    "scheduler.py:169 construct",
    "scheduler.py:42 call",
    "scheduler.py:75 call",
    "scheduler.py:53 construct",
    "tp_worker.py:61 call",
    "tp_worker.py:74 construct",
    "model_runner.py:39 call",
    "model_runner.py:51 call",
]
HTTP = [
    "launch.py:29 call",
    "launch.py:23 call",
    "http_entry.py:23 construct",
    "http_entry.py:18 super",
    "engine.py:45 call",
    "engine.py:104 call",
]
HTTP_GUARDS = ['__name__ == "__main__"', "not server_args.rpc_mode", "not server_args.encoder_only"]
TO_CONTROLLER = [*HTTP, "engine.py:127 spawn-process", "dp_controller.py:99 construct"]


@pytest.fixture(scope="module")
def everything(example: Program) -> dict[str, Any]:
    return example.document("reach", "set_expert_layout", "--all")


def paths_through(document: dict[str, Any], *wanted: str) -> list[dict[str, Any]]:
    """Return the paths that pass all of some places."""
    return [path for path in document["paths"] if set(wanted) <= set(places(path))]


def one_through(document: dict[str, Any], *wanted: str) -> dict[str, Any]:
    found = paths_through(document, *wanted)
    assert len(found) == 1, [places(path) for path in found]
    return found[0]


def entry_of(document: dict[str, Any], path: dict[str, Any]) -> str:
    return str(document["entries"][path["entry"]]["name"])


# --- reach ---------------------------------------------------------------------------------------------------------------


def test_the_one_call_site(everything: dict[str, Any]) -> None:
    assert everything["target"]["name"] == TARGET
    last_steps = {(path["steps"][-1]["file"], path["steps"][-1]["line"]) for path in everything["paths"]}
    assert len(last_steps) == 1
    step = everything["paths"][0]["steps"][-1]
    assert step["caller"] == "mini_server.execution.model_runner.ModelRunner.initialize"
    assert (step["callee"], step["file"]) == (TARGET, "mini_server/execution/model_runner.py")
    assert (step["line"], step["column"], step["kind"], step["resolution"]) == (51, 12, "call", "exact")
    (guard,) = step["guards"]
    assert (guard["text"], guard["polarity"], guard["line"]) == ("not self.is_draft_worker", True, 50)


def test_the_guard_that_every_path_has(everything: dict[str, Any]) -> None:
    assert [guard_text(g) for g in everything["guards_always"]] == [DRAFT]


def test_by_http_to_a_scheduler_process(everything: dict[str, Any]) -> None:
    passed = ["launch.py:29 call", "engine.py:119 spawn-process", "scheduler.py:75 call", "tp_worker.py:61 call"]
    path = one_through(everything, *passed)
    assert entry_of(everything, path) == "python -m mini_server.launch"
    assert places(path) == [*HTTP, "engine.py:119 spawn-process", *IN_SCHEDULER]
    spawned = ["server_args.dp_size == 1", "for gpu_id in range(server_args.tp_size)"]
    assert guards(path) == [*HTTP_GUARDS, *spawned, DRAFT]


def test_by_rpc_to_a_scheduler_process(everything: dict[str, Any]) -> None:
    passed = ["launch.py:29 call", "rpc_entry.py:32 spawn-process", "scheduler.py:75 call", "tp_worker.py:61 call"]
    path = one_through(everything, *passed)
    assert places(path)[:2] == ["launch.py:29 call", "launch.py:15 call"]
    assert places(path)[3:] == ["rpc_entry.py:32 spawn-process", "rpc_entry.py:18 call", *IN_SCHEDULER]
    assert path["steps"][2]["callee"].endswith("RpcServer.start")
    assert guards(path) == ['__name__ == "__main__"', "server_args.rpc_mode", DRAFT]


def test_by_a_controller_process_and_a_thread(everything: dict[str, Any]) -> None:
    path = one_through(everything, "dp_controller.py:36 spawn-thread")
    start = [*TO_CONTROLLER, "dp_controller.py:29 call", "dp_controller.py:36 spawn-thread", "dp_controller.py:47 call"]
    assert places(path) == [*start, "dp_controller.py:53 spawn-process", *IN_SCHEDULER]
    assert "not server_args.dp_size == 1" in guards(path)
    assert "not server_args.enable_dp_attention" in guards(path)


def test_by_a_controller_process_alone(everything: dict[str, Any]) -> None:
    path = one_through(everything, "dp_controller.py:44 call")
    start = [*TO_CONTROLLER, "dp_controller.py:27 call", "dp_controller.py:44 call"]
    assert places(path) == [*start, "dp_controller.py:53 spawn-process", *IN_SCHEDULER]
    assert "server_args.enable_dp_attention" in guards(path)


def test_by_the_bench_script(everything: dict[str, Any]) -> None:
    direct = paths_through(everything, "bench_runner.py:47 call")
    spawned = paths_through(everything, "bench_runner.py:51 spawn-process")
    assert {places(path)[-4] for path in direct} == {"bench_runner.py:27 call", "bench_runner.py:35 call"}
    assert {places(path)[-4] for path in spawned} == {"bench_runner.py:27 call", "bench_runner.py:35 call"}
    starts = {entry_of(everything, path) for path in direct + spawned}
    assert starts == {"mini-server", "python -m mini_server.bench_runner"}
    assert all("server_args.tp_size == 1" in guards(path) for path in direct)
    assert all("not server_args.tp_size == 1" in guards(path) for path in spawned)
    assert all(places(path)[-3:] == ["bench_runner.py:16 construct", *IN_SCHEDULER[-2:]] for path in direct + spawned)


@pytest.mark.parametrize(
    "step",
    ["chain_worker.py:16 super", "lone_worker.py:12 call", "tree_worker.py:21 construct", "tp_worker.py:88 construct"],
)
def test_draft_workers_are_blocked(everything: dict[str, Any], step: str) -> None:
    found = paths_through(everything, step)
    assert found
    assert {path["feasible"] for path in found} == {"blocked"}
    assert all(path["contradiction"] for path in found)


def test_a_path_follows_its_own_steps(everything: dict[str, Any]) -> None:
    for path in everything["paths"]:
        steps = path["steps"]
        assert steps[0]["caller"] == everything["entries"][path["entry"]]["function"]
        assert steps[-1]["callee"] == TARGET
        assert all(one["callee"] == next["caller"] for one, next in pairwise(steps))


def test_every_step_on_a_way_is_on_a_path(example: Program, everything: dict[str, Any]) -> None:
    on_paths = {(s["caller"], s["callee"], s["line"]) for path in everything["paths"] for s in path["steps"]}
    callers, todo = set(), [TARGET]
    for row in iter(lambda: todo.pop() if todo else None, None):
        for step in example.document("callers", row)["steps"]:
            if (step["caller"], step["callee"], step["line"]) in on_paths and step["caller"] not in callers:
                callers.add(step["caller"])
                todo.append(step["caller"])
    assert {caller for caller, _, _ in on_paths} == callers


def test_groups_hold_paths_with_their_entries(example: Program) -> None:
    document = example.document("reach", "set_expert_layout", "--paths", "2")
    assert document["groups"][0]["paths"][0] == 0
    shown = [number for group in document["groups"] for number in group["paths"]]
    assert shown == list(range(len(document["paths"])))
    assert all(1 <= len(group["paths"]) <= 2 for group in document["groups"] if group["verdict"] == "open")
    assert all(len(group["entries"]) >= 1 for group in document["groups"])
    fewer = example.document("reach", "set_expert_layout")
    assert {len(group["paths"]) for group in fewer["groups"] if group["verdict"] == "open"} == {1}


def test_from_a_function_a_class_and_an_entry_point(example: Program) -> None:
    process = example.document("reach", "set_expert_layout", "--from", "run_scheduler_process")
    assert places(process["paths"][0]) == IN_SCHEDULER
    assert guards(process["paths"][0]) == [DRAFT]
    engine = example.document("reach", "set_expert_layout", "--from", "Engine")
    assert places(engine["paths"][0])[:3] == ["engine.py:45 call", "engine.py:104 call", "engine.py:119 spawn-process"]
    launch = example.document("reach", "set_expert_layout", "--from", "python -m mini_server.launch")
    assert [entry["function"] for entry in launch["entries"]] == ["mini_server.launch"]


@pytest.mark.parametrize(
    "start",
    ["mini_server.entry.encoder_entry.serve", "NgramWorker", "run_detokenizer_process", "StubRunner.initialize"],
)
def test_not_reached(example: Program, start: str) -> None:
    document = example.document("reach", "set_expert_layout", "--from", start, "--exit-code", status=1)
    assert document["paths"] == []
    assert document["nearest_miss"] is not None
    text = example.text("reach", "set_expert_layout", "--from", start)
    assert f"NOT REACHED from {start}" in text
    assert "No chain of calls leads from" in text


def test_via_a_function(example: Program) -> None:
    document = example.document("reach", "set_expert_layout", "--via", "launch_groups")
    assert document["paths"]
    for path in document["paths"]:
        assert "dp_controller.py:36 spawn-thread" in places(path)


@pytest.mark.parametrize("by", ["entry", "guard", "module"])
def test_group_by(example: Program, by: str) -> None:
    document = example.document("reach", "set_expert_layout", "--group-by", by)
    assert document["query"]["group_by"] == by
    assert document["groups"]


def test_a_class_is_reached_by_its_construction(example: Program) -> None:
    document = example.document("reach", "ModelRunner", "--from", "bench_runner.run")
    assert {places(path)[-1] for path in document["paths"]} == {"bench_runner.py:16 construct"}


def test_all_matches(example: Program) -> None:
    document = example.document("reach", "initialize", "--all-matches")
    ends = {path["steps"][-1]["callee"].rpartition("execution.")[2] for path in document["paths"]}
    assert ends == {"model_runner.ModelRunner.initialize", "stub_runner.StubRunner.initialize"}


# --- callers, callees, symbols, entries ------------------------------------------------------------------------------------


def test_callers(example: Program) -> None:
    steps = example.document("callers", "run_scheduler_process")["steps"]
    assert [f"{s['file']}:{s['line']} {s['kind']}" for s in steps] == [
        "mini_server/entry/engine.py:119 spawn-process",
        "mini_server/entry/rpc_entry.py:18 call",
        "mini_server/runtime/dp_controller.py:53 spawn-process",
    ]


def test_callees_of_a_branch_are_told_apart(example: Program) -> None:
    steps = example.document("callees", "run_server")["steps"]
    serves = [s for s in steps if s["callee"].endswith(".serve")]
    assert [(s["line"], s["callee"]) for s in serves] == [
        (19, "mini_server.entry.encoder_entry.serve"),
        (23, "mini_server.entry.http_entry.serve"),
    ]
    assert [[guard_text(g) for g in s["guards"]] for s in serves] == [
        ["not server_args.rpc_mode", "server_args.encoder_only"],
        ["not server_args.rpc_mode", "not server_args.encoder_only"],
    ]


def test_callees_after_early_returns(example: Program) -> None:
    steps = example.document("callees", "ModelRunner.init_device_graphs")["steps"]
    built = [s for s in steps if s["line"] == 104 and s["kind"] in ("construct", "dispatch")]
    assert {s["callee"].rpartition(".execution.")[2] for s in built} == {
        "graph_runner.GraphRunner.__init__",
        "cpu_graph_runner.CpuGraphRunner.__init__",
    }
    for step in built:
        assert [(g["text"], g["polarity"], g["kind"]) for g in step["guards"] if not g["choice"]][:1] == [
            ("not self.makes_tokens", False, "early-return")
        ]


def test_callees_count_what_is_not_known(example: Program) -> None:
    document = example.document("callees", "bench_runner.correctness_test")
    assert [(gap["line"], gap["text"]) for gap in document["unresolved"]] == [(40, "in_pieces")]
    assert document["stats"]["unresolved"] == 1


def test_symbols(example: Program) -> None:
    document = example.document("symbols", "set_*layout")
    assert [(s["name"], s["kind"], s["place"]["line"]) for s in document["symbols"]] == [(TARGET, "function", 83)]
    cut = example.document("symbols", "forward", "--limit", "2")
    assert (len(cut["symbols"]), cut["truncated"]["shown"]) == (2, 2)
    assert cut["truncated"]["total"] > 10


def test_entries(example: Program) -> None:
    document = example.document("entries")
    found = {entry["name"]: entry for entry in document["entries"]}
    assert {name: entry["kind"] for name, entry in found.items() if entry["kind"] != "spawned"} == {
        "mini-server": "script",
        "python -m mini_server.bench_runner": "main",
        "python -m mini_server.launch": "main",
    }
    assert found["mini-server"]["function"] == "mini_server.cli.main.main"
    assert found["mini-server"]["place"]["line"] == 28
    assert found["mini_server.runtime.scheduler.run_scheduler_process"]["kind"] == "spawned"
    assert [(one["name"], one["classes"]) for one in document["registries"]] == [("models", 8)]


def test_uncalled_functions_are_no_ways_in(example: Program) -> None:
    document = example.document("entries", "--uncalled")
    assert "mini_server.entry.engine.Engine.freeze" in {symbol["name"] for symbol in document["uncalled"]}
    assert len([entry for entry in document["entries"] if entry["kind"] != "spawned"]) == 3


# --- the whole graph -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graph(example: Program) -> list[dict[str, Any]]:
    return example.rows()


def call_places(path: Path) -> set[tuple[int, int]]:
    """Return line and column, in code points, of every call of a file, read with the standard library."""
    text = path.read_text(encoding="utf-8-sig")
    lines = text.split("\n")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return {(c.lineno, len(lines[c.lineno - 1].encode()[: c.col_offset].decode())) for c in calls}


def test_graph_rows_are_sorted_and_distinct(graph: list[dict[str, Any]]) -> None:
    keys = [(row["file"], row["line"], row["column"], row["callee"], row["kind"]) for row in graph]
    assert len(set(keys)) == len(keys)
    files = [row["file"] for row in graph]
    assert files == sorted(files)


def test_graph_rows_stand_where_calls_stand(graph: list[dict[str, Any]]) -> None:
    calls = {file: call_places(EXAMPLE / file) for file in {row["file"] for row in graph}}
    kinds = ("call", "construct", "super", "spawn-process", "spawn-thread")
    wrong = [r for r in graph if r["kind"] in kinds and (r["line"], r["column"]) not in calls[r["file"]]]
    assert not wrong


def test_graph_holds_what_runs_were_seen_to_call(graph: list[dict[str, Any]]) -> None:
    seen = {tuple(edge) for edge in json.loads((EXAMPLE / "observed_calls.json").read_text(encoding="utf-8"))}
    found = {tuple(re.sub(r"<lambda\d+>", "<lambda>", row[way]) for way in ("caller", "callee")) for row in graph}
    assert len(seen & found) >= 405, sorted(seen - found)


def test_graph_by_resolution(example: Program, graph: list[dict[str, Any]]) -> None:
    exact = example.rows("--min-resolution", "exact")
    assert exact == [row for row in graph if row["resolution"] == "exact"]
    only = example.rows("--only", "mini_server.entry.**")
    assert only == [row for row in graph if row["caller"].startswith("mini_server.entry.")]
    assert example.document("graph")["steps"] == graph


def test_unresolved_calls(example: Program) -> None:
    rows = example.rows("--unresolved")
    assert len(rows) == example.document("status")["stats"]["unresolved"]
    assert all(row["reason"] for row in rows)
    assert example.document("graph", "--unresolved")["unresolved"] == rows


# --- the index -------------------------------------------------------------------------------------------------------------


def test_status(example: Program) -> None:
    document = example.document("status", "--reasons")
    assert (document["files"], document["stored"]) == (61, 61)
    assert document["source"]["lines"] == sum(path.read_bytes().count(b"\n") for path in EXAMPLE.rglob("*.py"))
    assert document["stats"]["unresolved"] == sum(reason["count"] for reason in document["reasons"])


def test_index_again_parses_nothing(example: Program) -> None:
    document = example.document("index")
    assert (document["files"], document["parsed"]) == (61, 0)
    assert document["byte_order_marks"] == ["mini_server/models/quiet.py"]
    assert document["namespace_folders"] == 6
    assert example.text("index").startswith("Up to date in ")


def test_one_changed_file_is_parsed_again(tmp_path: Path) -> None:
    tree = copytree(EXAMPLE, tmp_path / "tree", ignore=lambda *_: ["__pycache__", "logs"])
    program = Program(tree, tmp_path / "cache")
    assert program.document("index")["parsed"] == 61
    runner = tree / "mini_server" / "execution" / "model_runner.py"
    text = runner.read_text(encoding="utf-8").replace("if not self.is_draft_worker:", "if self.tp_rank == 0:", 1)
    runner.write_text(text, encoding="utf-8")
    document = program.document("reach", "set_expert_layout")
    assert [guard_text(g) for g in document["guards_always"]] == ["self.tp_rank == 0"]
    assert program.document("index")["parsed"] <= 1


def test_cache_gc_keeps_and_clear_removes(tmp_path: Path) -> None:
    program = Program(EXAMPLE, tmp_path)
    program.run("index")
    assert program.document("cache", "gc")["cache"]["freed"] >= 0
    assert program.document("index")["parsed"] == 0
    assert program.document("cache", "clear")["cache"]["freed"] > 0
    assert program.document("index")["parsed"] == 61


# --- text ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("reach", ("reach", "set_expert_layout", "--from", "mini_server.launch")),
        ("tree", ("reach", "set_expert_layout", "--view", "tree", "--depth", "4")),
        ("entries", ("entries",)),
    ],
)
def test_text(example: Program, name: str, words: tuple[str, ...]) -> None:
    """`CODEPATH_WRITE_GOLDENS=1 pytest tests/functional/test_example.py` writes them anew."""
    golden = GOLDENS / f"{name}.txt"
    shown = example.text(*words)
    if os.environ.get("CODEPATH_WRITE_GOLDENS"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
