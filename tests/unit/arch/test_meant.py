"""What is taken for meant, for current, and for said: names of functions, versions of libraries, comments, messages."""

from __future__ import annotations

from tests.unit.arch.asking import only, rows_of, verdict

_CAP = "import torch\nimport cudnn\n\n\n"


def test_a_function_named_for_others_refuses_on_purpose() -> None:
    text = """
        def {name}():
            if torch.cuda.get_device_capability()[0] != 10:
                return False
            return True
        """
    assert verdict(_CAP + _code(text.format(name="can_use_gemm_sm100"))) == "excluded"
    assert verdict(_CAP + _code(text.format(name="can_use_gemm"))) == "fallback"


def test_what_is_imported_is_current() -> None:
    text = """
        def check(device):
            if torch.cuda.get_device_capability(device)[0] == 12 and {test}:
                raise RuntimeError("too old")
        """
    assert all(
        r.verdict("sm120") == "covered"
        for r in rows_of(_CAP + _code(text.format(test="cudnn.backend_version() < 91400")))
    )
    assert verdict(_CAP + _code(text.format(test="cudnn.backend_version() > 91400"))) == "crash"
    assert verdict(_CAP + _code(text.format(test="device.sm_version < 91400"))) == "crash"


def test_a_comment_above_an_import_belongs_to_the_branch_behind_it() -> None:
    text = """
        def probe(wanted):
            # Auto-probe: only SM100/SM103, the buffers of others are misrouted.
            import math

            if torch.cuda.get_device_capability() not in ((10, 0), (10, 3)):
                return None
            return math.pi
        """
    assert verdict(_CAP + _code(text)) == "excluded"


def test_a_message_is_shown_with_the_names_of_what_is_filled_in() -> None:
    text = """
        def pick(world):
            major, minor = torch.cuda.get_device_capability()
            if major == 9:
                return 1
            elif major == 10:
                return 2
            raise ValueError(f"no kernel for {major}.{minor} in {world.name}")
        """
    assert dict(only(_CAP + _code(text)).reasons)["sm120"] == "raises: no kernel for {major}.{minor} in {name}"


def test_an_assertion_without_a_message_is_shown_itself() -> None:
    text = """
        def pick():
            major = torch.cuda.get_device_capability()[0]
            assert major == 9 or major == 10
        """
    assert dict(only(_CAP + _code(text)).reasons)["sm120"] == "the assertion `major == 9 or major == 10` fails"


def _code(text: str) -> str:
    from textwrap import dedent

    return dedent(text).lstrip()
