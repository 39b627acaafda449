"""Predicates, bounds, refusals: what an architecture meets that a branch does not name."""

from __future__ import annotations

import pytest

from tests.unit.arch.asking import only, rows_of, verdict

HEAD = """
import torch
from functools import lru_cache, partial

def _is(majors):
    return torch.cuda.get_device_capability()[0] in majors

is_sm90_supported = lru_cache(maxsize=1)(partial(_is, majors=[9]))
is_sm100_supported = lru_cache(maxsize=1)(partial(_is, majors=[10]))
is_sm120_supported = lru_cache(maxsize=1)(partial(_is, majors=[12]))
is_blackwell = lru_cache(maxsize=1)(partial(_is, [10, 11, 12]))

def choose(args, backend="auto"):
"""


def body(*lines: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in lines)


def test_a_narrow_predicate_falls_back() -> None:
    row = only(body("if is_sm100_supported():", "    args.backend = 'fast'"))
    assert (row.verdict("sm100"), row.verdict("sm103"), row.verdict("sm120")) == ("covered", "covered", "fallback")
    assert row.severity == "info"


def test_a_predicate_is_what_its_definition_says() -> None:
    assert rows_of(body("if is_blackwell():", "    args.backend = 'fast'"))[0].verdict("sm120") == "covered"


def test_a_branch_of_its_own_is_covered() -> None:
    lines = [
        "if is_sm120_supported():",
        "    args.backend = 'slow'",
        "elif is_sm100_supported():",
        "    args.backend = 'fast'",
    ]
    assert verdict(body(*lines)) == "covered"


def test_a_branch_that_only_an_older_family_takes_is_no_miss() -> None:
    assert verdict(body("if is_sm90_supported():", "    args.backend = 'fast'")) == "covered"


def test_what_an_elder_is_denied_is_no_miss() -> None:
    assert verdict(body("if is_sm100_supported():", "    args.fused = False")) == "covered"


def test_an_upper_bound_excludes() -> None:
    lines = ["sm = torch.cuda.get_device_capability()[0] * 10", "if 90 <= sm < 120:", "    args.backend = 'fast'"]
    assert verdict(body(*lines)) == "excluded"


def test_a_comment_that_names_what_is_supported_excludes() -> None:
    lines = [
        "# The fused kernel supports SM90 and SM100 only.",
        "if is_sm100_supported():",
        "    args.backend = 'fast'",
    ]
    assert verdict(body(*lines)) == "excluded"


def test_an_else_with_a_comment_about_others_is_silent() -> None:
    lines = [
        "if is_sm100_supported():",
        "    args.split = 2",
        "else:",
        "    # On Hopper only one kernel splits.",
        "    args.split = 1",
    ]
    row = only(body(*lines))
    assert (row.verdict("sm120"), row.severity) == ("silent", "warning")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("raise ValueError('requires SM100')", "excluded"),
        ("raise ValueError('only supported on Blackwell GPUs (SM100), please use another')", "excluded"),
        ("raise ValueError(f'unsupported capability {args}')", "crash"),
        ("raise ValueError", "crash"),
    ],
)
def test_a_refusal_needs_a_reason(statement: str, expected: str) -> None:
    row = only(body("if not is_sm100_supported():", f"    {statement}", "return 1"))
    assert (row.verdict("sm120"), row.verdict("sm100")) == (expected, "covered")
    assert row.severity == ("error" if expected == "crash" else "info")


def test_a_bare_assertion_crashes() -> None:
    row = only(body("assert is_sm100_supported() or is_sm90_supported()"))
    assert (row.kind, row.verdict("sm120"), row.verdict("sm90")) == ("assert", "crash", "covered")


def test_an_enumeration_of_generations_crashes() -> None:
    lines = ["major = torch.cuda.get_device_capability()[0]", "assert major in [9, 10, 11], 'Only 9.x, 10.x and 11.x'"]
    row = only(body(*lines))
    assert [row.verdict(a) for a in ("sm90", "sm100", "sm120", "sm121")] == ["covered", "covered", "crash", "crash"]


def test_a_chain_that_ends_in_an_exception_crashes() -> None:
    row = only("""
        import torch

        def limits(capability):
            major, minor = capability
            if major == 8:
                return 4, 2
            elif major == 9 and minor >= 0:
                return 8, 8
            else:
                raise ValueError(f"Unsupported compute capability: {major}.{minor}")

        def start():
            return limits(torch.cuda.get_device_capability())
    """)
    assert [v for _, v in row.verdicts] == ["covered", "covered", "crash", "crash", "crash", "crash"]


