"""Draws findings of some rules at random, to be judged by reading the source.

    python benchmarks/draw_findings.py NAME=SPEC ... [--group state|names] [--count N] [--seed N] [--codepath CMD]

The same trees and the same seed give the same findings; one line each is printed: the tree, the rule, the place, the message.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import subprocess

RULES = {
    "state": ("unset-read", "guard-mismatch", "override-gap", "order-contract", "shared-write"),
    "names": (
        "optional-hook-missing",
        "missing-hook",
        "missing-protocol",
        "dead-probe",
        "siblings",
        "signature-drift",
        "flags",
        "stale-name",
        "set-difference",
    ),
}
_SEED = 20261130


def findings(command: list[str], spec: str, rules: tuple[str, ...]) -> list[tuple[str, str, int, str]]:
    """Return the findings of severity warning or error in one tree: rule, file, line and message, sorted."""
    chosen = [word for rule in rules for word in ("--select", rule)]
    line = [*command, "check", *chosen, "--source", spec, "--exit-zero", "--format", "json", "-q"]
    answer = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    meant = (f for f in answer["findings"] if f["severity"] in ("warning", "error"))
    return sorted((f["rule"], f["place"]["file"], f["place"]["line"], f["message"]) for f in meant)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", metavar="NAME=SPEC")
    parser.add_argument("--group", choices=sorted(RULES), default="state", help="the rules on state, or on names")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("--codepath", default="codepath")
    given = parser.parse_args()
    command = shlex.split(given.codepath)
    trees = (tree.partition("=") for tree in given.trees)
    every = [(name, *one) for name, _, spec in trees for one in findings(command, spec, RULES[given.group])]
    print(f"{len(every)} findings")
    for name, rule, file, number, message in sorted(
        random.Random(given.seed).sample(every, min(given.count, len(every)))
    ):
        print(f"{name} | {rule} | {file}:{number} | {message}")


if __name__ == "__main__":
    main()
