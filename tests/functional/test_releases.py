"""Published releases of SGLang, downloaded once in a run, asked what its users ask.

`CODEPATH_RELEASES=FOLDER` keeps the downloads and the index in a folder from run to run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import guard_text, guards, outside, places, validator

pytestmark = pytest.mark.release

TARGET = "set_global_expert_location_metadata"
MAIN = "not self.is_draft_worker"
BOUNDARIES = ("spawn-process", "spawn-thread")
TAIL = [
    "scheduler.py:3130 construct",
    "scheduler.py:368 call",
    "scheduler.py:564 call",
    "scheduler.py:522 construct",
    "tp_worker.py:247 call",
    "tp_worker.py:330 construct",
    "model_runner.py:413 call",
    "model_runner.py:458 call",
]


def document(cache: Path, *words: str) -> dict[str, Any]:
    done = outside(*words, "--format", "json", cache=cache)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    validator(words[0]).validate(found)
    return found


@pytest.fixture(scope="session")
def indexed(cache: Path) -> dict[str, Any]:
    """The answer to `index` on 0.5.9."""
    return document(cache, "index", "sglang==0.5.9")


@pytest.fixture(scope="session")
def flagship(cache: Path, indexed: dict[str, Any]) -> dict[str, Any]:
    """All paths to the target on 0.5.9, from the solved tree."""
    assert indexed["files"] == 1404
    return document(cache, "reach", TARGET, "--all", "--source", "sglang==0.5.9")


def routes(document: dict[str, Any], entry: str) -> list[dict[str, Any]]:
    """Return the paths from the entry point of a name."""
    numbers = [n for n, found in enumerate(document["entries"]) if found["name"] == entry]
    assert len(numbers) == 1, [found["name"] for found in document["entries"]]
    return [path for path in document["paths"] if path["entry"] == numbers[0]]


def crossings(path: dict[str, Any]) -> list[str]:
    return [f"{s['file'].rpartition('/')[2]} {s['kind']}" for s in path["steps"] if s["kind"] in BOUNDARIES]


def through(paths: list[dict[str, Any]], *wanted: str) -> list[dict[str, Any]]:
    """Return the paths that pass all of some places, given as `file:line`."""
    return [path for path in paths if set(wanted) <= {place.split()[0] for place in places(path)}]


# --- 0.5.9 ---------------------------------------------------------------------------------------------------------------


def test_the_index_counts_the_tree(indexed: dict[str, Any]) -> None:
    stats = indexed["stats"]
    assert indexed["source"]["lines"] > 500_000
    assert indexed["skipped"] == []
    assert stats["call_sites"] > 100_000
    assert stats["unresolved"] > 0
    assert stats["exact"] > stats["by_name"]


def test_one_call_site_under_its_guard(flagship: dict[str, Any]) -> None:
    (step,) = flagship["call_sites"]
    assert step["caller"] == "sglang.srt.model_executor.model_runner.ModelRunner.initialize"
    assert (step["file"], step["line"]) == ("sglang/srt/model_executor/model_runner.py", 458)
    (guard,) = step["guards"]
    assert (guard["text"], guard["polarity"], guard["line"], guard["kind"]) == (MAIN, True, 457, "if")
    assert [guard_text(g) for g in flagship["guards_always"]] == [MAIN]
    assert flagship["truncated"] is None


def test_launch_server(flagship: dict[str, Any]) -> None:
    (path,) = through(routes(flagship, "python -m sglang.launch_server"), "launch_server.py:28", "engine.py:972")
    start = ["launch_server.py:35 call", "launch_server.py:28 call", "http_server.py:1894 call", "engine.py:1034 call"]
    assert places(path) == [*start, "engine.py:972 spawn-process", *TAIL]
    found = guards(path)
    for guard in ("not server_args.grpc_mode", "not server_args.encoder_only", "server_args.dp_size == 1", MAIN):
        assert guard in found


def test_sglang_serve(flagship: dict[str, Any]) -> None:
    names = [entry["name"] for entry in flagship["entries"] if "cli" in entry["function"]]
    paths = [path for name in names for path in routes(flagship, name)]
    assert through(paths, "serve.py:73", "launch_server.py:28", "engine.py:972", "model_runner.py:458")


def test_the_engine_in_python(flagship: dict[str, Any]) -> None:
    (path,) = through(routes(flagship, "sglang.Engine(...)"), "engine.py:972", "scheduler.py:522", "tp_worker.py:330")
    assert places(path) == ["engine.py:163 call", "engine.py:1034 call", "engine.py:972 spawn-process", *TAIL]


def test_data_parallel_controller(flagship: dict[str, Any]) -> None:
    (shared,) = through(routes(flagship, "sglang.Engine(...)"), "data_parallel_controller.py:165")
    assert crossings(shared) == ["engine.py spawn-process", "data_parallel_controller.py spawn-process"]
    assert "not server_args.dp_size == 1" in guards(shared)
    assert "server_args.enable_dp_attention" in guards(shared)
    (threads,) = through(routes(flagship, "sglang.Engine(...)"), "data_parallel_controller.py:168")
    assert crossings(threads) == [
        "engine.py spawn-process",
        "data_parallel_controller.py spawn-thread",
        "data_parallel_controller.py spawn-process",
    ]
    assert "not server_args.enable_dp_attention" in guards(threads)


def test_bench_one_batch(flagship: dict[str, Any]) -> None:
    paths = routes(flagship, "python -m sglang.bench_one_batch")
    assert len(through(paths, "bench_one_batch.py:772", "bench_one_batch.py:253")) == 2
    spawned = [path for path in paths if crossings(path)]
    assert [crossings(path) for path in spawned] == [["bench_one_batch.py spawn-process"]] * 2
    assert {place.split()[0] for path in paths for place in places(path)} >= {
        "bench_one_batch.py:664",
        "bench_one_batch.py:471",
    }


def test_grpc(flagship: dict[str, Any]) -> None:
    paths = routes(flagship, "python -m sglang.launch_server")
    (own,) = through(paths, "grpc_server.py:882", "scheduler_launcher.py:39")
    assert places(own)[1:5] == [
        "launch_server.py:19 call",
        "grpc_server.py:882 call",
        "scheduler_launcher.py:137 spawn-process",
        "scheduler_launcher.py:39 call",
    ]
    assert "server_args.grpc_mode" in guards(own)
    (shared,) = through(paths, "grpc_server.py:882", "scheduler_launcher.py:165")
    assert crossings(shared) == [
        "scheduler_launcher.py spawn-process",
        "data_parallel_controller.py spawn-thread",
        "data_parallel_controller.py spawn-process",
    ]
    assert {"not server_args.dp_size == 1", "not server_args.enable_dp_attention"} <= set(guards(shared))
    assert {path["feasible"] for path in (own, shared)} == {"open"}


LAUNCHERS = {
    "HttpServerEngineAdapter(...)": ["http_server_engine.py:57 call", "http_server_engine.py:16 spawn-process"],
    "sglang.Runtime(...)": ["runtime_endpoint.py:402 spawn-process"],
    "python -m sglang.compile_deep_gemm": [
        "compile_deep_gemm.py:191 call",
        "compile_deep_gemm.py:165 call",
        "compile_deep_gemm.py:88 spawn-process",
        "compile_deep_gemm.py:78 call",
    ],
    "python -m sglang.bench_one_batch_server": [
        "bench_one_batch_server.py:49 call",
        "bench_one_batch_server.py:26 call",
        "bench_one_batch_server_internal.py:754 call",
        "bench_one_batch_server_internal.py:294 spawn-process",
        "bench_one_batch_server_internal.py:286 call",
    ],
}
"""How launchers that start a server in a child come to `http_server.launch_server`."""


@pytest.mark.parametrize("entry", LAUNCHERS)
def test_launchers_that_start_a_child(flagship: dict[str, Any], entry: str) -> None:
    server = ["http_server.py:1894 call", "engine.py:1034 call", "engine.py:972 spawn-process"]
    (path,) = routes(flagship, entry)
    assert places(path) == [*LAUNCHERS[entry], *server, *TAIL]
    assert path["feasible"] == "open"


def test_bench_offline_throughput(flagship: dict[str, Any]) -> None:
    paths = routes(flagship, "python -m sglang.bench_offline_throughput")
    (engine,) = through(paths, "bench_offline_throughput.py:335", "engine.py:163")
    (runtime,) = through(paths, "bench_offline_throughput.py:339", "runtime_endpoint.py:402")
    assert 'bench_args.backend == "engine"' in guards(engine)
    assert 'bench_args.backend == "runtime"' in guards(runtime)
    assert {engine["feasible"], runtime["feasible"]} == {"open"}


def test_what_the_defaults_make_of_guards(flagship: dict[str, Any]) -> None:
    (path,) = through(routes(flagship, "python -m sglang.launch_server"), "launch_server.py:28", "engine.py:972")
    found = {g["text"]: g["default"] for step in path["steps"] for g in step["guards"]}
    assert found["server_args.grpc_mode"] is False
    assert found["server_args.encoder_only"] is False
    assert found["server_args.dp_size == 1"] is True


def test_ngram_is_on_no_path(flagship: dict[str, Any]) -> None:
    assert flagship["paths"]
    functions = {name for path in flagship["paths"] for s in path["steps"] for name in (s["caller"], s["callee"])}
    assert not [name for name in functions if "NGRAMWorker" in name]


def asked(cache: Path, *words: str) -> dict[str, Any]:
    return document(cache, "reach", TARGET, "--all", "--source", "sglang==0.5.9", *words)


def test_launch_line(cache: Path, flagship: dict[str, Any]) -> None:
    found = asked(cache, "--launch-args", "--tp 8 --moe-a2a-backend flashinfer --dp-size 2 --enable-dp-attention")
    values = {a["name"]: (a["value"], a["used"]) for a in found["assumptions"]}
    assert values == {
        "tp_size": (8, True),
        "moe_a2a_backend": ("flashinfer", False),
        "dp_size": (2, True),
        "enable_dp_attention": (True, True),
    }
    blocked = through(found["paths"], "engine.py:972", "model_runner.py:458")
    assert blocked
    for path in blocked:
        assert path["feasible"] == "blocked"
    assumed = [p["contradiction"]["assumed"] for p in blocked if p["contradiction"]["guard"]["line"] == 918]
    assert {found["assumptions"][number]["name"] for number in assumed} == {"dp_size"}
    opened = [p for p in found["paths"] if p["feasible"] == "open" and through([p], "data_parallel_controller.py:168")]
    assert opened == []


def test_an_assumption_leaves_out_ways_that_deny_it(cache: Path, flagship: dict[str, Any]) -> None:
    found = asked(cache, "--assume", "is_draft_worker=False")
    assert not through(found["paths"], "eagle_worker.py:142", "model_runner.py:458")
    (pruned,) = found["pruned"]
    assert (pruned["reason"], pruned["paths"]) == ("denied", 6)
    assert found["assumptions"][0]["used"]


def test_an_option_that_no_release_has(cache: Path, flagship: dict[str, Any]) -> None:
    words = ("reach", TARGET, "--source", "sglang==0.5.9", "--launch-args", "--moe-a2a-backnd flashinfer")
    done = outside(*words, cache=cache)
    assert done.returncode == 2
    assert "defines no launch option `--moe-a2a-backnd`" in done.stderr
    assert "did you mean `--moe-a2a-backend`" in done.stderr


def test_many_call_sites_say_what_is_cut(cache: Path, flagship: dict[str, Any]) -> None:
    found = document(cache, "reach", "sglang.srt.server_args.get_global_server_args", "--source", "sglang==0.5.9")
    assert len(found["call_sites"]) > 200
    assert found["truncated"]["what"] == "verdicts"


DRAFTS = {
    "eagle_worker.py:142": "eagle_worker.py:152",
    "eagle_worker_v2.py:134": "eagle_worker_v2.py:144",
    "multi_layer_eagle_worker.py:133": "multi_layer_eagle_worker.py:143",
    "multi_layer_eagle_worker_v2.py:115": "multi_layer_eagle_worker_v2.py:125",
    "standalone_worker.py:76": "standalone_worker.py:87",
    "standalone_worker_v2.py:89": "standalone_worker_v2.py:99",
}
"""Where each draft worker makes its base or its own worker, and where it passes `is_draft_worker=True`."""


def test_draft_workers_are_blocked_where_they_say_so(flagship: dict[str, Any]) -> None:
    for place, because in DRAFTS.items():
        found = through(flagship["paths"], place)
        assert found
        for path in found:
            contradiction = path["contradiction"]
            assert path["feasible"] == "blocked"
            if contradiction["guard"]["line"] == 457:
                at = contradiction["because"]
                assert f"{at['file'].rpartition('/')[2]}:{at['line']}" == because
    assert {path["feasible"] for path in through(flagship["paths"], "tp_worker.py:355")} == {"blocked"}


def test_the_target_worker_is_open(flagship: dict[str, Any]) -> None:
    found = [path for path in flagship["paths"] if path["feasible"] == "open"]
    assert found
    for path in found:
        guards = {guard["text"]: guard["value"] for guard in path["steps"][-1]["guards"]}
        assert guards == {MAIN: "true"}


def test_other_ends_do_not_reach_it(cache: Path, flagship: dict[str, Any]) -> None:
    assert flagship["paths"]
    functions = {step["caller"] for path in flagship["paths"] for step in path["steps"]}
    assert not [name for name in functions if ".multimodal_gen." in name or "encode_server" in name]


def test_text(cache: Path, flagship: dict[str, Any]) -> None:
    assert flagship["paths"]
    shown = outside("reach", TARGET, "--source", "sglang==0.5.9", cache=cache).stdout.splitlines()
    assert shown[:5] == [
        f"sglang.srt.eplb.expert_location.{TARGET}",
        "  defined  sglang/srt/eplb/expert_location.py:316",
        "  called   sglang/srt/model_executor/model_runner.py:458   (the only call)",
        "",
        f"REACHED when `{MAIN}`, and before CUDA graph capture.",
    ]


def _plain(path: dict[str, Any]) -> tuple[Any, ...]:
    """Return the steps of a path without what a first question may leave unknown: what guards come to, and their defaults."""
    known = {"default": None, "value": "unknown", "changed_at": None}
    steps = [{**step, "guards": [{**guard, **known} for guard in step["guards"]]} for step in path["steps"]]
    return path["entry"], steps


def _unsaid(one: dict[str, Any], other: dict[str, Any]) -> list[object]:
    """Return what a first question says of the guards of a path that the solved tree does not; not what it leaves open."""
    pairs = [
        (here, there)
        for first, whole in zip(one["steps"], other["steps"], strict=True)
        for here, there in zip(first["guards"], whole["guards"], strict=True)
    ]
    defaults = [(here, there) for here, there in pairs if here["default"] not in (None, there["default"])]
    return [*defaults, *((here, there) for here, there in pairs if here["value"] not in ("unknown", there["value"]))]


def test_a_first_question_answers_as_a_solved_tree_does(cache: Path, flagship: dict[str, Any], tmp_path: Path) -> None:
    """It may leave a verdict, a value or a default unknown; what it says is what the solved tree says."""
    (wheel,) = cache.glob("wheels/sglang-0.5.9/*.whl")
    first = document(tmp_path, "reach", TARGET, "--all", "--source", str(wheel))
    assert first["truncated"] is None or first["truncated"]["what"] == "files"
    for key in ("target", "call_sites", "entries", "guards_always"):
        assert first[key] == flagship[key], key
    assert sorted(map(str, map(_plain, first["paths"]))) == sorted(map(str, map(_plain, flagship["paths"])))
    whole = {str(_plain(path)): path for path in flagship["paths"]}
    for path in first["paths"]:
        other = whole[str(_plain(path))]
        assert path["feasible"] in ("unknown", other["feasible"])
        assert _unsaid(path, other) == []
        assert path["order"] in ([], other["order"])
    if first["truncated"] is None:
        assert (first["paths"], first["groups"]) == (flagship["paths"], flagship["groups"])
    else:
        assert first["bypasses"] == []


# --- other releases, one question each -----------------------------------------------------------------------------------


def test_a_release_without_the_name(cache: Path) -> None:
    done = outside("reach", TARGET, "--source", "sglang==0.4.6", cache=cache)
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"error: no function, method, class or global named `{TARGET}`" in done.stderr


def test_an_earlier_release(cache: Path) -> None:
    found = document(cache, "reach", TARGET, "--source", "sglang==0.5.8")
    (step,) = found["call_sites"]
    assert (step["file"], step["line"]) == ("sglang/srt/model_executor/model_runner.py", 425)
    assert [(guard_text(g), g["line"]) for g in step["guards"]] == [(MAIN, 424)]


def test_a_later_release(cache: Path) -> None:
    found = document(cache, "reach", TARGET, "--source", "sglang==0.5.23")
    assert {(step["file"].removeprefix("sglang/srt/"), step["line"]) for step in found["call_sites"]} == {
        ("eplb/expert_location.py", 528),
        ("model_executor/model_runner.py", 761),
        ("model_executor/model_runner.py", 2271),
        ("weight_cache/daemon.py", 484),
    }
    (main,) = [step for step in found["call_sites"] if step["line"] == 761]
    assert [(g["text"], g["polarity"], g["kind"], g["line"]) for g in main["guards"]] == [
        ("self.is_draft_worker", False, "early-return", 754)
    ]
    assert "python -m sglang.launch_server" in {entry["name"] for entry in found["entries"]}


def test_a_launch_line_of_a_later_release(cache: Path) -> None:
    """Its options are annotated fields of several modules; one is still added by hand."""
    line = "--tp-size 8 --moe-a2a-backend deepep --dp-size 2 --enable-dp-attention --mem-fraction-static 0.9"
    found = document(cache, "reach", TARGET, "--source", "sglang==0.5.23", "--launch-args", line)
    assert {(a["name"], a["value"], a["place"]["file"].rpartition("/")[2]) for a in found["assumptions"]} == {
        ("tp_size", 8, "parallel.py"),
        ("moe_a2a_backend", "deepep", "exec_.py"),
        ("dp_size", 2, "parallel.py"),
        ("enable_dp_attention", True, "server_args.py"),
        ("mem_fraction_static", 0.9, "schedule.py"),
    }
    assert {a["kind"] for a in found["assumptions"]} == {"attribute"}


_START_UP = {
    "capture-order": ["model_runner.py:622"],
    "draft-keeps-target-state": ["model_runner.py:378", "model_runner.py:639"],
    "draft-weights-before-memory-pool": ["scheduler.py:565"],
    "forward-hooks-after-graphs": ["model_runner.py:627"],
}
_STATE = {
    "dead-probe",
    "flags",
    "guard-mismatch",
    "missing-hook",
    "missing-protocol",
    "order-contract",
    "override-gap",
    "set-difference",
    "shared-write",
    "siblings",
    "signature-drift",
    "stale-name",
    "unset-read",
}
"""Rules that look for state that was never set and names that drifted apart, in any tree."""


@pytest.fixture(scope="session")
def before(cache: Path, indexed: dict[str, Any]) -> str:
    """The release before, indexed."""
    document(cache, "index", "sglang==0.5.8")
    return "sglang==0.5.8"


def test_what_changed_between_two_releases(cache: Path, before: str) -> None:
    done = outside("diff", before, "sglang==0.5.9", "-q", cache=cache)
    lines = done.stdout.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 100
    assert f"  {TARGET} in ModelRunner.initialize  same guards: {MAIN}"[:90] in done.stdout
    found = document(cache, "diff", before, "sglang==0.5.9")
    lost = [c["subject"] for c in found["changes"] if c["kind"] == "hook-lost"]
    hook = "get_model_config_for_expert_location"
    assert lost == [f"BailingMoeForCausalLMNextN.{hook}", f"KimiK25ForConditionalGeneration.{hook}"]
    new = {f["rule"] for f in found["findings"] if f["status"] == "new"}
    assert "optional-hook-missing" in new and "capture-order" not in new


def test_the_rules_on_a_release(cache: Path, indexed: dict[str, Any]) -> None:
    done = outside("check", "--source", "sglang==0.5.9", "--format", "json", "-q", cache=cache)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    validator("check").validate(found)
    by_rule: dict[str, list[str]] = {}
    for finding in found["findings"]:
        place = f"{finding['place']['file'].rpartition('/')[2]}:{finding['place']['line']}"
        by_rule.setdefault(finding["rule"], []).append(place)
    assert by_rule["arch-table-gap"] == ["all_reduce_utils.py:3", "torch_symm_mem.py:47"]
    assert by_rule["nullable-global"] == ["model_runner.py:458"]
    assert "kimi_k25.py:648" in by_rule["optional-hook-missing"]
    assert "pdmux_context.py:58" in by_rule["arch-branch-gap"]
    assert {rule: by_rule.pop(rule) for rule in _START_UP} == _START_UP
    assert "eagle_worker.py:919" in by_rule["override-gap"]
    of_projects = {"arch-table-gap", "arch-branch-gap", "nullable-global", "optional-hook-missing"}
    assert of_projects <= set(by_rule) <= of_projects | _STATE