def test_an_exact_exclusion_leaves_its_sibling_out() -> None:
    row = only(
        """
        import torch

        def enabled():
            major, minor = torch.cuda.get_device_capability()
            sm = major * 10 + minor
            if sm == 120:
                return False
            import deep_gemm
            return True
    """,
        "sm121",
    )
    assert (row.verdict("sm120"), row.verdict("sm121"), row.verdict("sm100")) == ("covered", "crash", "covered")


def test_a_lower_bound_in_front_of_a_kernel_of_others_crashes() -> None:
    row = only("""
        import torch

        def forward(x):
            if torch.cuda.get_device_capability()[0] >= 10:
                import flashinfer
                return flashinfer.prefill.trtllm_ragged_attention_deepseek(x)
            return x
    """)
    assert (row.verdict("sm100"), row.verdict("sm120")) == ("covered", "crash")


def test_a_word_selects_an_implementation_that_refuses() -> None:
    rows = rows_of(
        HEAD.replace(
            "def choose",
            """
BACKENDS = {}

def register(name):
    def decorate(function):
        BACKENDS[name] = function
        return function
    return decorate

@register("fa3")
def make_fa3(runner):
    major = torch.cuda.get_device_capability()[0]
    assert major in (8, 9), "fa3 requires SM80 to SM90, please use another"
    return runner

def choose""",
        )
        + """
    if is_sm100_supported():
        args.backend = "fast"
    elif torch.cuda.get_device_capability()[0] >= 8:
        args.backend = "fa3"
"""
    )
    found = {r.name.partition(":")[0]: r.verdict("sm120") for r in rows}
    assert found == {"make_fa3": "excluded", "choose": "crash"}


def test_tiles_of_a_larger_shared_memory_are_silent() -> None:
    row = only("""
        import torch

        CAPABILITY = torch.cuda.get_device_capability()

        def sizes(length):
            if CAPABILITY[0] >= 9:
                BLOCK_M, BLOCK_N = (128, 64)
            else:
                BLOCK_M, BLOCK_N = (64, 64)
            return BLOCK_M, BLOCK_N
    """)
    assert [row.verdict(a) for a in ("sm90", "sm100", "sm120")] == ["covered", "covered", "silent"]


def test_a_name_that_says_less_than_it_holds_is_silent() -> None:
    rows = rows_of("""
        import torch

        is_hopper = "NVIDIA H" in torch.cuda.get_device_name(0) or torch.cuda.get_device_capability()[0] >= 9
        is_hopper_or_newer = torch.cuda.get_device_capability()[0] >= 9

        def warps():
            return [2, 4] if is_hopper else [2, 4, 8]
    """)
    found = {r.name: (r.kind, r.verdict("sm90"), r.verdict("sm120")) for r in rows if r.kind == "predicate"}
    assert found == {"is_hopper": ("predicate", "covered", "silent")}


def test_unknown_conditions_beside_a_predicate_do_not_hide_it() -> None:
    assert verdict(body("if is_sm100_supported() and args.runner == 'auto':", "    args.runner = 'fast'")) == "fallback"


def test_tiles_that_do_not_fit_crash() -> None:
    row = only("""
        def default(m, is_hip):
            return {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 256, "BLOCK_SIZE_K": 128, "num_stages": 4}
    """)
    assert (row.kind, row.verdict("sm90"), row.verdict("sm120"), row.verdict("sm89")) == (
        "tiles",
        "covered",
        "crash",
        "crash",
    )


def test_tiles_that_a_test_on_the_device_keeps_away_are_not_taken() -> None:
    rows = rows_of("""
        import functools
        import torch

        @functools.lru_cache(maxsize=None)
        def room():
            if not torch.cuda.is_available():
                return None
            try:
                props = torch.cuda.get_device_properties(torch.cuda.current_device())
            except (AssertionError, RuntimeError):
                return None
            return getattr(props, "shared_memory_per_block_optin", None)

        def is_small():
            limit = room()
            return limit is not None and limit < 128 * 1024

        def default(m, dtype):
            if dtype == "fp8":
                if is_small():
                    config = {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 256, "num_stages": 4}
                else:
                    config = {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 256, "BLOCK_SIZE_K": 128, "num_stages": 4}
                return config
    """)
    assert [row.name for row in rows if row.verdict("sm120") == "crash"] == []


