"""`check` and `diff` on small repositories: what is found, what is silenced, and what a strange branch can do."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codepath.report.markdown import shown
from tests.functional.running import Program, validator, write

_RULE = """
id = "layout-first"
kind = "must-precede"
severity = "error"
summary = "The layout must be set before graphs are captured."

[must-precede]
first = ["set_layout"]
second = ["Runner.capture"]
in = ["Runner.start"]
subclasses = true
unless = ["is_draft"]
"""
_WATCH = """
id = "start-watched"
kind = "unchanged"
severity = "warning"
summary = "Calls of start-up must not change."

[unchanged]
function = ["set_layout", "Runner.capture"]
"""
_GOOD = """
def set_layout(value):
    print(value)


class Runner:
    def __init__(self, is_draft):
        self.is_draft = is_draft

    def start(self):
        if not self.is_draft:
            set_layout(1)
        self.capture()

    def capture(self):
        print("capture")


def main():
    Runner(False).start()


if __name__ == "__main__":
    main()
"""
_OWN = """
from server.runner import Runner


class OwnRunner(Runner):
    def start(self):
        self.capture()
"""
FILES: dict[str, str | bytes] = {
    "pyproject.toml": '[project]\nname = "server"\n',
    "server/__init__.py": "",
    "server/runner.py": _GOOD,
    "queries/layout-first/rule.toml": _RULE,
    "queries/start-watched/rule.toml": _WATCH,
}


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def server(tmp_path: Path) -> Program:
    """A repository with one commit on `main`, and a branch that is checked out."""
    folder = write(tmp_path / "repository", FILES)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    git(folder, "checkout", "-qb", "branch")
    return Program(folder, tmp_path / "cache")


def found(document: dict[str, Any], status: str = "new") -> list[tuple[str, str, int]]:
    rows = [f for f in document["findings"] if f["status"] == status]
    return [(f["rule"], f["place"]["file"], f["place"]["line"]) for f in rows]


def test_a_clean_tree_passes(server: Program) -> None:
    assert "All checks passed" in server.text("check")
    document = server.document("check")
    assert document["findings"] == []
    states = {rule["id"]: rule["state"] for rule in document["rules"]}
    assert states["layout-first"] == "ran" and states["start-watched"] == "idle"


def test_an_override_that_leaves_a_call_out(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    document = server.document("check", "--diff", "main", status=1)
    assert found(document) == [("layout-first", "server/own.py", 6)]
    assert document["changed_files"] == 1
    text = server.run("check", "--diff", "main", status=1).stdout
    assert "server/own.py:6:5" in text and "OwnRunner.start" in text
    assert "Found 1 error, new on this branch." in text
    assert "   = on main this rule held\n" in text


def test_what_was_there_before_is_no_news(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    git(server.cwd, "add", "-A")
    git(server.cwd, "commit", "-qm", "own")
    write(server.cwd, {"server/moved.py": _OWN, "server/own.py": ""})
    document = server.document("check", "--diff", "HEAD")
    assert found(document, "existing") == [("layout-first", "server/moved.py", 6)]
    assert found(document) == []


def test_a_new_guard(server: Program) -> None:
    guarded = _GOOD.replace("        self.capture()\n", "        if self.is_draft:\n            self.capture()\n")
    write(server.cwd, {"server/runner.py": guarded})
    document = server.document("check", "--diff", "main", "--select", "start-*", status=1)
    assert found(document) == [("start-watched", "server/runner.py", 13)]
    assert "`self.is_draft` is new" in document["findings"][0]["message"]


def test_the_merge_base(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    git(server.cwd, "checkout", "-q", "main")
    write(server.cwd, {"server/other.py": "x = 1\n"})
    git(server.cwd, "add", "server/other.py")
    git(server.cwd, "commit", "-qm", "other")
    git(server.cwd, "checkout", "-q", "branch")
    assert server.document("check", "--diff", "main...", status=1)["changed_files"] == 1


def test_exit_status(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    server.run("check", status=1)
    server.run("check", "--exit-zero")
    server.run("check", "--ignore", "layout-first")
    server.run("check", "--fail-on", "error", status=1)
    write(server.cwd, {"queries/layout-first/rule.toml": _RULE.replace('"error"', '"info"')})
    server.run("check")
    server.run("check", "--fail-on", "info", status=1)


def test_only_some_functions(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN, "server/two.py": _OWN.replace("OwnRunner", "Two")})
    document = server.document("check", "--only", "server.two.**", status=1)
    assert found(document) == [("layout-first", "server/two.py", 6)]


def test_suppressions(server: Program) -> None:
    silent = _OWN.replace(
        "def start(self):", "def start(  # codepath: ignore[layout-first] has no layout\n        self,\n    ):"
    )
    write(server.cwd, {"server/own.py": silent})
    document = server.document("check")
    assert found(document, "suppressed") == [("layout-first", "server/own.py", 6)]
    assert document["findings"][0]["reason"] == "has no layout"


def test_a_suppression_without_a_reason_silences_nothing(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN.replace("(self):", "(self):  # codepath: ignore[layout-first]")})
    document = server.document("check", status=1)
    assert found(document) == [("layout-first", "server/own.py", 6), ("unused-ignore", "server/own.py", 6)]


def test_unused_suppressions(server: Program) -> None:
    text = "x = 1  # codepath: ignore[layout-first] why\ny = 2  # codepath: ignore[no-such] why\n"
    write(server.cwd, {"server/own.py": text})
    messages = [f["message"] for f in server.document("check", status=1)["findings"]]
    assert messages == [
        "this ignore of layout-first suppresses nothing",
        "this ignore names no-such, which is no rule here",
    ]
    server.run("check", "--ignore", "unused-ignore")
    # a rule that does not run may still need its comment
    assert len(server.document("check", "--ignore", "layout-first", status=1)["findings"]) == 1


def test_ignores_are_written_with_a_reason(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    result = server.run("check", "--add-ignore", "it is planned")
    assert "ignores written: 1, in files: 1" in result.stderr
    assert "# codepath: ignore[layout-first] it is planned" in (server.cwd / "server/own.py").read_text(
        encoding="utf-8"
    )
    assert found(server.document("check"), "suppressed") and not found(server.document("check"))
    assert "one line of text" in server.error("check", "--add-ignore", "")
    git(server.cwd, "add", "-A")
    git(server.cwd, "commit", "-qm", "own")
    assert "into a folder only" in server.error("check", "--source", "git:HEAD", "--add-ignore", "why")


def test_a_suppression_that_a_branch_adds_is_told(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN.replace("(self):", "(self):  # codepath: ignore[layout-first] I want to")})
    document = server.document("check", "--diff", "main", status=1)
    assert found(document) == [("new-ignore", "server/own.py", 6)]
    assert "I want to" in next(f["message"] for f in document["findings"] if f["rule"] == "new-ignore")


def test_a_baseline(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    assert "codepath check --update-baseline" in server.run("check", status=1).stdout
    assert "wrote codepath-baseline.json: 1 finding (1 error)." in server.run("check", "--update-baseline").stderr
    assert "0 new findings (1 in the baseline)." in server.text("check")
    kept = json.loads((server.cwd / "codepath-baseline.json").read_text())
    assert [row["rule"] for row in kept["findings"]] == ["layout-first"]
    assert "line" not in json.dumps(kept)
    write(server.cwd, {"server/own.py": "\n\n\n" + _OWN})
    assert found(server.document("check"), "existing") == [("layout-first", "server/own.py", 9)]
    write(server.cwd, {"server/own.py": ""})
    assert "1 entry of codepath-baseline.json no longer occurs" in server.text("check")
    server.run("check", "--error-stale-baseline", status=1)
    server.run("check", "--prune-baseline")
    assert json.loads((server.cwd / "codepath-baseline.json").read_text())["findings"] == []


def test_a_wrong_baseline(server: Program) -> None:
    write(server.cwd, {"codepath-baseline.json": "[" * 100_000})
    assert "the baseline is no JSON" in server.error("check")
    assert "there is no such baseline" in server.error("check", "--baseline", "no-such.json")


@pytest.mark.parametrize(
    ("wrong", "message", "place"),
    [
        (_RULE.replace("first =", "frist ="), "unknown key `frist` in [must-precede]", "rule.toml:8:1"),
        (_RULE.replace("must-precede", "must-preced"), "there is no kind `must-preced`", "rule.toml:3:1"),
        (_RULE.replace('"error"', '"eror"'), "`severity` cannot be `eror`", "rule.toml:4:1"),
        (_RULE.replace('["set_layout"]', "3"), "`first` must be a list of strings", "rule.toml:8:1"),
        (
            _RULE.replace("subclasses = true", 'subclasses = "yes"'),
            "`subclasses` must be true or false",
            "rule.toml:11:1",
        ),
        (_RULE.replace('"layout-first"', '"other"'), "`id` must be the name of the folder", "rule.toml:2:1"),
        (_RULE.replace('in = ["Runner.start"]\n', ""), "[must-precede] lacks `in`", "rule.toml:7:2"),
        (_RULE.replace("[must-precede]", "[[must-precede]]").replace("first =", "frist ="), "`frist`", "rule.toml:8:1"),
        (_RULE + '\n[[must-precede]]\nfirst = ["x"]\n', "not valid TOML", "rule.toml:14"),
        (_RULE.partition("\n[")[0] + "\nmust-precede = []\n", "the table [must-precede] is missing", "rule.toml:7:1"),
        (_RULE.partition("\n[")[0] + "\nmust-precede = [1]\n", "the table [must-precede] is missing", "rule.toml:7:1"),
        (
            _RULE.replace("[must-precede]", "[[must-precede]]") + '\n[[must-precede]]\nfirst = ["x"]\n',
            "[must-precede] lacks `second`",
            "rule.toml:14:3",
        ),
        ("id = ", "not valid TOML", "rule.toml:1"),
        (_RULE.replace('"set_layout"', f'"{"*a" * 40}"'), "more than 6 `*`", "rule.toml:8:1"),
    ],
)
def test_a_wrong_rule(server: Program, wrong: str, message: str, place: str) -> None:
    write(server.cwd, {"queries/layout-first/rule.toml": wrong})
    said = server.error("check")
    assert message in said and place in said


def test_the_nearest_key(server: Program) -> None:
    write(server.cwd, {"queries/layout-first/rule.toml": _RULE.replace("first =", "frist =")})
    said = server.error("rule", "test", "layout-first")
    assert "did you mean `first`?" in said and "keys of [must-precede]" in said


def test_the_nearest_rule(server: Program) -> None:
    assert "did you mean `layout-first`?" in server.error("check", "--select", "layout-frist")
    assert "there is no rule `layout-frist`" in server.error("check", "--select", "layout-frist")


def test_revisions_that_are_not_there(server: Program, tmp_path: Path) -> None:
    assert "git does not know the revision `no-such`" in server.error("check", "--diff", "no-such")
    assert "git does not know the revision" in server.error("check", "--diff", "--output=x")
    outside = Program(write(tmp_path / "outside", {"m.py": "x = 1\n"}), server.cache)
    assert "is not in a git repository" in outside.error("check", "--diff", "main")


# --- what a strange branch can do ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        {"codepath.toml": 'ignore = ["*"]\n'},
        {"queries/layout-first/rule.toml": _RULE.replace('"error"', '"info"')},
        {"queries/layout-first/rule.toml": "not = a rule ["},
        {"pyproject.toml": '[project]\nname = "server"\n[tool.codepath]\nqueries = []\n'},
        {"codepath.toml": "[[[["},
    ],
)
def test_a_branch_cannot_silence_its_own_check(server: Program, files: dict[str, str | bytes]) -> None:
    write(server.cwd, {"server/own.py": _OWN, **files})
    assert found(server.document("check", "--diff", "main", status=1)) == [("layout-first", "server/own.py", 6)]


def test_a_branch_cannot_bring_its_own_baseline(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    server.run("check", "--update-baseline")
    server.run("check")
    server.run("check", "--diff", "main", status=1)
    server.run("check", "--diff", "main", "--config-from", "head")


def test_links_are_not_followed(server: Program, tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", {"rule.toml": "secret = 1\n", "rule.md": "secret"})
    (server.cwd / "codepath.toml").write_text('queries = ["queries", "elsewhere"]\n')
    (server.cwd / "elsewhere").symlink_to(secret)
    (server.cwd / "queries" / "linked").mkdir()
    (server.cwd / "queries" / "linked" / "rule.toml").symlink_to(secret / "rule.toml")
    server.run("check")
    (server.cwd / "codepath-baseline.json").symlink_to(secret / "made.json")
    assert "is a link" in server.error("check", "--update-baseline")
    assert not (secret / "made.json").exists()


def test_a_configuration_cannot_have_other_files_overwritten(server: Program, tmp_path: Path) -> None:
    write(server.cwd, {"codepath.toml": 'baseline = "../out.json"\n'})
    assert "outside of its own folder" in server.error("check", "--update-baseline")
    assert not (tmp_path / "out.json").exists()


def test_nothing_forges_an_annotation(server: Program) -> None:
    name = "server/own%0A::error::x,line=9:.py"
    guarded = _OWN.replace("start(self)", "start(self, x='%0A::error::forged')")
    write(server.cwd, {name: guarded, "server/two.py": _OWN.replace("OwnRunner", "Two")})
    result = server.run("check", "--format", "github", status=1)
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("::error title=codepath (layout-first),file=server/") for line in lines)
    assert "%0A::error" not in result.stdout


def test_names_with_control_characters(server: Program) -> None:
    folder = "server/a\x1b[31mred\n::error::x"
    write(server.cwd, {f"{folder}/own.py": _OWN, f"{folder}/__init__.py": "", "server/own.py": _OWN})
    for format in ("text", "concise", "grouped", "github", "gitlab", "markdown", "sarif"):
        said = server.run("check", "--format", format, status=1).stdout
        assert "\x1b" not in said
        assert not any(line.startswith("::error::x") for line in said.splitlines())


def test_a_message_with_a_percent_sign(server: Program) -> None:
    forging = _GOOD.replace("if not self.is_draft:", "if self.is_draft == '%0A::error::forged':")
    write(server.cwd, {"server/runner.py": forging})
    said = server.run("check", "--format", "github", status=1).stdout
    assert "%250A" in said and "%0A::error" not in said


def test_files_that_are_deep_or_huge_hide_nothing(server: Program) -> None:
    nested = "".join(f"{'  ' * depth}if x{depth}:\n" for depth in range(95)) + f"{'  ' * 95}pass\n"
    deep = {"brackets": f"x = {'[' * 3000}{']' * 3000}\n", "sums": f"x = {' + '.join('1' * 500)}\n", "ifs": nested}
    write(server.cwd, {"server/own.py": _OWN, **{f"server/{name}.py": text for name, text in deep.items()}})
    with open(server.cwd / "server" / "huge.py", "wb") as file:
        file.truncate(21 << 20)
    document = server.document("check", "--diff", "main", status=1)
    assert ("layout-first", "OwnRunner.start", 6) in [
        (f["rule"], f["place"]["function"].partition("own.")[2], f["place"]["line"]) for f in document["findings"]
    ]
    assert "server/huge.py" in {row["path"] for row in document["source"]["skipped"]}


# --- reports ------------------------------------------------------------------------------------------------------------


def test_sarif(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    document = json.loads(server.run("check", "--diff", "main", "--format", "sarif", status=1).stdout)
    run = document["runs"][0]
    result = run["results"][0]
    assert document["version"] == "2.1.0"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "layout-first"
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "server/own.py", "uriBaseId": "SRCROOT"}
    assert location["region"]["startLine"] == 6 and location["region"]["startColumn"] == 5
    assert result["baselineState"] == "new" and result["partialFingerprints"]["codepath/v1"]


def test_places_below_the_top_of_the_repository(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    inner = Program(server.cwd / "server", server.cache)
    said = inner.run("check", "--source", ".", "--format", "github", "--ignore", "start-*", status=1).stdout
    assert "file=server/own.py,line=6,col=5" in said


def test_several_outputs(server: Program, tmp_path: Path) -> None:
    write(server.cwd, {"server/own.py": _OWN})
    outputs = [f"{name}:{tmp_path / name}" for name in ("sarif", "json", "github")]
    server.run("check", *(word for output in outputs for word in ("-o", output)), status=1)
    validator("check").validate(json.loads((tmp_path / "json").read_text()))
    assert (tmp_path / "github").read_text().startswith("::error ")


def test_a_file_that_does_not_parse(server: Program) -> None:
    write(server.cwd, {"server/broken.py": "def f(:\n"})
    assert "1 file could not be read" in server.text("check")
    result = server.run("check", "--strict", status=2)
    assert "could not be read (--strict)" in result.stderr


def test_markdown_and_gitlab(server: Program) -> None:
    write(server.cwd, {"server/own.py": _OWN.replace("OwnRunner", "__Own__Runner")})
    said = server.run("check", "--format", "markdown", status=1).stdout
    place, runs = shown("server/own.py:6"), shown("__Own__Runner.start runs capture").removesuffix("</code>")
    assert f"| error | {shown('layout-first')} | {place} | {runs}" in said
    (finding,) = json.loads(server.run("check", "--format", "gitlab", status=1).stdout)
    assert finding["location"] == {"path": "server/own.py", "lines": {"begin": 6}}
    assert finding["severity"] == "critical" and len(finding["fingerprint"]) == 20


# --- diff ---------------------------------------------------------------------------------------------------------------


def changes(program: Program, *words: str, status: int = 0) -> dict[str, list[tuple[str, ...]]]:
    document = program.document("diff", *words, status=status)
    found: dict[str, list[tuple[str, ...]]] = {}
    for change in document["changes"]:
        found.setdefault(change["kind"], []).append((change["subject"], *change["before"], *change["after"]))
    return found


def test_two_revisions(server: Program) -> None:
    changed = _GOOD.replace("if not self.is_draft:", "if self.is_draft:")
    changed = changed.replace(
        "def main():", "def again(runner):\n    runner = Runner(True)\n    runner.capture()\n\n\ndef main():"
    )
    write(server.cwd, {"server/runner.py": changed})
    git(server.cwd, "commit", "-qam", "changed")
    found = changes(server, "main", "branch")
    assert found["guard-inverted"] == [("set_layout in Runner.start", "not self.is_draft", "self.is_draft")]
    assert found["path-gained"] == [("Runner.capture", "again")]
    text = server.text("diff", "main", "branch")
    assert "guards inverted" in text and "calls gained" in text


def test_an_order_that_flips(server: Program) -> None:
    flipped = _GOOD.replace("        self.capture()\n\n    def capture", "\n    def capture")
    flipped = flipped.replace(
        "        if not self.is_draft:\n", "        self.capture()\n        if not self.is_draft:\n"
    )
    write(server.cwd, {"server/runner.py": flipped})
    git(server.cwd, "commit", "-qam", "flipped")
    found = changes(server, "main", "branch")
    assert found == {"order-flipped": [("set_layout before capture in Runner.start", "before", "after")]}
    assert server.run("diff", "main", "branch", "--gate", status=1)


_PLUGIN = """\
import server.runner as runner
from server.runner import Runner


