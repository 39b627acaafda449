"""Asks many questions in a process of its own and prints each answer: `python -m tests.functional.asking CACHE [OPTION]...`.

Options: `--workers N`, `--reversed` for the questions in reversed order, `--cold` for an empty cache before each.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

from click.testing import CliRunner

from codepath.cli.root import root

QUESTIONS = (
    "reach set_expert_layout",
    "reach set_expert_layout --all --format json",
    "reach set_expert_layout --view tree",
    "reach set_expert_layout --from Engine --paths 3 --format json",
    "reach forward --all-matches --format json",
    "callers get_layout --format json",
    "callees ModelRunner.initialize --format json",
    "symbols layout --format json",
    "entries --uncalled --format json",
    "status --reasons --format json",
    "status --unresolved --format json",
    "graph",
    "graph --unresolved",
    "values _layout --format json",
    "values ModelRunner.is_draft_worker --all",
    "hooks get_layout_config --format json",
    "hooks --all --format json",
    "trace logs/start_failure_full.log --format json",
    "trace logs/start_failure.log --all",
    "trace --absent scheduler --format json",
    "reach initialise",
    "reach initialize",
)
VARIES = re.compile(r'"seconds": [0-9.e-]+|"bytes": [0-9]+|[0-9.]+ s\b|parse \d+/\d+ files\n')


def answers(cache: Path, workers: str, backwards: bool, cold: bool) -> dict[str, str]:
    found = {}
    environment = {"CODEPATH_CACHE_DIR": str(cache), "CODEPATH_WORKERS": workers}
    for question in reversed(QUESTIONS) if backwards else QUESTIONS:
        if cold:
            shutil.rmtree(cache, ignore_errors=True)
        result = CliRunner().invoke(root, [*question.split(), "-q"], env=environment)
        found[question] = f"[{result.exit_code}]\n{VARIES.sub('', result.output.replace(str(cache), ''))}"
    return {question: found[question] for question in QUESTIONS}


def main(words: list[str]) -> None:
    workers = words[words.index("--workers") + 1] if "--workers" in words else "1"
    print(json.dumps(answers(Path(words[0]), workers, "--reversed" in words, "--cold" in words)))


if __name__ == "__main__":
    main(sys.argv[1:])
