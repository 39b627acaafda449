"""Every section of every document holds, and what Python runs is annotated."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mdtest.framework import Section, check, sections
from tests.mdtest.running import observed

_HERE = Path(__file__).parent
_ALL = [(path, section) for path in sorted(_HERE.glob("*.md")) for section in sections(path)]


def _name(item: tuple[Path, Section]) -> str:
    return f"{item[0].stem}:{item[1].line}"


@pytest.mark.parametrize("item", _ALL, ids=_name)
def test_section(item: tuple[Path, Section]) -> None:
    path, section = item
    problems = check(section)
    assert not problems, f"{path.name}:{section.line} {section.title}\n" + "\n".join(problems)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="qualified names of code objects came with Python 3.11")
@pytest.mark.parametrize("item", [i for i in _ALL if i[1].run], ids=_name)
def test_python_agrees(item: tuple[Path, Section]) -> None:
    path, section = item
    annotated = {
        (n.file, n.line, name) for n in section.notes if n.tag == "calls" and n.flag != "SPURIOUS" for name in n.items
    }
    short = set(section.files) == {"main.py"}
    for file, line, callee in sorted(observed(section.files)):
        name = callee.removeprefix("main.") if short else callee
        if "<lambda>" in name:
            continue
        assert (file, line, name) in annotated, f"{path.name}:{section.line}: Python calls {name} at {file}:{line}"
