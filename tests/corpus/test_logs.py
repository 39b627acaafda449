"""Logs of SGLang 0.5.9, made from its source: the first cause is the right one in each.

`CODEPATH_RELEASES=FOLDER` keeps the downloads and the index in a folder from run to run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import outside, validator

pytestmark = pytest.mark.release

LOGS = Path(__file__).parent / "logs"
RELEASE = "sglang==0.5.9"
HOOK = "get_model_config_for_expert_location"
MODEL = "KimiK25ForConditionalGeneration"
CHAIN = {
    "sglang/srt/eplb/expert_location.py:526",
    "sglang/srt/eplb/expert_location.py:531",
    "sglang/srt/eplb/expert_location.py:197",
    "sglang/srt/eplb/expert_location.py:95",
    "sglang/srt/model_executor/model_runner.py:458",
    "sglang/srt/eplb/expert_location.py:319",
    "sglang/srt/eplb/expert_location_dispatch.py:39",
}


def asked(cache: Path, *words: str) -> dict[str, Any]:
    done = outside(*words, "--source", RELEASE, "--format", "json", "-q", cache=cache)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    validator(words[0]).validate(found)
    return found


def places(cause: dict[str, Any]) -> set[str]:
    return {f"{e['file']}:{e['line']}" for e in cause["evidence"]}


def test_an_assertion_during_capture(cache: Path) -> None:
    found = asked(cache, "trace", str(LOGS / "assertion-in-capture.log"))
    assert (found["exception"], found["log"]["tracebacks"], found["log"]["different"]) == ("AssertionError", 2, 1)
    assert {"name": "model", "value": MODEL, "source": "the log"} in found["assumed"]
    assert any(a["name"] == "moe_a2a_backend" and a["value"] == "'flashinfer'" for a in found["assumed"])
    first = found["causes"][0]
    assert (first["kind"], first["certain"]) == ("missing-hook", True)
    assert first["claim"].startswith(f"`{MODEL}` has no `{HOOK}`")
    assert places(first) >= {*CHAIN, "sglang/srt/models/kimi_k25.py:648"}
    assert ["hooks", HOOK, "--missing"] in first["commands"]


@pytest.mark.parametrize("log", ["assertion-last-20-lines.log", "assertion-cut-in-a-path.log"])
def test_the_end_of_the_same_log(cache: Path, log: str) -> None:
    found = asked(cache, "trace", str(LOGS / log))
    first = found["causes"][0]
    assert (first["kind"], first["certain"]) == ("missing-hook", False)
    assert f"144 of 178 classes of the registry `models` have no `{HOOK}`" in first["claim"]
    assert f"`{MODEL}`" in first["claim"]
    assert places(first) >= {*CHAIN, "sglang/srt/models/kimi_k25.py:648"}
    named = asked(cache, "trace", str(LOGS / log), "--assume", f"model={MODEL}")
    assert named["causes"][0]["claim"].startswith(f"`{MODEL}` has no `{HOOK}`")


def test_a_frame_of_which_only_the_source_line_is_left(cache: Path) -> None:
    found = asked(cache, "trace", str(LOGS / "text-without-its-path.log"))
    first = found["frames"][0]
    assert (first["path"], first["match"], first["candidates"]) == ("", "text", 7)
    assert (first["place"]["file"], first["place"]["line"]) == ("sglang/srt/models/deepseek_v2.py", 2421)
    assert [f["match"] for f in found["frames"][1:]] == ["outside", "outside", "cut"]
    assert f"`{MODEL}`" in found["causes"][0]["claim"]


def test_a_table_without_the_key(cache: Path) -> None:
    found = asked(cache, "trace", str(LOGS / "key-error-12.log"))
    first = found["causes"][0]
    assert first["kind"] == "arch-table"
    assert first["claim"] == "`TORCH_SYMM_MEM_ALL_REDUCE_MAX_SIZES` has no row for 12: its keys are 9, 10"
    comm = "sglang/srt/distributed/device_communicators"
    assert places(first) >= {
        f"{comm}/all_reduce_utils.py:3",
        f"{comm}/torch_symm_mem.py:83",
        f"{comm}/torch_symm_mem.py:74",
    }
    assert any(a["name"] == "enable_torch_symm_mem" for a in found["assumed"])


def test_a_model_without_a_method(cache: Path) -> None:
    found = asked(cache, "trace", str(LOGS / "attribute-error-on-a-model.log"))
    first = found["causes"][0]
    assert first["kind"] == "missing-hook"
    assert "`Qwen3VLMoeForConditionalGeneration` has no attribute `set_eagle3_layers_to_capture`" in first["claim"]
    assert places(first) >= {"sglang/srt/models/qwen3_vl_moe.py:172", "sglang/srt/model_executor/model_runner.py:622"}


@pytest.mark.parametrize(
    ("log", "kind", "claim", "place"),
    [
        (
            "name-error-behind-timestamps",
            "unset",
            "`deep_gemm` is bound only where `ENABLE_JIT_DEEPGEMM`",
            "entrypoint.py:19",
        ),
        ("attribute-error-in-ray", "missing-hook", "has no attribute `get_embed_and_head`", "qwen3_vl_moe.py:172"),
        (
            "attribute-error-with-moved-lines",
            "missing-hook",
            "has no attribute `routed_experts_weights_of_layer`",
            "kimi_k25.py:648",
        ),
        (
            "attribute-error-of-interleaved-ranks",
            "missing-hook",
            "`NGRAMWorker` has no attribute",
            "ngram_worker.py:25",
        ),
        (
            "attribute-error-without-source-lines",
            "missing-hook",
            "`HybridAttnBackend` has no attribute",
            "hybrid_attn_backend.py:13",
        ),
        (
            "key-error-of-a-chain",
            "arch-table",
            "`TORCH_SYMM_MEM_ALL_REDUCE_MAX_SIZES` has no row for 12",
            "all_reduce_utils.py:3",
        ),
        (
            "key-error-of-a-class-table",
            "arch-table",
            "_WORLD_SIZES_MULTIMEM` has no row for 12",
            "torch_symm_mem.py:47",
        ),
        (
            "key-error-last-two-lines",
            "arch-table",
            "`TORCH_SYMM_MEM_ALL_REDUCE_MAX_SIZES` has no row for 12",
            "torch_symm_mem.py:74",
        ),
        (
            "key-error-alone",
            "arch-table",
            "`TORCH_SYMM_MEM_ALL_REDUCE_MAX_SIZES` has no row for sm120",
            "torch_symm_mem.py:83",
        ),
        (
            "value-error-of-a-branch",
            "arch-table",
            "`get_arch_constraints` fails on sm120: it takes sm89 and sm90",
            "pdmux_context.py:58",
        ),
        (
            "assertion-of-a-backend",
            "arch-table",
            "`create_flashattention_v3_backend` fails on sm120",
            "attention_registry.py:131",
        ),
        ("assertion-in-a-group", "missing-hook", f"`{MODEL}`", "expert_location.py:531"),
        (
            "type-error-of-a-signature",
            "missing-hook",
            "`AttentionBackend.forward` is called without its `q`",
            "base_attn_backend.py:79",
        ),
    ],
)
def test_the_first_cause(cache: Path, log: str, kind: str, claim: str, place: str) -> None:
    found = asked(cache, "trace", str(LOGS / f"{log}.log"))
    first = found["causes"][0]
    assert first["kind"] == kind
    assert claim in first["claim"]
    assert any(e.endswith(f"/{place}") for e in places(first))


def test_the_log_of_another_project(cache: Path) -> None:
    assert asked(cache, "trace", str(LOGS / "another-project.log"))["status"] == "other-project"


def test_who_lacks_the_hook(cache: Path) -> None:
    found = asked(cache, "hooks", HOOK)
    assert (found["registry"], found["have"], found["lack"], found["unknown"]) == ("models", 34, 144, 0)
    assert {(p["place"]["file"], p["place"]["line"]) for p in found["lookups"]} == {
        ("sglang/srt/eplb/expert_location.py", 526),
        ("sglang/srt/models/mindspore.py", 309),
    }
    (kimi,) = [c for c in found["classes"] if c["class"].endswith(f".{MODEL}")]
    assert kimi["has"] is False
    assert kimi["wraps"].startswith("sglang.srt.models.deepseek_v2.Deepseek")


def test_a_line_that_is_not_in_the_log(cache: Path) -> None:
    (line,) = asked(cache, "trace", "--absent", "Initial expert_location_metadata")["lines"]
    assert (line["place"]["file"], line["place"]["line"]) == ("sglang/srt/model_executor/model_runner.py", 466)
    assert any("SGLANG_LOG_EXPERT_LOCATION_METADATA" in g["text"] for g in line["guards"])
    assert any("EnvBool(False)" in e["reason"] and e["line"] == 343 for e in line["defaults"])