def test_a_test_that_names_the_architecture_answers_for_what_it_runs() -> None:
    text = """
        import torch

        def has_parts():
            import deep_gemm
            return hasattr(deep_gemm, "fp8_einsum")

        def is_enabled():
            major, minor = torch.cuda.get_device_capability()
            sm = major * 10 + minor
            if sm < 90:
                return False
            if sm in (120, 121) and not has_parts():
                return False
            try:
                import deep_gemm
            except ImportError:
                return False
            return True
    """
    crashing = {row.name for row in rows_of(text) if row.verdict("sm120") == "crash"}
    assert crashing == set()
    plain = text.replace("            if sm in (120, 121) and not has_parts():\n                return False\n", "")
    assert {row.verdict("sm120") for row in rows_of(plain)} == {"crash"}


@pytest.mark.parametrize(
    "condition",
    [
        "FLAG",  # a global that a function stores
        "self.fused",  # a field that the constructor takes
        "self.mode == 'auto'",  # an attribute that one branch stores
    ],
)
def test_what_may_have_another_value_is_not_known(condition: str) -> None:
    row = only(f"""
        import torch
        from dataclasses import dataclass

        FLAG = False

        def configure():
            global FLAG
            FLAG = True

        @dataclass
        class Args:
            fused: bool = False
            mode: str = "auto"

            def finish(self):
                if self.mode == "old":
                    self.mode = "new"
                if {condition}:
                    if torch.cuda.get_device_capability()[0] == 10:
                        self.backend = "fast"
    """)
    assert row.verdict("sm120") == "fallback"


def test_a_word_that_is_asked_for_this_architecture_below_covers() -> None:
    rows = rows_of("""
        import torch

        def decode(backend):
            if backend == "auto":
                backend = "gen" if torch.cuda.get_device_capability()[0] == 10 else "xqa"
            if backend == "xqa":
                if torch.cuda.get_device_capability()[0] != 12:
                    raise ValueError("xqa requires SM120, please use another")
            return backend
    """)
    assert {r.kind: r.verdict("sm120") for r in rows} == {"choice": "covered", "branch": "covered"}


def test_a_message_that_lists_what_is_supported_excludes() -> None:
    lines = [
        "sizes = {9: 128, 10: 256}.get(torch.cuda.get_device_capability()[0])",
        "if sizes is None:",
        "    raise ValueError('block-sparse is not available here; supported: SM90 (Hopper) and SM100')",
    ]
    assert {row.kind: row.verdict("sm120") for row in rows_of(body(*lines))} == {
        "table": "fallback",
        "branch": "excluded",
    }


def test_a_message_that_lists_nothing_does_not() -> None:
    lines = [
        "major = torch.cuda.get_device_capability()[0]",
        "if major == 9:",
        "    return 1",
        "elif major == 10:",
        "    return 2",
        "raise ValueError(f'Unsupported compute capability: {major}')",
    ]
    assert verdict(body(*lines)) == "crash"


_TILES = ["if torch.cuda.get_device_capability()[0] >= 9:", "    {comment}", "    BLOCK_M = 128", "    BLOCK_N = 64"]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [("# large tiles", "silent"), ("# tuned on SM90", "silent"), ("# SM90/SM100+: small tiles", "covered")],
)
def test_tiles_for_this_and_all_later_ones_are_covered(comment: str, expected: str) -> None:
    lines = [line.format(comment=comment) for line in _TILES]
    assert verdict(body(*lines, "else:", "    BLOCK_M = 64", "    BLOCK_N = 64", "return BLOCK_M")) == expected


def test_tiles_behind_a_name_that_means_later_ones_are_covered() -> None:
    lines = ["is_sm90_plus = torch.cuda.get_device_capability()[0] >= 9", "if is_sm90_plus:", "    BLOCK_M = 128"]
    rows = rows_of(body(*lines, "else:", "    BLOCK_M = 64", "return BLOCK_M"))
    assert {row.verdict("sm120") for row in rows} == {"covered"}


def test_a_comment_on_what_is_needed_excludes() -> None:
    lines = [
        "if is_sm100_supported():",
        "    args.kernel = 'cute'",
        "else:",
        "    # These kernels need SM10x; elsewhere fall back.",
        "    args.kernel = 'triton'",
    ]
    assert verdict(body(*lines)) == "excluded"
