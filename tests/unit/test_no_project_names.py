"""The engine is generic: what is particular to an analysed project is data under `knowledge/`."""

from __future__ import annotations

import re
from pathlib import Path

import codepath

_NAMES = re.compile(
    r"sglang|vllm|EntryClass|ModelRegistry|ModelRunner|TpModelWorker|TokenizerManager|ServerArgs|kimi|deepseek|flashinfer"
    r"|eagle|expert_location",
    re.IGNORECASE,
)


def test_the_engine_names_no_analysed_project() -> None:
    root = Path(codepath.__file__).parent
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in sorted(root.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _NAMES.search(line)
    ]
    assert found == []
