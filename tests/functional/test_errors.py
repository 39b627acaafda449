"""What cannot be answered, and trees that are odd: each error case with its exit status and its message."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.functional.running import Program, write

SMALL: dict[str, str | bytes] = {
    "pkg/__init__.py": "",
    "pkg/main.py": """\
import torch
from pkg.parts import Part, Other, start

LIMIT = 3
ALIAS = start


@torch.no_grad()
def run(flag):
    graph = torch.cuda.CUDAGraph()
    if flag:
        start()
    Part().go(start())
    return [graph,
            LIMIT]


class Main:
    def go(self):
        run(True)


if __name__ == "__main__":
    Main().go()
""",
    "pkg/parts.py": """\
class Part:
    def go(self, value=None):
        return value


class Other:
    def go(self):
        return 1


def start():
    return Other().go()
""",
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("small")
    return Program(write(folder / "tree", SMALL), folder / "cache")


def program(tmp_path: Path, files: dict[str, str | bytes]) -> Program:
    return Program(write(tmp_path / "tree", files), tmp_path / "cache")


# --- names: E1, E2 -------------------------------------------------------------------------------------------------------


def test_an_unknown_name_is_told_what_is_near(small: Program) -> None:
    assert small.error("reach", "strat") == (
        "error: no function, method, class or global named `strat`\n"
        "  = did you mean\n"
        "      start    pkg/parts.py:11\n"
        "  = `codepath symbols PATTERN` lists names\n"
    )
    assert "did you mean" not in small.error("callers", "xyzzy")


@pytest.mark.parametrize("command", ["reach", "callers", "callees"])
def test_every_question_refuses_an_unknown_name(small: Program, command: str) -> None:
    assert "named `no.such`" in small.error(command, "no.such")
    assert "named ``" in small.error(command, "")


def test_unknown_names_in_options(small: Program) -> None:
    assert "named `nowhere`" in small.error("reach", "start", "--from", "nowhere")
    assert "named `nowhere`" in small.error("reach", "start", "--via", "nowhere")


def test_a_misspelt_method_is_told_the_likest_first(small: Program) -> None:
    shown = small.error("reach", "Prat.go").splitlines()
    assert shown[2] == "      Part.go     pkg/parts.py:2"


def test_a_name_that_exists_only_outside_the_tree(small: Program) -> None:
    assert small.error("reach", "torch.cuda.CUDAGraph") == (
        "error: `torch.cuda.CUDAGraph` is not defined in this tree; it comes from `torch`\n"
        "  = 1 place of the tree uses it\n"
        "      pkg/main.py:10\n"
        "  = codepath reach --calls torch.cuda.CUDAGraph    which paths lead to them\n"
    )


def test_callers_of_a_name_outside_the_tree(small: Program) -> None:
    answer = small.document("callers", "torch.cuda.CUDAGraph")
    assert answer["target"]["kind"] == "outside"
    assert [(step["file"], step["line"]) for step in answer["steps"]] == [("pkg/main.py", 10)]


def test_an_ambiguous_name_lists_its_candidates(small: Program) -> None:
    assert small.error("reach", "go") == (
        "error: `go` names 3 things; give one of\n"
        "   1  Main.go    pkg/main.py:19\n"
        "   2  Other.go   pkg/parts.py:7\n"
        "   3  Part.go    pkg/parts.py:2\n"
        "  = any of these work: a longer dotted name, file:line, or --all-matches\n"
    )
    for way in ("Other.go", "pkg.parts.Other.go", "pkg/parts.py:7"):
        assert small.document("reach", way)["target"]["name"] == "pkg.parts.Other.go"
    assert small.document("reach", "go", "--all-matches")["paths"]


def test_more_candidates_than_are_listed(tmp_path: Path) -> None:
    many = program(tmp_path, {f"m{n}.py": "def same():\n    pass\n" for n in range(6)})
    shown = many.error("callers", "same").splitlines()
    assert shown[1] == "   1  m0.same   m0.py:1"
    assert shown[5] == "      ... 2 more: codepath symbols same"


# --- places --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "meaning"),
    [
        ("pkg/main.py:9", "pkg.main.run"),  # a definition
        ("main.py:9", "pkg.main.run"),
        ("./pkg/main.py:9", "pkg.main.run"),
        ("/elsewhere/pkg/main.py:9", "pkg.main.run"),
        ("pkg/main.py:12", "pkg.parts.start"),  # the one call on the line
        ("pkg/main.py:20", "pkg.main.run"),
        ("pkg/main.py:14", "pkg.main.run"),  # inside, no call
        ("pkg/main.py:15", "pkg.main.run"),
        ("pkg/main.py:18", "pkg.main.Main"),
        ("pkg/main.py:13", "pkg.main.run"),  # several calls: the function around
        ("pkg/main.py:13:15", "pkg.parts.start"),  # a column tells them apart
        ("pkg/parts.py:3", "pkg.parts.Part.go"),
    ],
)
def test_a_place_stands_for_what_is_there(small: Program, place: str, meaning: str) -> None:
    assert small.document("callers", place)["target"]["name"] == meaning


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("pkg/main.py:4", "no function stands at `pkg/main.py:4`"),
        ("pkg/main.py:16", "no function stands at `pkg/main.py:16`"),
        ("pkg/main.py:999", "`pkg/main.py` has no line 999\n  = its last line is 2"),
        ("pkg/main.py:0", "`pkg/main.py` has no line 0"),
        ("pkg/none.py:1", "`pkg/none.py` is no file of this tree"),
        ("other/parts.py:1", "`other/parts.py` is no file of this tree\n  = did you mean\n      pkg/parts.py\n"),
    ],
)
def test_places_where_nothing_is(small: Program, place: str, message: str) -> None:
    assert f"error: {message}" in small.error("callers", place)


def test_a_file_name_that_several_files_have(tmp_path: Path) -> None:
    two = program(tmp_path, {"a/m.py": "def f():\n    pass\n", "b/m.py": "def f():\n    pass\n"})
    assert "`m.py:1` names 2 things" in two.error("callers", "m.py:1")
    assert two.document("callers", "b/m.py:1")["target"]["name"] == "b.m.f"


def test_a_global_is_no_target(small: Program) -> None:
    shown = small.error("reach", "LIMIT")
    assert shown.startswith(
        "error: `pkg.main.LIMIT` is a global, which nothing calls\n  = it is assigned at pkg/main.py:4"
    )


def test_a_class_is_a_target(small: Program) -> None:
    document = small.document("reach", "Other")
    assert (document["target"]["kind"], document["target"]["name"]) == ("class", "pkg.parts.Other")
    assert document["paths"][0]["steps"][-1]["line"] == 12


# --- files that do not parse: E3 -----------------------------------------------------------------------------------------

BROKEN: dict[str, str | bytes] = {
    "b/syntax.py": "def f(:\n",
    "b/null.py": b"x = 1\x00\n",
    "b/coding.py": "# coding: nonsense\nx = 1\n",
    "b/bytes.py": b'x = "\xff\xfe"\n',
    "b/parens.py": "x = " + "(" * 5000 + ")" * 5000 + "\n",
    "b/minus.py": "x = " + "-" * 20000 + "1\n",
    "b/old.py": 'print "two"\n',
    "b/tabs.py": "if x:\n\ty\n        z\n",
    "b/huge.py": b"#" * (21 << 20),
}


def test_files_that_do_not_parse_are_left_out_and_counted(tmp_path: Path) -> None:
    fine: dict[str, str | bytes] = {"b/empty.py": "", "b/bom.py": b"\xef\xbb\xbfx = 1\n", "b/cr.py": b"x = 1\ry = 2\r"}
    tree = program(tmp_path, {**SMALL, **BROKEN, **fine})
    (tree.cwd / "b" / "loop.py").symlink_to("loop.py")
    (tree.cwd / "b" / "gone.py").symlink_to("nowhere.py")
    (tree.cwd / "b" / "out.py").symlink_to("/etc/passwd")
    os.mkfifo(tree.cwd / "b" / "fifo.py")
    (tree.cwd / "b" / "folder.py").mkdir()
    expected = sorted([*BROKEN, "b/loop.py", "b/gone.py", "b/out.py", "b/fifo.py"])
    document = tree.document("index")
    assert [item["path"] for item in document["skipped"]] == expected
    assert all(item["reason"] for item in document["skipped"])
    for words in (["reach", "run"], ["status"], ["callees", "run"], ["graph"]):
        assert [item["path"] for item in tree.document(*words)["source"]["skipped"]] == expected
    assert "13 files that could matter could not be read:" in tree.text("reach", "run")
    assert tree.document("reach", "run")["paths"]


def test_a_syntax_error_is_shown_with_its_line(tmp_path: Path) -> None:
    tree = program(tmp_path, {**SMALL, "pkg/broken.py": "x = 1\ndef forward(self, (\n"})
    result = tree.run("index")
    assert result.stdout.startswith(
        "warning: 1 file was left out\n  --> pkg/broken.py:2:19\n  |\n2 | def forward(self, (\n  |                   ^ "
    )
    assert "(3 of 4 files)" in result.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    tree = program(tmp_path, dict(SMALL))
    (tree.cwd / "pkg" / "parts.py").chmod(0)
    assert [item["path"] for item in tree.document("index")["skipped"]] == ["pkg/parts.py"]


def test_a_broken_file_is_read_again_once_it_is_mended(tmp_path: Path) -> None:
    tree = program(tmp_path, {**SMALL, "pkg/parts.py": "def start(:\n"})
    shown = tree.error("reach", "pkg.parts.start")
    assert "named `pkg.parts.start`" in shown
    assert "  = it may stand in a file that was left out\n      pkg/parts.py\n" in shown
    (tree.cwd / "pkg" / "parts.py").write_text(str(SMALL["pkg/parts.py"]), encoding="utf-8")
    assert tree.document("reach", "pkg.parts.start")["paths"]


# --- trees that are none: E5, E9, E10 ------------------------------------------------------------------------------------


def test_a_folder_without_python(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    nothing = Program(tmp_path / "empty", tmp_path / "cache")
    for words in (["index"], ["reach", "f"], ["status"], ["graph"]):
        assert nothing.error(*words).startswith("error: no Python files under .\n  = looked for *.py, honouring .git")


def test_ignored_files_are_read_when_asked(tmp_path: Path) -> None:
    tree = program(tmp_path, {".gitignore": "*.py\n", "a.py": "def f():\n    pass\n"})
    subprocess.run(["git", "init", "-q"], cwd=tree.cwd, check=True)
    assert "no Python files" in tree.error("callers", "f")
    assert tree.document("callers", "f", "--no-respect-gitignore")["target"]["name"] == "a.f"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.whl", b"not a zip", "`x.whl` is not a readable zip file"),
        ("x.zip", b"PK\x03\x04 and then nothing", "`x.zip` is not a readable zip file"),
        ("x.tar.gz", b"\x1f\x8b\x08 and then nothing", "`x.tar.gz` is not a readable tar.gz file"),
        ("x.whl", b"", "`x.whl` is not a readable zip file"),
    ],
)
def test_archives_that_are_none(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    tree = program(tmp_path, {name: content})
    assert tree.error("reach", "f", "--source", name).startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no/such/folder", "there is no folder `no/such/folder`"),
        ("dist:no-such-thing", "no distribution `no-such-thing` is installed"),
        ("git:HEAD", "is not in a git repository"),
        ("missing.whl", "`missing.whl`"),
    ],
)
def test_sources_that_are_not_there(small: Program, spec: str, message: str) -> None:
    assert message in small.error("reach", "run", "--source", spec)


def test_a_revision_that_git_does_not_know(tmp_path: Path) -> None:
    tree = program(tmp_path, dict(SMALL))
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=tree.cwd, check=True)
    shown = tree.error("reach", "run", "--source", "git:origin/main")
    assert shown.startswith("error: git does not know the revision `origin/main`")
    assert "branches here: main" in shown
    assert tree.document("reach", "run", "--source", "git:main")["source"]["spec"] == "git:main"
    shallow = Program(tmp_path / "shallow", tmp_path / "cache")
    clone = ["clone", "-q", "--depth", "1", f"file://{tree.cwd}", str(shallow.cwd)]
    subprocess.run([*git, *clone], check=True)
    assert "fetch-depth: 0" in shallow.error("reach", "run", "--source", "git:v1")


# --- no network ----------------------------------------------------------------------------------------------------------


def test_a_release_without_a_network(small: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_NO_INDEX", "false")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    shown = small.error("reach", "f", "--source", "nothing==1.0")
    assert "error: pip cannot reach the package index for `nothing==1.0`" in shown
    assert "download the wheel elsewhere and give the file: --source FILE.whl" in shown


def test_a_release_that_is_not_published(small: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "true")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    shown = small.error("reach", "f", "--source", "nothing==1.0")
    assert "error: no wheel of `nothing==1.0` is published" in shown


# --- nothing may be parsed: E4 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["reach", "start"], ["callers", "start"], ["graph"], ["index"]])
def test_files_that_were_never_read(tmp_path: Path, words: list[str]) -> None:
    tree = program(tmp_path, dict(SMALL))
    shown = tree.error(*words, "--no-index")
    assert re.match(
        r"error: (1 file that the answer needs has|\d files that the answer needs have) not been read", shown
    )
    assert "  = leave out --no-index\n" in shown
    tree.run("index")
    assert tree.run(*words, "--no-index")
    (tree.cwd / "pkg" / "parts.py").write_text("def start():\n    return 2\n", encoding="utf-8")
    assert "1 file that the answer needs has not been read" in tree.error(*words, "--no-index")


def test_status_reads_and_solves_nothing(tmp_path: Path) -> None:
    tree = program(tmp_path, {**SMALL, "pkg/broken.py": "def f(:\n"})
    document = tree.document("status")
    assert (document["files"], document["stored"], document["solved"]) == (4, 0, False)
    assert "incomplete (0 of 4 files)" in tree.text("status")
    tree.run("index")
    document = tree.document("status")
    assert (document["stored"], document["solved"], len(document["skipped"])) == (4, True, 1)


# --- usage: E8 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reach", "run", "--format", "jsn"], "Did you mean 'json'?"),
        (["reach"], "Missing argument 'TARGET'"),
        (["reach", "run", "--depth", "none"], "'none' is not a valid integer"),
        (["graph", "--min-resolution", "exat"], "Did you mean 'exact'?"),
        (["symbols", "x", "--limit", "0"], "0 is not in the range"),
        (["index", ".", "--source", "."], "Give the tree either as SPEC or as --source."),
        (["entires"], "Did you mean 'entries'?"),
    ],
)
def test_wrong_usage(small: Program, words: list[str], message: str) -> None:
    assert message in small.error(*words)


# --- the cache: E7, and one that cannot be used --------------------------------------------------------------------------


def test_facts_of_another_version_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = program(tmp_path, dict(SMALL))
    with monkeypatch.context() as patch:
        patch.setattr("codepath.extract.version.EXTRACTOR_VERSION", 999)
        assert tree.document("index")["parsed"] == 3
    assert tree.document("reach", "start")["paths"]
    tree.run("index")
    status = tree.document("status")
    assert (status["stored"], status["cache"]["other_versions"]) == (3, 3)
    assert "facts of 3 files are from another version; `codepath cache gc` drops them" in tree.text("status")
    tree.run("cache", "gc")
    assert tree.document("status")["cache"]["other_versions"] == 0
    assert tree.document("index")["parsed"] == 0


def test_a_cache_that_cannot_be_used(tmp_path: Path) -> None:
    tree = write(tmp_path / "tree", SMALL)
    taken = tmp_path / "file"
    taken.write_text("not a folder", encoding="utf-8")
    result = Program(tree, taken / "cache").run("reach", "start")
    assert "REACHED" in result.stdout
    assert str(taken / "cache") in result.stderr
    assert "is a file" in Program(tree, taken).error("reach", "start")


def database(tree: Program) -> Path:
    return tree.cache / "index" / "index.sqlite"


def test_a_damaged_cache_is_mended(tmp_path: Path) -> None:
    tree = program(tmp_path, dict(SMALL))
    before = tree.text("reach", "start")
    content = bytearray(database(tree).read_bytes())
    content[: len(content) // 2] = os.urandom(len(content) // 2)
    database(tree).write_bytes(content)
    for extra in tree.cache.glob("index/index.sqlite-*"):
        extra.unlink()
    assert tree.text("reach", "start") == before
    assert tree.text("reach", "start") == before


@pytest.mark.parametrize("table", ["facts", "solution_chunks", "solutions", "identifiers", "snapshots", "folders"])
def test_damaged_rows_are_mended(tmp_path: Path, table: str) -> None:
    import sqlite3

    tree = program(tmp_path, dict(SMALL))
    tree.run("index")
    before = tree.document("reach", "start")["paths"]
    (tree.cwd / "more.py").write_text("x = 1\n", encoding="utf-8")  # so that the facts are wanted again
    with sqlite3.connect(database(tree)) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert table in names, names
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[2] == "BLOB"]
        body = "sealed" if "sealed" in columns else columns[-1]
        connection.execute(f"UPDATE {table} SET {body} = zeroblob(length({body}))")
    connection.close()
    if table.startswith("solution"):
        (tree.cwd / "more.py").unlink()
    assert tree.document("reach", "start")["paths"] == before
    tree.run("index")
    assert tree.document("reach", "start")["paths"] == before


# --- a bug of codepath: E12 ----------------------------------------------------------------------------------------------


def test_a_fault_of_codepath_itself(small: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("T")

    monkeypatch.setattr("codepath.app.reaching.reach", fail)
    first, second = small.error("reach", "run").splitlines()
    assert re.fullmatch(r"internal error: KeyError\('T'\) in codepath\.app\.reaching, line \d+", first)
    saved = re.fullmatch(r"  = saved: (.+)   please report it with that file", second)
    assert saved is not None
    assert "KeyError: 'T'" in Path(saved[1]).read_text(encoding="utf-8")


# --- sources that would forge the report ---------------------------------------------------------------------------------

ESCAPE = "\x1b[2J\x1b[31m"
HOSTILE: dict[str, str | bytes] = {
    "pkg/__init__.py": "",
    "pkg/a\nREACHED from nowhere.py": "def in_odd_file():\n    pass\n",
    f"pkg/{ESCAPE}red.py": f'from pkg.b import f\nif "{ESCAPE}" in X:\n    f()\nif __name__ == "__main__":\n    f()\n',
    "pkg/b.py": f"""\
