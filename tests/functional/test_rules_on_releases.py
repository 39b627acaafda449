"""Rules on published releases: a finding where the fault is, none where it was repaired."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from codepath.app.rules import shipped_rules
from tests.functional.running import outside, validator

pytestmark = pytest.mark.release

_TOP = Path(__file__).resolve().parents[2]
_STRICT = ",".join(rule.id for rule in shipped_rules() if rule.severity == "error")
_RUNNER = "srt/model_executor/model_runner.py"
_DRAFT_EXTEND = "srt/speculative/eagle_draft_extend_cuda_graph_runner.py"
_KIMI = "srt/models/kimi_k25.py"
_MHA = "srt/models/deepseek_common/attention_forward_methods/forward_mha.py"
_GPU_WORKER = "v1/worker/gpu_worker.py"
_TITLES = {"sglang": "SGLang", "vllm-tpu": "vLLM"}  # the wheels for TPU hold the whole of vLLM and nothing built
_PACKAGES = {"sglang": "sglang", "vllm-tpu": "vllm"}
_OLD, _FIRST, _SECOND, _MAIN, _NEXT, _NEW = (
    f"sglang=={version}" for version in ("0.5.5", "0.4.0.post1", "0.4.0.post2", "0.5.9", "0.5.10", "0.5.23")
)
_SPLIT, _JOINED = "sglang==0.5.14", "sglang==0.5.15"
_BEFORE, _AFTER = "vllm-tpu==0.10.1.1", "vllm-tpu==0.11.1"


@dataclass(frozen=True)
class Proof:
    """The release with the fault of a rule, its place, and the release where it is gone.

    `about` stands in the message of the finding; no finding of the rule in the other release says it.
    """

    rule: str
    faulty: str
    file: str
    line: int
    repaired: str
    about: str = ""


_PROOFS = (
    Proof("arch-branch-gap", _MAIN, "srt/layers/quantization/fp8.py", 686, _NEW, "Fp8MoEMethod"),
    Proof("arch-table-gap", _MAIN, "srt/distributed/device_communicators/all_reduce_utils.py", 3, _NEW),
    Proof("capture-order", _MAIN, _RUNNER, 622, _NEW, "set_eagle3_layers_to_capture"),
    Proof("dead-probe", _MAIN, "srt/managers/scheduler_metrics_mixin.py", 691, _NEW, "lora_scheduler"),
    Proof("draft-keeps-target-state", _MAIN, _RUNNER, 639, _NEW),
    Proof("draft-weights-before-memory-pool", _MAIN, "srt/managers/scheduler.py", 565, _NEW),
    Proof("flags", _OLD, "srt/eplb/expert_distribution.py", 720, _MAIN, "SGLANG_EPLB_HEATMAP_COLLECTION_INTERVAL"),
    Proof("forward-hooks-after-graphs", _MAIN, _RUNNER, 627, _NEW),
    Proof("group-on-every-rank", _OLD, "srt/managers/cache_controller.py", 310, _MAIN),
    Proof("guard-mismatch", _MAIN, "srt/managers/scheduler_metrics_mixin.py", 231, _NEXT, "mm_receiver"),
    Proof("missing-hook", _MAIN, _KIMI, 648, _NEW, "KimiK25ForConditionalGeneration"),
    Proof("missing-protocol", _MAIN, _MHA, 291, _NEW, "HybridLinearAttnBackend"),
    Proof("nullable-global", _MAIN, _RUNNER, 458, _NEW),
    Proof("optional-hook-missing", _MAIN, _KIMI, 648, _NEW, "KimiK25ForConditionalGeneration"),
    Proof("order-contract", _OLD, "srt/mem_cache/memory_pool.py", 173, _MAIN, "MambaPool"),
    Proof("override-gap", _MAIN, "srt/models/deepseek_v2.py", 2722, _NEW, "Glm4MoeLiteModel"),
    Proof("process-group-before-memory-snapshot", _BEFORE, _GPU_WORKER, 192, _AFTER),
    Proof("required-call-missing", _SPLIT, _DRAFT_EXTEND, 285, _JOINED, "EAGLEDraftExtendCudaGraphRunner"),
    Proof("set-difference", _MAIN, "srt/distributed/parallel_state.py", 2070, _NEW, "_ATTN_TP"),
    Proof("shared-write", _MAIN, _RUNNER, 1787, _NEW),
    Proof("siblings", _OLD, "srt/mem_cache/radix_cache_cpp.py", 190, _MAIN, "RadixCacheCpp"),
    Proof(
        "signature-drift", _OLD, "srt/model_executor/piecewise_cuda_graph_runner.py", 385, _MAIN, "set_dp_buffer_len"
    ),
    Proof("sparsity-after-weights", _SECOND, _RUNNER, 158, _MAIN),
    Proof("stale-name", _MAIN, "srt/layers/deep_gemm_wrapper/entrypoint.py", 114, _NEW, "configure_deep_gemm_num_sms"),
    Proof("torchao-before-tensor-parallel", _FIRST, _RUNNER, 165, _SECOND),
    Proof("unset-read", _MAIN, "srt/constrained/xgrammar_backend.py", 116, _NEW, "XGrammarGrammar"),
    Proof("warm-up-before-capture", _BEFORE, _GPU_WORKER, 339, _AFTER),
    Proof("worker-runs-base-execution", _BEFORE, "v1/worker/cpu_worker.py", 97, _AFTER),
)

# Rules that compare: a change with a finding, in a file, and one without.
_CHANGES = {
    "guard-added": ((("sglang==0.5.8", _MAIN), _RUNNER), (_SECOND, _FIRST)),
    "start-up-order": (((_SECOND, _FIRST), _RUNNER), ("sglang==0.5.8", _MAIN)),
}

Findings = list[dict[str, Any]]


@pytest.fixture(scope="session")
def checked(cache: Path) -> Callable[[str], Findings]:
    """Return what the rules that need a release find in it; each release is checked once, and each rule finds its subject."""

    @lru_cache
    def check(release: str) -> Findings:
        rules = {p.rule for p in _PROOFS if release in (p.faulty, p.repaired)}
        selected = ",".join(sorted(rules))
        document = answer(cache, "check", "--source", release, "--select", selected, "--exit-zero", status=0)
        assert {rule["id"] for rule in document["rules"] if rule["state"] == "ran"} == rules
        return new(document)

    return check


@pytest.fixture(scope="session")
def compared(cache: Path) -> Callable[[tuple[str, str]], Findings]:
    """Return what the rules that compare find in a change; each pair of releases is compared once."""

    @lru_cache
    def compare(change: tuple[str, str]) -> Findings:
        return new(answer(cache, "diff", *change, "--select", ",".join(_CHANGES), "--gate", status=1))

    return compare


def answer(cache: Path, *words: str, status: int) -> dict[str, Any]:
    done = outside(*words, "--format", "json", cache=cache)
    assert done.returncode == status, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    validator(words[0]).validate(document)
    return document


def new(document: dict[str, Any]) -> Findings:
    return [finding for finding in document["findings"] if finding["status"] == "new"]


def test_each_rule_is_proven() -> None:
    shipped = {rule.id for rule in shipped_rules()}
    proven = [proof.rule for proof in _PROOFS]
    assert sorted([*proven, *_CHANGES]) == sorted(shipped)


@pytest.mark.parametrize("proof", _PROOFS, ids=lambda proof: proof.rule)
def test_a_fault_and_its_repair(checked: Callable[[str], Findings], proof: Proof) -> None:
    place = (proof.rule, f"{_PACKAGES[proof.faulty.partition('==')[0]]}/{proof.file}", proof.line)
    before = [f for f in checked(proof.faulty) if (f["rule"], f["place"]["file"], f["place"]["line"]) == place]
    assert any(proof.about in finding["message"] for finding in before)
    after = [f["message"] for f in checked(proof.repaired) if f["rule"] == proof.rule]
    assert [message for message in after if proof.about in message] == []


@pytest.mark.parametrize("rule", _CHANGES)
def test_a_change_with_a_fault_and_one_without(compared: Callable[[tuple[str, str]], Findings], rule: str) -> None:
    (faulty, file), fine = _CHANGES[rule]
    assert {f["place"]["file"] for f in compared(faulty) if f["rule"] == rule} == {f"sglang/{file}"}
    assert [f for f in compared(fine) if f["rule"] == rule] == []


_OWN = """\
from sglang.srt.model_executor.model_runner import ModelRunner


