"""Installed distributions: found by their metadata, here or in another environment, never imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codepath.errors import SourceError

from .conftest import Open, paths, write

EVIL = "import pathlib; pathlib.Path(__file__).with_name('ran').touch()\n"


def install(site: Path, **extra: str) -> None:
    """Install a distribution `my-dist` by hand."""
    files = {
        "my_pkg/__init__.py": EVIL,
        "my_pkg/tests/t.py": "",
        "my_mod.py": "",
        "my_dist-2.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: my-dist\nVersion: 2.0\n",
        "my_dist-2.0.dist-info/entry_points.txt": "[console_scripts]\nserve = my_pkg.cli:main\n",
    }
    names = [*files, "../../bin/serve.py", "gone.py", "my_dist-2.0.dist-info/RECORD", "my_pkg/__pycache__/x.py"]
    record = "".join(f"{name},,\n" for name in names)
    write(site, {**files, "my_dist-2.0.dist-info/RECORD": record})
    write(site, {f"my_dist-2.0.dist-info/{name}": text for name, text in extra.items()})


def test_in_this_python(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    tree = opened("dist:My_Dist")
    assert paths(tree) == ["my_mod.py", "my_pkg/__init__.py", "my_pkg/tests/t.py"]
    assert (tree.version, tree.scripts) == ("2.0", (("serve", "my_pkg.cli:main"),))
    assert (tree.root, tree.folder) == ("dist:My_Dist", str(tmp_path / "site"))
    assert tree.module_name("my_pkg/tests/t.py") == "my_pkg.tests.t"
    assert tree.read("my_pkg/__init__.py") == EVIL.encode()


def test_in_another_environment(tmp_path: Path, opened: Open) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    install(site)
    write(site, {"evil.pth": "import my_pkg\n"})
    python = next(path for path in ("env/bin/python", "env/Scripts/python.exe") if os.path.exists(tmp_path / path))
    assert paths(opened("dist:my-dist", python=python)) == ["my_mod.py", "my_pkg/__init__.py", "my_pkg/tests/t.py"]
    assert not (site / "my_pkg/ran").exists(), "nothing of the environment is run"
    with pytest.raises(SourceError, match="no distribution `my-dis` is installed for env/") as caught:
        opened("dist:my-dis", python=python)
    assert caught.value.help[0] == "did you mean `dist:my-dist`"


def test_an_editable_installation_is_its_project(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "my project", {"pyproject.toml": "", "src/my_pkg/__init__.py": "", "tests/t.py": ""})
    url = {"url": (tmp_path / "my project").as_uri(), "dir_info": {"editable": True}}
    install(tmp_path / "site", **{"direct_url.json": json.dumps(url)})
    monkeypatch.syspath_prepend(tmp_path / "site")
    tree = opened("dist:my-dist")
    assert (paths(tree), tree.package_roots) == (["src/my_pkg/__init__.py"], ("src",))


def test_without_a_record(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    info = {"PKG-INFO": "Metadata-Version: 2.1\nName: deb\nVersion: 1\n", "top_level.txt": "deb_pkg\ndeb_mod\n../x\n"}
    write(tmp_path / "site", {f"deb-1.egg-info/{name}": text for name, text in info.items()})
    write(tmp_path / "site", {"deb_pkg/a.py": "", "deb_mod.py": "", "other.py": ""})
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert paths(opened("dist:deb")) == ["deb_mod.py", "deb_pkg/a.py"]


def test_what_is_not_there(tmp_path: Path, opened: Open) -> None:
    with pytest.raises(SourceError, match="no distribution `pytes` is installed for this Python") as caught:
        opened("dist:pytes")
    assert "`dist:pytest`" in caught.value.help[0]
    with pytest.raises(SourceError, match=r"`\.\./x` is no name of a distribution"):
        opened("dist:../x")
    for python in ("nowhere/python", str(tmp_path), "true"):
        with pytest.raises(SourceError, match=r"cannot be run as a Python from 3\.8"):
            opened("dist:pytest", python=python)
