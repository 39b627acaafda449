"""Shapes of known faults that a question shows: its answer shows the lines that say so, and no others that are tagged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program
from tests.mdtest.questions import Question, questions, shown

_DOCUMENTS = sorted((Path(__file__).parent / "questions").glob("*.md"))
_ASKED = [(path, question) for path in _DOCUMENTS for question in questions(path)]


@pytest.mark.parametrize(("path", "question"), _ASKED, ids=[f"{p.stem}:{q.title}" for p, q in _ASKED])
def test_shapes(path: Path, question: Question, tmp_path: Path) -> None:
    for name, text in question.example.files.items():
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    answer = Program(tmp_path / "tree", tmp_path / "cache").document(*question.words)
    found = shown(question, answer)
    assert found & {*question.example.found, *question.example.fine} == set(question.example.found)


def test_every_document_asks() -> None:
    assert {path for path, _ in _ASKED} == set(_DOCUMENTS)
