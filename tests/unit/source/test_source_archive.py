"""Wheels, zip files and sdists: read in place, hostile ones too."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import tarfile
import warnings
import zipfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codepath.errors import SourceError
from codepath.source import content_key, open_tree

from .conftest import Hashes, Open, paths

WHEEL = {
    "pkg/__init__.py": "",
    "pkg/test/t.py": "t",
    "pkg/data.txt": "x",
    "p-1.data/purelib/more.py": "",
    "p-1.data/scripts/s.py": "",
    "tests/u.py": "",
    "p-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: p\nVersion: 1.0.post1\n\nVersion: 2\n",
    "p-1.dist-info/entry_points.txt": "[console_scripts]\nserve = pkg.cli:main [x]\n\n[gui_scripts]\nno = a:b\n",
}


def make_zip(path: Path, files: dict[str, str], method: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def make_tar(path: Path, members: dict[str, str], extra: tuple[tarfile.TarInfo, ...] = ()) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            add(archive, name, text.encode())
        for member in extra:
            archive.addfile(member)


def add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def test_a_wheel(tmp_path: Path, opened: Open) -> None:
    make_zip(tmp_path / "p-1-py3-none-any.whl", WHEEL)
    with opened("p-1-py3-none-any.whl") as tree:
        assert paths(tree) == ["p-1.data/purelib/more.py", "pkg/__init__.py", "pkg/test/t.py", "tests/u.py"]
        assert tree.files[2].key == content_key(b"t")
        assert tree.read("pkg/test/t.py") == b"t"
        assert (tree.version, tree.scripts) == ("1.0.post1", (("serve", "pkg.cli:main"),))
        assert [tree.module_name(path) for path in paths(tree)] == ["more", "pkg", "pkg.test.t", "tests.u"]
        assert (tree.root, tree.work_tree_top, tree.folder) == ("p-1-py3-none-any.whl", None, None)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_repository_s_zip(tmp_path: Path, opened: Open, method: int) -> None:
    files = {"python/pkg/__init__.py": "a" * 9999, "tests/t.py": "", "README": "", "python/setup.py": ""}
    make_zip(tmp_path / "r.zip", {f"repo-main/{name}": text for name, text in files.items()}, method)
    tree = opened("r.zip")
    assert paths(tree) == ["python/pkg/__init__.py", "python/setup.py"]
    assert tree.package_roots == ("python",)
    assert tree.read("python/pkg/__init__.py") == b"a" * 9999
    assert paths(opened("r.zip", include=frozenset({"tests"})))[-1] == "tests/t.py"
    assert opened("r.zip", package_root="python").module_name("tests/t.py") == "tests.t"


def test_a_zipped_package_keeps_its_folder(tmp_path: Path, opened: Open) -> None:
    make_zip(tmp_path / "p.zip", {"pkg/__init__.py": "", "pkg/tests/a.py": ""})
    assert paths(opened("p.zip")) == ["pkg/__init__.py", "pkg/tests/a.py"]


def test_an_sdist(tmp_path: Path, opened: Open) -> None:
    manifest = '[tool.setuptools.packages.find]\nwhere = ["lib"]\n[project.scripts]\nx = "pkg:main"\n'
    files = {"PKG-INFO": "Name: p\nVersion: 3\n", "pyproject.toml": manifest, "lib/pkg/a.py": "1", "lib/pkg/b.py": "2"}
    make_tar(tmp_path / "p-3.tar.gz", {f"p-3/{name}": text for name, text in {**files, "tests/t.py": ""}.items()})
    with opened("p-3.tar.gz") as tree:
        assert (paths(tree), tree.package_roots) == (["lib/pkg/a.py", "lib/pkg/b.py"], ("lib",))
        assert (tree.version, tree.scripts) == ("3", (("x", "pkg:main"),))
        assert [tree.read(path) for path in reversed(paths(tree))] == [b"2", b"1"]
        assert pickle.loads(pickle.dumps(tree.reader()))("lib/pkg/b.py") == b"2"


def test_a_tar_s_buffer_is_bounded(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codepath.source.tarball._BUFFER", 10)
    make_tar(tmp_path / "t.tar.gz", {f"t-1/m{number}.py": str(number) * 4 for number in range(9)})
    tree = opened("t.tar.gz")
    for path in [*reversed(paths(tree)), *paths(tree)]:
        assert tree.read(path) == path[1:2].encode() * 4


def test_hostile_names_and_kinds_in_a_zip(tmp_path: Path, opened: Open) -> None:
    names = ["ok.py", "../up.py", "/abs.py", "C:/drive.py", "a/../../b.py", "..\\back.py"]
    make_zip(tmp_path / "z.zip", {**dict.fromkeys(names, ""), "top/x.py": ""})
    link = zipfile.ZipInfo("link.py")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "z.zip", "a") as archive:
        archive.writestr(link, "ok.py")
        archive.writestr("packed.py", "x", zipfile.ZIP_BZIP2)
    tree = opened("z.zip")
    assert paths(tree) == ["ok.py", "top/x.py"]
    assert dict(tree.skipped) == {
        **dict.fromkeys(["../up.py", "../back.py", "/abs.py", "C:/drive.py", "a/../../b.py"], "escapes the root"),
        "link.py": "not a regular file",
        "packed.py": "in an unknown compression",
    }


def test_hostile_names_and_kinds_in_a_tar(tmp_path: Path, opened: Open) -> None:
    extra = (
        special("t/link.py", tarfile.SYMTYPE, "/etc/passwd"),
        special("t/hard.py", tarfile.LNKTYPE, "t/ok.py"),
        special("t/pipe.py", tarfile.FIFOTYPE),
        special("t/odd\udcff.py", tarfile.REGTYPE),
    )
    make_tar(tmp_path / "t.tar.gz", {"t/ok.py": "", "../up.py": "", "/abs.py": ""}, extra)
    tree = opened("t.tar.gz")
    assert paths(tree) == ["t/ok.py"]
    assert dict(tree.skipped) == {
        **dict.fromkeys(["../up.py", "/abs.py"], "escapes the root"),
        **dict.fromkeys(["t/link.py", "t/hard.py", "t/pipe.py"], "not a regular file"),
        "t/odd\\xff.py": "its name is not valid UTF-8",
    }


def test_the_last_of_two_members_counts(tmp_path: Path, opened: Open) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("a.py", "1")
        archive.writestr("a.py", "2")
    with tarfile.open(tmp_path / "t.tar.gz", "w:gz") as tar:
        add(tar, "a.py", b"1")
        add(tar, "a.py", b"2")
    for name in ("z.zip", "t.tar.gz"):
        assert opened(name).read("a.py") == b"2"


def test_large_members(tmp_path: Path, opened: Open) -> None:
    zeros = "\0" * (20 * 2**20 + 1)
    make_zip(tmp_path / "z.zip", {"bomb.py": zeros, "a.py": ""})
    make_tar(tmp_path / "t.tar.gz", {"bomb.py": zeros, "a.py": ""})
    for name in ("z.zip", "t.tar.gz"):
        tree = opened(name)
        assert (paths(tree), tree.skipped) == (["a.py"], (("bomb.py", "larger than 20 MB"),))


def test_a_zip_member_that_lies_about_its_size(tmp_path: Path, opened: Open) -> None:
    make_zip(tmp_path / "z.zip", {"bomb.py": "\0" * 10**6, "a.py": ""})
    data = (tmp_path / "z.zip").read_bytes().replace(struct.pack("<I", 10**6), struct.pack("<I", 10))
    (tmp_path / "z.zip").write_bytes(data)
    tree = opened("z.zip")
    assert (paths(tree), tree.skipped) == (["a.py"], (("bomb.py", "damaged in the archive"),))


def test_archives_that_unpack_to_too_much(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codepath.source.archive.MAX_TOTAL", 1000)
    monkeypatch.setattr("codepath.source.tarball.MAX_TOTAL", 10**6)
    make_zip(tmp_path / "z.zip", {f"{number}.py": "x" * 300 for number in range(4)})
    make_tar(tmp_path / "t.tar.gz", {"a.py": "", "data.bin": "x" * 10**6})
    with pytest.raises(SourceError, match=r"the Python files in `z.zip` are larger than 2 GB"):
        opened("z.zip")
    with pytest.raises(SourceError, match=r"`t.tar.gz` unpacks to more than 2 GB"):
        opened("t.tar.gz")


def test_a_tar_header_that_asks_for_memory(tmp_path: Path, opened: Open) -> None:
    header = special("x", tarfile.XHDTYPE)
    header.size = 2**33
    with gzip.open(tmp_path / "t.tar.gz", "wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(SourceError, match=r"`t.tar.gz` is not a readable tar.gz file"):
        opened("t.tar.gz")


def test_too_many_members(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codepath.source.zipped.MAX_MEMBERS", 2)
    monkeypatch.setattr("codepath.source.tarball.MAX_MEMBERS", 2)
    files = dict.fromkeys(("a.py", "b.py", "c.py"), "")
    make_zip(tmp_path / "z.zip", files)
    make_tar(tmp_path / "t.tar.gz", files)
    for name in ("z.zip", "t.tar.gz"):
        with pytest.raises(SourceError, match="holds more than 2 files"):
            opened(name)


def test_no_archive(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "z.whl").write_text("no zip")
    (tmp_path / "t.tar.gz").write_text("no tar")
    make_zip(tmp_path / "e.zip", {"README": ""})
    for name, message in [
        ("z.whl", "`z.whl` is not a readable zip file"),
        ("t.tar.gz", "`t.tar.gz` is not a readable tar.gz file"),
        ("missing.whl", r"`missing.whl` cannot be read \(No such file or directory\)"),
        ("e.zip", "no Python files under e.zip"),
    ]:
        with pytest.raises(SourceError, match=message):
            opened(name)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans(), st.integers(0, 10**6), st.binary(min_size=1, max_size=4))
@example(False, 101, b"\xf0")
@example(True, 1565, b"\x00")
def test_damage_never_raises_anything_else(tmp_path: Path, zipped: bool, place: int, noise: bytes) -> None:
    path = tmp_path / ("z.zip" if zipped else "t.tar.gz")
    files = {f"pkg/m{number}.py": "x = 1\n" * number for number in range(5)}
    make_zip(path, files) if zipped else make_tar(path, files)
    data = bytearray(path.read_bytes())
    place %= len(data)
    data[place : place + len(noise)] = noise
    path.write_bytes(data)
    try:
        with open_tree(path.name, cwd=tmp_path, cache=tmp_path) as tree:
            assert all(content_key(tree.read(file.path)) == file.key for file in tree.files)
    except SourceError:
        pass


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("name", ["z.whl", "t.tar.gz"])
def test_a_warm_run_does_not_unpack(
    tmp_path: Path, opened: Open, hashes: Hashes, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    make_zip(tmp_path / name, WHEEL) if name == "z.whl" else make_tar(tmp_path / name, {"t-1/a.py": "", "t-1/b": ""})
    cold = opened(name, hashes=hashes)
    with monkeypatch.context() as patch:
        patch.setattr("codepath.source.archive.list_zip", None)
        patch.setattr("codepath.source.archive.list_tar", None)
        warm = opened(name, hashes=hashes)
    assert hashes.hits == 1
    assert (warm.files, warm.scripts, warm.version, warm.package_roots, warm.skipped) == (
        (cold.files, cold.scripts, cold.version, cold.package_roots, cold.skipped)
    )
    assert warm.read(warm.files[0].path) == cold.read(cold.files[0].path)
    hashes.listings = dict.fromkeys(hashes.listings, b"[0]")
    assert opened(name, hashes=hashes).files == cold.files


def test_a_changed_archive_is_noticed(tmp_path: Path, opened: Open) -> None:
    make_zip(tmp_path / "z.zip", {"a.py": "1"})
    make_tar(tmp_path / "t.tar.gz", {"a.py": "1"})
    with opened("z.zip") as zipped, opened("t.tar.gz") as tarred:
        make_zip(tmp_path / "z.zip", {"a.py": "2"})
        make_tar(tmp_path / "t.tar.gz", {"a.py": "2"})
        for tree in (zipped, tarred):
            with pytest.raises(SourceError, match=r"changed while `a.py` was read"):
                tree.read("a.py")
            with pytest.raises(SourceError, match=r"there is no file `b.py` in the tree"):
                tree.read("b.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_readers_in_other_processes(tmp_path: Path, opened: Open, method: str) -> None:
    files = {f"m{number}.py": str(number) * 1000 for number in range(40)}
    make_zip(tmp_path / "z.zip", files)
    with opened("z.zip") as tree, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads, from 3.12
        tree.read("m0.py")
        with ProcessPoolExecutor(2, mp_context=get_context(method)) as pool:
            found = list(pool.map(tree.reader(), paths(tree)))
    assert found == [files[path].encode() for path in paths(tree)]
