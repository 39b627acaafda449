"""Published releases: what pip is asked, what its answers mean, and that a second call does not start it."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codepath.errors import SourceError
from codepath.source.published import fetch_wheel, nearest

from .conftest import Open, paths

ANY = "my_dist-1.0-py3-none-any.whl"
LINUX = "my_dist-1.0-cp312-cp312-manylinux_2_34_x86_64.whl"
ABI3 = "my_dist-1.0-cp38-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
NONE = "ERROR: No matching distribution found for my-dist==1.0\n"
REFUSED = "  Skipping link: none of the wheel's tags ({}) are compatible: https://host/{} (from https://host/simple/)\n"


class Pip:
    """Stands in for pip: writes the wheel that the options ask for, or prints its messages and fails."""

    def __init__(self, *, gives: Callable[[list[str]], str | None], output: str = "") -> None:
        self.gives = gives
        self.output = output
        self.commands: list[list[str]] = []

    def __call__(self, command: list[str], *, cwd: Path, **_: Any) -> SimpleNamespace:
        assert command[1:4] == ["-m", "pip", "download"]
        assert not list(cwd.iterdir()), "the working directory is on pip's module path"
        self.commands.append(command)
        wheel = self.gives(command)
        if wheel is not None:
            with zipfile.ZipFile(cwd / wheel, "w") as archive:
                archive.writestr("my_pkg/__init__.py", "x = 1\n")
        return SimpleNamespace(returncode=0 if wheel else 1, stdout=self.output.encode())


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Pip], Pip]:
    def use(pip: Pip) -> Pip:
        monkeypatch.setattr(subprocess, "run", pip)
        return pip

    return use


def options(command: list[str]) -> list[str]:
    return command[command.index("--dest") + 2 : -1]


def refused(*wheels: str) -> str:
    return "".join(REFUSED.format("tags", wheel) for wheel in wheels) + NONE


def test_the_wheel_for_this_python(tmp_path: Path, opened: Open, use: Callable[[Pip], Pip]) -> None:
    pip = use(Pip(gives=lambda _: ANY))
    said: list[str] = []
    tree = opened("My.Dist[extra]==1.0", progress=said.append)
    assert (paths(tree), tree.root) == (["my_pkg/__init__.py"], "My.Dist[extra]==1.0")
    assert said == ["downloading my-dist==1.0"]
    assert options(pip.commands[0]) == []
    assert {"--no-deps", "--only-binary", ":all:"} <= set(pip.commands[0])
    assert opened("my-dist==1.0").read("my_pkg/__init__.py") == b"x = 1\n"
    assert len(pip.commands) == 1, "a second call starts no pip"
    assert [path.name for path in (tmp_path / "cache/wheels").iterdir()] == ["my-dist-1.0"]


def test_a_wheel_for_another_platform(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    windows = "my_dist-1.0-cp313-cp313-win_amd64.whl"
    pip = use(
        Pip(
            gives=lambda command: LINUX if "cp312" in command else None,
            output=refused(windows, LINUX, "other-1.0-py3-none-any.whl"),
        )
    )
    assert fetch_wheel("my-dist==1.0", tmp_path).name == LINUX
    assert options(pip.commands[1]) == [
        *("--python-version", "3.12", "--implementation", "cp", "--abi", "cp312"),
        *("--platform", "manylinux_2_34_x86_64"),
    ]


def test_a_wheel_with_several_tags(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    pip = use(Pip(gives=lambda command: ABI3 if "abi3" in command else None, output=refused(ABI3)))
    assert fetch_wheel("my-dist==1.0", tmp_path).name == ABI3
    assert options(pip.commands[1])[1] == "3.8"
    assert options(pip.commands[1])[-4:] == [
        "--platform",
        "manylinux_2_17_x86_64",
        "--platform",
        "manylinux2014_x86_64",
    ]


def test_a_pip_that_does_not_say_what_it_refused(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    output = f"ERROR: Could not find a version that satisfies my-dist==1.0 (from versions: 0.9)\n{NONE}"
    pip = use(Pip(gives=lambda command: LINUX if "cp312" in command else None, output=output))
    assert fetch_wheel("my-dist==1.0", tmp_path).name == LINUX
    assert [options(command)[1] for command in pip.commands[1:]] == ["3.14", "3.13", "3.12"]
    assert {"manylinux_2_39_aarch64", "win_amd64"} <= set(pip.commands[1])


def fails(use: Callable[[Pip], Pip], tmp_path: Path, output: str) -> tuple[str, tuple[str, ...]]:
    use(Pip(gives=lambda _: None, output=output))
    with pytest.raises(SourceError) as caught:
        fetch_wheel("my-dist==1.0", tmp_path)
    assert list((tmp_path / "wheels").iterdir()) == []
    return caught.value.message, caught.value.help


def test_no_such_release(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    wheels = [f"my_dist-{version}-py3-none-any.whl" for version in ("0.7", "0.8", "0.9", "1.1", "1.2", "7.7")]
    message, help = fails(use, tmp_path, "".join(f"Found link https://host/{wheel}\n" for wheel in wheels) + NONE)
    assert message == "no wheel of `my-dist==1.0` is published"
    assert help[0].startswith("nearest versions: ")
    assert len(help[0].split(",")) == 5
    message, help = fails(use, tmp_path, "(from versions: none)\n" + NONE)
    assert (message, help) == ("no wheel of `my-dist==1.0` is published", ("there may be no project `my-dist`",))


def test_a_release_without_a_wheel(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    message, help = fails(
        use, tmp_path, "Skipping link: No sources permitted: https://host/my-dist-1.0.tar.gz\n" + NONE
    )
    assert message == "`my-dist==1.0` is published without a wheel"
    assert "--source my-dist-1.0.tar.gz" in help[0]


def test_offline(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    output = "WARNING: Retrying after connection broken by 'NewConnectionError(...)': /simple/\n(from versions: none)\n"
    message, help = fails(use, tmp_path, output + NONE)
    assert message == "pip cannot reach the package index for `my-dist==1.0`"
    assert "offline" in help[0]


def test_no_pip(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    message, help = fails(use, tmp_path, "/usr/bin/python: No module named pip\n")
    assert message == "`my-dist==1.0` needs pip, which is missing for this Python"
    assert help[0].endswith("-m ensurepip")


def test_any_other_failure(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    message, help = fails(use, tmp_path, "ERROR: one\nERROR: Could not install: disk full\n")
    assert (message, help[0]) == ("pip cannot download `my-dist==1.0`", "Could not install: disk full")


def test_a_damaged_wheel_in_the_cache_is_replaced(tmp_path: Path, use: Callable[[Pip], Pip]) -> None:
    folder = tmp_path / "wheels/my-dist-1.0"
    folder.mkdir(parents=True)
    (folder / ANY).write_bytes(b"PK")
    use(Pip(gives=lambda _: ANY))
    assert zipfile.is_zipfile(fetch_wheel("my-dist==1.0", tmp_path))


@pytest.mark.parametrize("spec", ["a==", "a==1.*", "a==../b", "a==1 2", "a==-x"])
def test_specs_that_name_no_release(tmp_path: Path, opened: Open, spec: str) -> None:
    with pytest.raises(SourceError, match="does not name one release"):
        opened(spec)
    assert not (tmp_path / "cache").exists()


@pytest.mark.release
def test_a_real_release(opened: Open) -> None:
    with opened("sglang==0.4.6") as tree:
        assert (tree.version, len(tree.files)) == ("0.4.6", 316)
        assert tree.read("sglang/launch_server.py")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("99.9", ["0.9.1", "0.10", "0.11", "0.12.post1", "1.0"]),
        ("0.10.1", ["0.9.1", "0.10", "0.11", "0.12.post1", "1.0"]),
        ("0.1", ["0.2", "0.9", "0.9.1", "0.10", "0.11"]),
        ("0.9.2", ["0.9", "0.9.1", "0.10", "0.11", "0.12.post1"]),
    ],
)
def test_versions_are_near_by_their_numbers(asked: str, expected: list[str]) -> None:
    assert nearest(asked, ["1.0", "0.10", "0.2", "0.9", "0.9.1", "0.11", "0.12.post1"]) == expected


def test_fewer_versions_than_are_named() -> None:
    assert nearest("3", ["2", "1"]) == ["1", "2"]
    assert nearest("3", []) == []