class OwnRunner(ModelRunner):
    def initialize(self, *args):
        self.load_model()
        self.init_device_graphs()
"""


def test_subjects_of_which_no_release_had_a_fault(
    cache: Path, checked: Callable[[str], Findings], tmp_path: Path
) -> None:
    """The release with the metadata set behind the capture, and with a runner of its own that leaves it out.

    The layers, of which the release itself has the fault, are told too.
    """
    checked(_MAIN)
    (wheel,) = (cache / "wheels" / "sglang-0.5.9").glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path, [name for name in archive.namelist() if name.endswith(".py")])
    runner = tmp_path / "sglang" / _RUNNER
    runner.write_text(_moved(runner.read_text("utf-8")), "utf-8")
    (tmp_path / "sglang" / "srt" / "own_runner.py").write_text(_OWN, "utf-8")
    selected = "capture-order,required-call-missing"
    told = new(answer(cache, "check", "--source", str(tmp_path), "--select", selected, status=1))
    assert sorted((f["rule"], f["place"]["file"], f["message"]) for f in told) == [
        (
            "capture-order",
            f"sglang/{_RUNNER}",
            "set_eagle3_layers_to_capture can run after init_device_graphs in ModelRunner.initialize",
        ),
        ("capture-order", f"sglang/{_RUNNER}", _MOVED),
        ("capture-order", "sglang/srt/own_runner.py", _NEVER),
        ("required-call-missing", "sglang/srt/own_runner.py", _OMITTED),
    ]


_MOVED = "set_global_expert_location_metadata runs after init_device_graphs in ModelRunner.initialize"
_NEVER = "OwnRunner.initialize runs init_device_graphs, and nothing in it runs set_global_expert_location_metadata"
_OMITTED = "OwnRunner.initialize never runs set_global_expert_location_metadata, which ModelRunner.initialize runs"


def _moved(text: str) -> str:
    """Return the module of the runner with the metadata set behind the graphs."""
    start = text.index("        if not self.is_draft_worker:\n            set_global_expert_location_metadata(")
    end = text.index("        # Expert parallelism\n")
    rest = text[:start] + text[end:]
    before, mark, after = rest.partition("        if server_args.forward_hooks:\n")
    return before + text[start:end] + mark + after


def test_documents_say_where_the_fault_was() -> None:
    for rule in shipped_rules():
        document = next(_TOP.glob(f"queries/*/{rule.id}/rule.md")).read_text("utf-8")
        last = " ".join(document.rpartition("\n## ")[2].split())
        assert last.startswith("References "), rule.id
        for text in _said(rule.id):
            assert text in last, rule.id


def _said(rule: str) -> list[str]:
    if rule in _CHANGES:
        (faulty, file), fine = _CHANGES[rule]
        return [f"A change with the fault: {_change(faulty)}, `{file}`", f"One without it: {_change(fine)}."]
    (proof,) = (proof for proof in _PROOFS if proof.rule == rule)
    return [f"Fault: {_title(proof.faulty)}, `{proof.file}:{proof.line}`.", f"Repaired: {_title(proof.repaired)}"]


def _title(release: str) -> str:
    name, _, version = release.partition("==")
    return f"{_TITLES[name]} {version}"


def _change(change: tuple[str, str]) -> str:
    return f"{_title(change[0])} to {change[1].partition('==')[2]}"


@pytest.mark.parametrize("release", [_MAIN, _NEW])
def test_every_error_was_judged(cache: Path, release: str) -> None:
    """Each finding of severity error has its judgement in docs/explain/errors.json, and none that is there is gone."""
    done = outside("check", "--source", release, "--select", _STRICT, "--format", "json", cache=cache)
    assert done.returncode == 1, done.stderr
    told = {
        (f["rule"], f["place"]["file"], f["place"]["line"])
        for f in json.loads(done.stdout)["findings"]
        if f["severity"] == "error"
    }
    judged = json.loads((_TOP / "docs" / "explain" / "errors.json").read_text("utf-8"))
    own = [row for row in judged if row["release"] == release]
    assert told == {(row["rule"], row["file"], row["line"]) for row in own}
    wrong = sum(1 for row in judged if not row["judged"].startswith("right"))
    assert wrong * 10 <= len(judged)