class PluginRunner(Runner):
    def start(self):
        super().start()


def patched(value):
    print(value)


runner.set_layout = patched
"""


def test_what_a_plug_in_uses(server: Program, tmp_path: Path) -> None:
    write(tmp_path / "plug-in", {"plugin/__init__.py": "", "plugin/own.py": _PLUGIN})
    changed = _GOOD.replace("if not self.is_draft:", "if self.is_draft:").replace("        self.capture()\n\n", "\n")
    write(server.cwd, {"server/runner.py": changed.replace("def main():", "def again():\n    main()\n\n\ndef main():")})
    git(server.cwd, "commit", "-qam", "changed")
    words = ("main", "branch", "--used-by", str(tmp_path / "plug-in"))
    found = changes(server, *words)
    assert found["guard-inverted"] == [("set_layout in Runner.start", "not self.is_draft", "self.is_draft")]
    assert not any("capture" in row[0] for row in found.get("path-lost", ()))
    assert "main" not in {row[0] for rows in found.values() for row in rows}


def test_what_a_plug_in_uses_and_is_gone(server: Program, tmp_path: Path) -> None:
    write(tmp_path / "plug-in", {"plugin/__init__.py": "", "plugin/own.py": _PLUGIN})
    write(server.cwd, {"server/runner.py": _GOOD.replace("set_layout", "set_plan")})
    git(server.cwd, "commit", "-qam", "renamed")
    found = changes(server, "main", "branch", "--used-by", str(tmp_path / "plug-in"))
    assert ("set_layout", "its definition") in found["path-lost"]


def test_a_plug_in_that_uses_nothing(server: Program, tmp_path: Path) -> None:
    write(tmp_path / "other", {"other/__init__.py": "import json\n"})
    assert "overrides, replaces or calls" in server.error(
        "diff", "main", "branch", "--used-by", str(tmp_path / "other")
    )


def test_what_did_not_change_is_told(server: Program) -> None:
    text = server.text("diff", "main", "HEAD", "--symbols", "set_layout")
    assert "set_layout in Runner.start  same guards: not self.is_draft" in text
    assert "0 changes" in text


@pytest.fixture
def folders(tmp_path: Path) -> Callable[[str, str], dict[str, list[tuple[str, ...]]]]:
    """Two folders that hold one module each, compared."""

    def compared(before: str, after: str) -> dict[str, list[tuple[str, ...]]]:
        rules: dict[str, str | bytes] = {"queries/start-watched/rule.toml": _WATCH}
        base = write(tmp_path / "base", {"m.py": before})
        head = write(tmp_path / "head", {"m.py": after, **rules})
        return changes(Program(tmp_path, tmp_path / "cache"), str(base), str(head))

    return compared


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("True", "x", "guard-added"),
        ("x", "True", "guard-dropped"),
        ("x", "not x", "guard-inverted"),
        ("x == 1", "x == 1 or y", "guard-weakened"),
        ("(x == 1 or y) and z", "(x == 1 or y or w) and z", "guard-weakened"),
    ],
)
def test_guards(
    folders: Callable[[str, str], dict[str, list[tuple[str, ...]]]], before: str, after: str, kind: str
) -> None:
    text = "def set_layout(): ...\n\ndef start(x, y, z, w):\n    if {}:\n        set_layout()\n"
    plain = "def set_layout(): ...\n\ndef start(x, y, z, w):\n    set_layout()\n"
    texts = [plain if c == "True" else text.format(c) for c in (before, after)]
    assert list(folders(*texts)) == [kind]


_REQUIRED = """
id = "start-sets-layout"
kind = "override-calls-super"
severity = "error"
summary = "An override of start must set the layout."

[override-calls-super]
method = ["Runner.start"]
calls = ["set_layout"]
"""
_MAIN = """
from server.own import OwnRunner


def main():
    make().start()


def make():
    return OwnRunner(False)


if __name__ == "__main__":
    main()
"""


def test_an_override_that_leaves_a_call_out_is_told_with_the_way_to_it(server: Program) -> None:
    write(server.cwd, {"queries/start-sets-layout/rule.toml": _REQUIRED, "server/own.py": _OWN, "server/run.py": _MAIN})
    words = ("check", "--select", "start-sets-layout")
    assert "   = path: server.run → main → OwnRunner.start (2 hops)" in server.run(*words, status=1).stdout.splitlines()
    (finding,) = server.document(*words, status=1)["findings"]
    assert [(s["caller"], s["line"]) for s in finding["paths"][0]] == [("server.run", 14), ("server.run.main", 6)]
