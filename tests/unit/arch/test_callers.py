"""A branch that no caller gets to on an architecture is no miss there."""

from __future__ import annotations

from tests.unit.arch.asking import rows_of

_HEAD = """
import torch

_SM = torch.cuda.get_device_capability()[0] * 10

def is_ready(experts):
    if not experts.built:
        return False
    return _SM // 10 == 10

def run(experts, x):
    return _routed(experts, x)

def _routed(experts, x):
    if _SM == 100:
        return fast(x)
    return slow(x)

def fast(x):
    return x

def slow(x):
    return x
"""
_ASKS = """
class Layer:
    def forward(self, x):
        if not is_ready(self.experts):
            raise RuntimeError("the experts are not ready")
        return run(self.experts, x)
"""
_ALSO = """
class Other:
    def forward(self, x):
        if is_ready(self.experts):
            return run(self.experts, x)
        return x
"""


def _verdict(text: str) -> str:
    row = next(row for row in rows_of(text) if row.place.function == "m._routed")
    return row.verdict("sm120")


def test_every_caller_asks_first() -> None:
    assert _verdict(_HEAD + _ASKS) == "excluded"
    assert _verdict(_HEAD + _ASKS + _ALSO) == "excluded"


def test_one_caller_does_not_ask() -> None:
    assert _verdict(_HEAD + _ASKS + "\ndef main(experts):\n    return run(experts, 1)\n") == "fallback"


def test_nothing_calls_it() -> None:
    assert _verdict(_HEAD) == "fallback"


def test_an_attribute_may_be_stored_elsewhere() -> None:
    text = """
class Layer:
    def __init__(self):
        self.with_fast = _SM // 10 == 10

    def forward(self, x):
        return run(self.experts, x) if self.with_fast else x
"""
    assert _verdict(_HEAD + text) == "fallback"


def test_a_caller_that_asks_something_else() -> None:
    text = _HEAD + "\ndef main(experts):\n    return run(experts, 1) if experts.built else None\n"
    assert _verdict(text) == "fallback"
