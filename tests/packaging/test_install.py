"""The wheel and the sdist, installed into empty environments of each Python at hand.

A Python is at hand where `python3.N` runs; CODEPATH_PYTHONS adds interpreters, separated as PATH is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest

from tests.docs.blocks import Reader, blocks_of

ROOT = Path(__file__).parents[2]
MINORS = range(10, 15)
ASK = "import sys, venv, ensurepip; print(f'{sys.version_info[0]}.{sys.version_info[1]}')"
IN_THE_WHEEL = (
    "codepath/py.typed",
    "codepath/queries/start-up/capture-order/rule.toml",
    "codepath/knowledge/torch.toml",
    "codepath/report/schemas/reach.json",
)


def output(*command: str, folder: Path, **more: str) -> str:
    """Run a command in a folder; return what it prints."""
    kept = ("PATH", "HOME", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_CERT", "SSL_CERT_FILE", "HTTPS_PROXY", "LANG")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    done = subprocess.run(command, cwd=folder, env={**env, **more}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@cache
def pythons() -> dict[str, str]:
    """Return the interpreters at hand by their version; that of the tests stands for its own."""
    named = [path for minor in MINORS if (path := shutil.which(f"python3.{minor}"))]
    found: dict[str, str] = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for path in filter(None, [*os.environ.get("CODEPATH_PYTHONS", "").split(os.pathsep), *named]):
        done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False)
        if done.returncode == 0:  # the name may be a shim for an interpreter that is not there
            found.setdefault(done.stdout.strip(), path)
    return {version: path for version, path in found.items() if int(version.partition(".")[2]) in MINORS}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the wheel and the sdist of this tree by their kind."""
    folder = tmp_path_factory.mktemp("dist")
    output(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), folder=folder)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


def test_the_wheel_holds_what_is_read_at_run_time(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as archive:
        names = set(archive.namelist())
    assert set(IN_THE_WHEEL) <= names
    assert not [name for name in names if not name.startswith(("codepath/", "codepath-"))]


def installed(what: Path, version: str, folder: Path) -> Path:
    """Install into an empty environment in a folder; return its programs."""
    output(pythons()[version], "-m", "venv", "env", folder=folder)
    bin_ = folder / "env" / "bin"
    output(str(bin_ / "python"), "-m", "pip", "install", "--quiet", str(what), folder=folder)
    return bin_


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache in which all environments keep published releases."""
    return tmp_path_factory.mktemp("releases")


@pytest.mark.release
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
@pytest.mark.parametrize("version", sorted(pythons()))
def test_the_readme_about_a_release(
    built: dict[str, Path], version: str, kind: str, tmp_path: Path, releases: Path
) -> None:
    bin_ = installed(built[kind], version, tmp_path)
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = (one for one in blocks_of(page) if one.needs_release)
    assert len(block.commands) == 2
    for command in block.commands:
        said = output(
            "sh", "-ec", f'PATH="{bin_}:$PATH"; {command.text}', folder=tmp_path, CODEPATH_CACHE_DIR=str(releases)
        )
        assert command.said is not None
        assert "REACHED when `not self.is_draft_worker`" in said or "order.html" in command.text
    assert (tmp_path / "order.html").stat().st_size > 10_000


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
@pytest.mark.parametrize("version", sorted(pythons()))
def test_it_installs_and_answers(built: dict[str, Path], version: str, kind: str, tmp_path: Path) -> None:
    bin_ = installed(built[kind], version, tmp_path)
    shutil.copytree(
        ROOT / "examples" / "mini_server", tmp_path / "server", ignore=shutil.ignore_patterns("__pycache__")
    )

    def codepath(*words: str) -> str:
        cache_dir = str(tmp_path / "cache")
        return output(str(bin_ / "codepath"), *words, folder=tmp_path / "server", CODEPATH_CACHE_DIR=cache_dir)

    assert codepath("--version").startswith("codepath ")
    assert "REACHED when `not self.is_draft_worker`" in codepath("reach", "set_expert_layout")
    assert "capture-order" in codepath("rule", "list")
    codepath("draw", "init-order", "--root", "ModelRunner.initialize", "-o", "order.html")
    assert (tmp_path / "server" / "order.html").stat().st_size > 10_000
    api = "import codepath; print(codepath.Index.open(cache_dir='../cache').hook('get_layout_config').lack)"
    assert output(str(bin_ / "python"), "-c", api, folder=tmp_path / "server") == "3\n"


def test_the_tutorial_alone_leads_to_a_failing_gate(
    built: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    python = installed(built["wheel"], version, tmp_path) / "python"
    monkeypatch.setenv("CODEPATH_CACHE_DIR", str(tmp_path / "cache"))
    reader = Reader(tmp_path / "home", python=str(python))
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    for block in blocks_of(page):
        assert not block.skipped
        assert not (wrong := reader.follows(block)), "\n".join(wrong)
    assert "exit status 1" in page
