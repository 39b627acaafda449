"""Folders: what is listed, under which names, and what a warm run reads."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from codepath.errors import SourceError
from codepath.source import SourceFile, content_key

from .conftest import Hashes, Open, commit, git, paths, write


def test_loose_modules(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "d", {"main.py": "import to_import\n", "to_import.py": "", "notes.txt": "x"})
    tree = opened("d")
    assert tree.files == (
        SourceFile("main.py", content_key(b"import to_import\n")),
        SourceFile("to_import.py", content_key(b"")),
    )
    assert (tree.spec, tree.root, tree.package_roots, tree.folder) == ("d", "d", ("",), str(tmp_path / "d"))
    assert [tree.module_name(path) for path in paths(tree)] == ["main", "to_import"]
    assert tree.read("main.py") == b"import to_import\n"


def test_a_package_and_its_parent_give_the_same_names(tmp_path: Path, opened: Open) -> None:
    write(
        tmp_path / "x/python", {"pkg/__init__.py": "", "pkg/srt/a.py": "", "pkg/srt/m/__init__.py": "", "setup.py": ""}
    )
    parent, package, inner = opened("x/python"), opened("x/python/pkg"), opened(str(tmp_path / "x/python/pkg/srt"))
    assert paths(parent) == ["pkg/__init__.py", "pkg/srt/a.py", "pkg/srt/m/__init__.py", "setup.py"]
    assert paths(package) == ["pkg/__init__.py", "pkg/srt/a.py", "pkg/srt/m/__init__.py"]
    assert paths(inner) == ["pkg/srt/a.py", "pkg/srt/m/__init__.py"]
    assert (parent.root, package.root, inner.root) == ("x/python", "x/python", str(tmp_path / "x/python"))
    assert [package.module_name(path) for path in paths(package)] == ["pkg", "pkg.srt.a", "pkg.srt.m"]
    assert inner.read("pkg/srt/a.py") == b""


def test_a_namespace_package_is_known_by_its_own_imports(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "ns", {"a/b.py": "", "c/d.py": "def f():\n    from ns.a import b\n"})
    assert paths(opened("ns")) == ["ns/a/b.py", "ns/c/d.py"]
    write(tmp_path / "plain", {"a/b.py": "", "c/d.py": "import plain.missing\n"})
    assert paths(opened("plain")) == ["a/b.py", "c/d.py"]


def test_a_repository_of_the_same_name_is_no_package(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "same", {"same/__init__.py": "", "same/a.py": "from same import a\n"})
    assert paths(opened("same")) == ["same/__init__.py", "same/a.py"]


def test_from_the_working_directory(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "p", {"pyproject.toml": "", "src/pkg/__init__.py": "", "src/pkg/a.py": ""})
    tree = opened(None, cwd=tmp_path / "p/src/pkg")
    assert (tree.root, tree.package_roots) == ("../..", ("src",))
    assert tree.module_name("src/pkg/a.py") == "pkg.a"


def test_inside_a_package_root_is_shown_relative_to_the_working_directory(tmp_path: Path, opened: Open) -> None:
    write(tmp_path, {"pkg/__init__.py": "", "pkg/a.py": ""})
    tree = opened(".", cwd=tmp_path / "pkg")
    assert (tree.root, paths(tree)) == ("..", ["pkg/__init__.py", "pkg/a.py"])


def test_explicit_package_root_takes_every_file(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "s", {"__init__.py": "", "main.py": "", "tests/t.py": "", "vendor/v.py": "", ".h/x.py": ""})
    tree = opened("s", package_root="s")
    assert paths(tree) == [".h/x.py", "__init__.py", "main.py", "tests/t.py", "vendor/v.py"]
    assert [tree.module_name(path) for path in paths(tree)] == [None, "__init__", "main", "tests.t", "vendor.v"]
    assert opened("s", package_root="s/tests").module_name("tests/t.py") == "t"
    assert opened("s", package_root="tests").package_roots == ("tests",)
    above = opened("s/tests", package_root=".")
    assert (paths(above), above.root, above.module_name("s/tests/t.py")) == (["s/tests/t.py"], ".", "s.tests.t")
    with pytest.raises(SourceError, match="the package root `nowhere` is no folder in or above s"):
        opened("s", package_root="nowhere")


def test_configured_package_roots(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "r", {"lib/ns/a.py": "", "lib/ns/test/b.py": "", "test/c.py": "", "tool.py": ""})
    tree = opened("r", package_roots=("r/lib", "elsewhere"))
    assert paths(tree) == ["lib/ns/a.py", "lib/ns/test/b.py", "tool.py"]
    assert tree.package_roots == ("", "lib")
    assert tree.module_name("lib/ns/a.py") == "ns.a"
    assert paths(opened("r/lib/ns", package_roots=("r/lib",))) == ["ns/a.py", "ns/test/b.py"]


def test_nothing_there(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "e", {"README": "", "tests/t.py": ""})
    with pytest.raises(SourceError, match="no Python files under e") as caught:
        opened("e")
    assert caught.value.help[0] == (
        "looked for *.py, honouring .gitignore; `--no-respect-gitignore` includes ignored files"
    )
    assert caught.value.help[1] == "1 files of tests, docs or vendored code were left out; `--include tests,vendored`"
    assert paths(opened("e", include=frozenset({"tests"}))) == ["tests/t.py"]
    with pytest.raises(SourceError, match="there is no folder `missing`"):
        opened("missing")
    with pytest.raises(SourceError, match="`e/README` is neither a folder nor an archive"):
        opened("e/README")


def test_what_cannot_be_read_is_skipped_with_its_reason(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "t", {"a.py": "", "in/b.py": ""})
    write(tmp_path, {"outside.py": "", "out/c.py": ""})
    folder = tmp_path / "t"
    (folder / "link.py").symlink_to("a.py")
    (folder / "gone.py").symlink_to("nowhere.py")
    (folder / "self.py").symlink_to("self.py")
    (folder / "up.py").symlink_to("../outside.py")
    (folder / "up").symlink_to("../out")
    (folder / "in/loop").symlink_to("..")
    (folder / "twin").symlink_to("in")
    (folder / "folder.py").mkdir()
    os.mkfifo(folder / "pipe.py")
    with open(folder / "huge.py", "wb") as file:
        file.truncate(20 * 2**20 + 1)
    (Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.py"))).write_text("")
    tree = opened("t")
    assert paths(tree) == ["a.py", "in/b.py", "link.py", "twin/b.py"]
    assert tree.skipped == (
        ("bad\\xff.py", "its name is not valid UTF-8"),
        ("gone.py", "broken link"),
        ("huge.py", "larger than 20 MB"),
        ("in/loop", "symlink loop"),
        ("pipe.py", "not a regular file"),
        ("self.py", "symlink loop"),
        ("twin/loop", "symlink loop"),
        ("up", "escapes the root"),
        ("up.py", "escapes the root"),
    )
    git(folder, "init", "-q")
    listed = opened("t")
    assert listed.files == tree.files
    assert set(tree.skipped) - set(listed.skipped) == {("pipe.py", "not a regular file")}, "git lists no pipes"


def test_links_between_many_folders_end(tmp_path: Path, opened: Open) -> None:
    for name in map(str, range(12)):
        write(tmp_path / "t" / name, {"a.py": ""})
        for other in map(str, range(12)):
            (tmp_path / "t" / name / f"to{other}").symlink_to(f"../{other}")
    tree = opened("t")
    assert 12 < len(tree.files) <= 112
    assert "behind too many links to folders" in {reason for _, reason in tree.skipped}


def test_an_unreadable_file_is_skipped(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "t", {"a.py": "", "b.py": ""})
    real = os.open

    def refuse(path: str, flags: int) -> int:
        if path.endswith("a.py"):
            raise PermissionError(13, "Permission denied")
        return real(path, flags)

    monkeypatch.setattr(os, "open", refuse)
    tree = opened("t")
    assert (paths(tree), tree.skipped) == (["b.py"], (("a.py", "unreadable"),))


def test_gitignore_in_a_work_tree(repository: Path, opened: Open) -> None:
    write(repository, {".gitignore": "/gen/\n*_pb2.py\n", "gen/a.py": "", "b.py": "", "c_pb2.py": "", "gone.py": ""})
    commit(repository)
    (repository / "gone.py").unlink()
    write(repository, {"new.py": ""})
    tree = opened("repo")
    assert paths(tree) == ["b.py", "new.py"]
    assert tree.work_tree_top == str(repository)
    assert paths(opened("repo", respect_gitignore=False)) == ["b.py", "c_pb2.py", "gen/a.py", "new.py"]
    assert paths(opened("repo/gen")) == ["a.py"], "an ignored folder was asked for by name"


def test_gitignore_without_git(tmp_path: Path, opened: Open) -> None:
    ignore = {".gitignore": "/gen/\n*_pb2.py\n", "k/.gitignore": "!keep_pb2.py\n/own.py\n"}
    write(tmp_path / "t", {**ignore, "gen/a.py": "", "b.py": "", "c_pb2.py": "", "k/keep_pb2.py": "", "k/own.py": ""})
    assert paths(opened("t")) == ["b.py", "k/keep_pb2.py"]
    assert len(opened("t", respect_gitignore=False).files) == 5


def test_repositories_within_a_repository(repository: Path, opened: Open) -> None:
    write(repository, {"a.py": "", "inner/b.py": "", "inner/.gitignore": "c.py", "inner/c.py": ""})
    git(repository / "inner", "init", "-q")
    assert paths(opened("repo")) == ["a.py", "inner/b.py"]


def test_a_hook_s_environment_does_not_mislead_git(
    repository: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {"a.py": "", ".gitignore": "b.py", "b.py": ""})
    monkeypatch.setenv("GIT_DIR", "/nowhere/.git")
    assert paths(opened("repo")) == ["a.py"]


def test_a_repository_s_configuration_runs_nothing(repository: Path, opened: Open, tmp_path: Path) -> None:
    write(repository, {"a.py": ""})
    commit(repository)
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "core.editor"):
        git(repository, "config", key, str(script))
    git(repository, "config", "core.hooksPath", str(tmp_path))
    with opened("repo"), opened("git:HEAD@repo") as tree:
        assert tree.read("a.py") == b""
    assert not (tmp_path / "ran").exists()


def test_environments_and_caches_are_left_out(tmp_path: Path, opened: Open) -> None:
    outside = {"env/pyvenv.cfg": "", "env/lib/site-packages/x.py": "", "build/lib/a.py": "", "node_modules/g.py": ""}
    write(tmp_path / "t", {**outside, "a.py": "", ".hidden/b.py": "", "pkg/__init__.py": "", "pkg/.odd/c.py": ""})
    assert paths(opened("t")) == ["a.py", "pkg/.odd/c.py", "pkg/__init__.py"]


@pytest.mark.usefixtures("settled")
def test_a_warm_run_reads_only_what_changed(
    tmp_path: Path, opened: Open, hashes: Hashes, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "t", {"a.py": "1", "b.py": "2"})
    cold = opened("t", hashes=hashes)
    assert (len(hashes.rows), hashes.hits) == (2, 0)
    read: list[bytes] = []

    def counting(data: bytes) -> str:
        read.append(data)
        return content_key(data)

    monkeypatch.setattr("codepath.source.hashing.content_key", counting)
    assert opened("t", hashes=hashes).files == cold.files
    assert (read, hashes.hits) == ([], 2)
    status = os.stat(tmp_path / "t/a.py")
    write(tmp_path / "t", {"a.py": "3"})
    os.utime(tmp_path / "t/a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert opened("t", hashes=hashes).files[0].key == content_key(b"3"), "the same size and a restored time"
    assert read == [b"3"]


def test_files_changed_just_now_are_not_trusted(tmp_path: Path, opened: Open, hashes: Hashes) -> None:
    write(tmp_path / "t", {"a.py": "1"})
    opened("t", hashes=hashes)
    assert hashes.rows == {}


def test_the_reader_works_elsewhere_and_sees_changes(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "t", {"a.py": "1"})
    reader = pickle.loads(pickle.dumps(opened("t").reader()))
    assert reader("a.py") == b"1"
    write(tmp_path / "t", {"a.py": "2", "b.py": ""})
    with pytest.raises(SourceError, match=r"`a.py` changed while it was read"):
        reader("a.py")
    with pytest.raises(SourceError, match=r"there is no file `b.py` in the tree"):
        reader("b.py")
    (tmp_path / "t/a.py").unlink()
    with pytest.raises(SourceError, match=r"`a.py` cannot be read \(No such file or directory\)"):
        reader("a.py")


def test_from_inside_a_package_without_a_project(tmp_path: Path, opened: Open) -> None:
    write(tmp_path, {"site/pkg/__init__.py": "", "site/pkg/gap/m/__init__.py": "", "site/other.py": ""})
    tree = opened(None, cwd=tmp_path / "site/pkg/gap/m")
    assert (tree.spec, tree.root) == ("../..", "../../..")
    assert paths(tree) == ["pkg/__init__.py", "pkg/gap/m/__init__.py"]
