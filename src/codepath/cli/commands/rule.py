"""`codepath rule`: list, explain, test, new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options
from codepath.cli.outputs import check_writable
from codepath.cli.session import Session
from codepath.errors import CodepathError, QueryError
from codepath.report.view import View

if TYPE_CHECKING:
    from codepath.checks.schema import Kind
    from codepath.model.checks import Rule


@click.group("rule", short_help="List, explain and test rules.")
def command() -> None:
    """Work with rules: folders with a rule.toml and a rule.md."""


@command.command("list")
@click.option("--kinds", "all_kinds", is_flag=True, help="The kinds and their keys.")
@source_options
@session_options("text", "json")
def list_rules(session: Session, all_kinds: bool) -> None:
    """List the rules that hold for the tree."""
    from codepath.checks.kinds import kinds
    from codepath.report.rules_text import kinds_text, list_text, rules_json

    rules, known = _rules(session, ()), list(kinds().values())

    def report(format: str, view: View) -> Iterator[str]:
        if format == "json":
            return rules_json(rules, known, (), view)
        return kinds_text(known, view) if all_kinds else list_text(rules, view)

    _write(session, report, "list", ())


@command.command("explain")
@click.argument("name", metavar="RULE", shell_complete=completing.rules)
@source_options
@session_options("text", "json")
def explain(session: Session, name: str) -> None:
    """Say what a rule finds, why, and how to fix it."""
    from codepath.checks.kinds import kinds
    from codepath.report.rules_text import explain_text, rules_json

    rule = _rules(session, (name,))[0]
    kind = kinds()[rule.kind]

    def report(format: str, view: View) -> Iterator[str]:
        return rules_json([rule], [kind], (), view) if format == "json" else explain_text(rule, kind, view)

    _write(session, report, "explain", (name,))


@command.command("test")
@click.argument("names", metavar="[RULE]...", nargs=-1, shell_complete=completing.rules)
@source_options
@session_options("text", "json")
def test(session: Session, names: tuple[str, ...]) -> int:
    """Check the examples in the documents of rules; all rules where none is named."""
    from codepath.app.rule_tests import test_rule
    from codepath.report.rules_text import rules_json, tests_text

    rules = _rules(session, names)
    if not rules:
        raise QueryError("there are no rules to test")
    found = [(t.rule, t.line, t.problems) for rule in rules for t in test_rule(rule)]

    def report(format: str, view: View) -> Iterator[str]:
        return rules_json(rules, (), found, view) if format == "json" else tests_text(found, view)

    _write(session, report, "test", names)
    return 1 if any(problems for _, _, problems in found) else 0


@command.command("new")
@click.argument("name", metavar="RULE")
@click.option("--kind", "kind_name", required=True, help="The kind: `codepath rule list --kinds`.")
@session_options("text")
def new(session: Session, name: str, kind_name: str) -> None:
    """Write the folder queries/RULE with files to start from."""
    from pathlib import Path

    from codepath.report.rules_text import new_rule_text

    kind = _kind(kind_name)
    if not name.replace("-", "").isalnum() or name != name.lower():
        raise QueryError(
            f"`{name}` cannot be the id of a rule", help=("small letters and digits with `-` between them",)
        )
    folder = Path("queries") / name
    try:
        folder.mkdir(parents=True)
        for file, text in zip(("rule.toml", "rule.md"), new_rule_text(name, kind), strict=True):
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CodepathError(f"`{folder}` cannot be written: {error.strerror or error}") from error
    session.terminal.note(
        f"wrote {folder.as_posix()}/rule.toml and rule.md (its examples, marked `finding:` and `ok:`, are its tests)"
    )
    session.terminal.note(f"next: edit the two, then  codepath rule test {name}")


def _kind(name: str) -> Kind:
    from codepath.checks.kinds import kinds
    from codepath.checks.rules import nearest

    known = kinds()
    if name not in known:
        help = (*nearest(name, list(known)), f"kinds: {', '.join(known)}")
        raise QueryError(f"there is no kind `{name}`", help=help)
    return known[name]


def _rules(session: Session, names: Sequence[str]) -> list[Rule]:
    """Return the rules of these ids, all where there are none."""
    from codepath.app.checking import settings_of
    from codepath.checks.run import chosen

    return chosen(settings_of(session.options).rules, names, ())[0]


def _write(session: Session, report: object, action: str, names: Sequence[str]) -> None:
    from codepath.report.documents import NO_SOURCE

    check_writable(session.outputs)
    query = {"command": "rule", "action": action, "names": list(names)}
    session.write(report, query, NO_SOURCE)  # type: ignore[arg-type]
