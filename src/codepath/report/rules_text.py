"""Rules, their kinds and the tests of their examples as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.checks.rules import HEADINGS, KEYS
from codepath.checks.schema import Key, Kind
from codepath.model.checks import Rule
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.pen import Span, pad
from codepath.report.view import View, count

Examples = Sequence[tuple[str, int, tuple[str, ...]]]
"""For each example: the rule, the line of rule.md, what is wrong."""
_FORMS = {"text": "a string", "texts": "strings", "flag": "true or false"}


def list_text(rules: Sequence[Rule], view: View) -> Iterator[str]:
    """Write rules one a line."""
    wide = max((len(rule.id) for rule in rules), default=0) + 3
    for rule in rules:
        kind = f"{rule.severity}, {rule.kind}"
        project = f"   for {rule.applies_to}" if rule.applies_to != "any" else ""
        yield view.pen.line(Span(rule.id, "name"), pad(wide, rule.id), kind, pad(34, kind), rule.origin, project)
        yield view.pen.line("    ", rule.summary)
    yield view.pen.line(f"{count(len(rules), 'rule')}. What one means: {view.command('rule', 'explain', 'RULE')}")


def kinds_text(kinds: Sequence[Kind], view: View) -> Iterator[str]:
    """Write kinds with their keys."""
    for kind in kinds:
        yield view.pen.line(Span(kind.name, "name"))
        yield view.pen.line("    ", kind.summary)
        for key in kind.keys:
            yield view.pen.line("    ", key.name, pad(14, key.name), key_text(key))


def key_text(key: Key) -> str:
    """Return what a key takes."""
    form = f"of {', '.join(key.choices)}" if key.choices else _FORMS[key.form]
    return f"{key.meaning} ({form}{', required' if key.required else ''})"


def explain_text(rule: Rule, kind: Kind, view: View) -> Iterator[str]:
    """Write what a rule means: its document, else what its rule.toml says."""
    yield view.pen.line(Span(f"# {rule.id} ({rule.severity})", "answer"))
    yield view.pen.line()
    body = rule.document.split("\n") if rule.document.strip() else [rule.summary, "", rule.why]
    for line in body[1:] if body[0].startswith("# ") else body:
        yield view.pen.line(line)
    yield view.pen.line("## Keys")
    yield view.pen.line()
    yield view.pen.line(f"Kind {kind.name}: {kind.summary}")
    for number, table in enumerate(rule.tables):
        if number:
            yield view.pen.line()
        for key in kind.keys:
            value = table[key.name]
            shown = ", ".join(value) if isinstance(value, tuple) else str(value)
            yield view.pen.line("    ", key.name, pad(14, key.name), shown or "-")
    yield view.pen.line()
    yield view.pen.line(f"Precision: {rule.precision}. Suppress: # codepath: ignore[{rule.id}] reason")


def tests_text(found: Examples, view: View) -> Iterator[str]:
    """Write what became of examples."""
    bad = 0
    for rule, line, problems in found:
        bad += bool(problems)
        where = f"rule.md:{line}" if line else "rule.md"
        yield view.pen.line(rule, pad(34, rule), where, pad(14, where), Span("wrong", "error") if problems else "ok")
        for problem in problems:
            yield view.pen.line("    ", problem)
    rules, total = len({rule for rule, _, _ in found}), sum(1 for _, line, _ in found if line)
    said = "all as expected" if not bad else f"{bad} not as expected"
    yield view.pen.line(Span(f"{count(rules, 'rule')}, {count(total, 'example')}: {said}.", "answer"))


def rules_json(rules: Sequence[Rule], kinds: Sequence[Kind], found: Examples, view: View) -> Iterator[str]:
    """Write rules, kinds and examples as a document."""
    own = {
        "rules": [_rule(rule) for rule in rules],
        "kinds": [_kind(kind) for kind in kinds],
        "examples": [{"rule": rule, "line": line, "problems": problems} for rule, line, problems in found],
    }
    yield pretty(document(view, None, None, own))


def _rule(rule: Rule) -> Document:
    return {
        "id": rule.id,
        "kind": rule.kind,
        "severity": rule.severity,
        "precision": rule.precision,
        "summary": rule.summary,
        "why": rule.why,
        "applies_to": rule.applies_to,
        "origin": rule.origin,
    }


def _kind(kind: Kind) -> Document:
    keys = [
        {"name": k.name, "form": k.form, "meaning": k.meaning, "required": k.required, "choices": k.choices}
        for k in kind.keys
    ]
    return {"name": kind.name, "summary": kind.summary, "keys": keys}


def new_rule_text(name: str, kind: Kind) -> tuple[str, str]:
    """Return a rule.toml and a rule.md to start from."""
    rows = [f'id = "{name}"', f'kind = "{kind.name}"', 'severity = "warning"', 'precision = "medium"']
    rows += ['summary = "..."', 'why = "..."', 'applies-to = "any"', "", f"[{kind.name}]"]
    for key in kind.keys:
        value = {"text": '"..."', "texts": '["..."]', "flag": "false"}[key.form]
        lead = "" if key.required else "# "
        rows.append(f"{lead}{key.name} = {value}   # {key_text(key)}")
    parts = [f"# {name}", ""]
    for heading in HEADINGS:
        parts += [f"## {heading}", "", "...", ""]
        if heading == "What it finds":
            parts += ["```py", f"bad()  # finding: {name}", "```", "", "<!-- example -->", ""]
            parts += ["```py", f"good()  # ok: {name}", "```", ""]
    return "\n".join(rows) + "\n", "\n".join(parts)


_REFERENCE = """\
# Rules

A rule is a folder with a `rule.toml`, which says what it demands, and a `rule.md`, whose examples are its tests. codepath
ships those below; a tree's own stand in `queries/`, or where `queries = [...]` in its configuration says, and win by id.
`codepath rule new ID --kind KIND` writes one to start from, `codepath rule test` checks the examples.

This page is made from the schema that checks the files: `make docs`.
"""


def reference(rules: Sequence[Rule], kinds: Sequence[Kind]) -> str:
    """Return the page of the reference on rules and kinds, as Markdown."""
    rows = ["## Shipped rules", "", "| rule | severity | kind | for | what it demands |", "|---|---|---|---|---|"]
    rows += [f"| {r.id} | {r.severity} | {r.kind} | {r.applies_to} | {r.summary} |" for r in rules]
    rows += ["", "## rule.toml", "", "| key | meaning |", "|---|---|"]
    rows += [f"| `{name}` | {meaning} |" for name, meaning in KEYS]
    rows += ["", "## Kinds", ""]
    for kind in kinds:
        rows += [f"### {kind.name}", "", kind.summary, "", "| key | form | required | meaning |", "|---|---|---|---|"]
        for key in kind.keys:
            form = f"of {', '.join(key.choices)}" if key.choices else _FORMS[key.form]
            rows.append(f"| `{key.name}` | {form} | {'yes' if key.required else ''} | {key.meaning} |")
        rows.append("")
    return _REFERENCE + "\n" + "\n".join(rows).rstrip() + "\n"