def f(x="\u202e"):
    if x == "{ESCAPE}\x07\x85\u2028\u202e":
        g()
    while '''a
REACHED always
error: forged''' in x:
        g()


def g():
    x[lambda: "{ESCAPE}"]()
""",
    "pkg/c\rd.py": "def g(:\n",
}


@pytest.mark.parametrize(
    "words",
    [
        ["reach", "pkg.b.g"],
        ["reach", "pkg.b.g", "--all"],
        ["reach", "pkg.b.g", "--view", "tree"],
        ["callers", "pkg.b.g"],
        ["callees", "pkg.b.g"],
        ["symbols", "*"],
        ["symbols", "in_odd_file"],
        ["entries", "--all", "--uncalled"],
        ["status", "--reasons"],
        ["index"],
        ["graph"],
        ["graph", "--unresolved"],
    ],
)
def test_nothing_in_a_tree_forges_a_line(tmp_path: Path, words: list[str]) -> None:
    tree = program(tmp_path, HOSTILE)
    shown = tree.text(*words)
    odd = {c for c in shown if (ord(c) < 32 and c != "\n") or c in "\x7f\x85\u2028\u2029\u202e\u2066"}
    assert not odd
    starts = [line for line in shown.splitlines() if line.startswith(("REACHED", "error:"))]
    assert len(starts) <= 1
    assert not any(line.startswith(("REACHED from nowhere", "REACHED always", "error: forged")) for line in starts)


def test_names_that_would_forge_an_error(tmp_path: Path) -> None:
    tree = program(tmp_path, HOSTILE)
    for word in (f"{ESCAPE}x", "a\nerror: forged", "odd.py\n:3", "\u202e"):
        shown = tree.error("reach", word)
        assert shown.count("error:") == 1 + word.count("error:")
        assert sum(line.startswith("error:") for line in shown.splitlines()) == 1
        assert "\x1b" not in shown and "\u202e" not in shown
