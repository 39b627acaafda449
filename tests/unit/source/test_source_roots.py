"""Package roots, what lies outside them, module names and manifests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codepath.source import manifests
from codepath.source.roots import find_layout, module_name, package_prefix

from .conftest import Open, paths, write


@pytest.mark.parametrize(
    ("path", "roots", "name"),
    [
        ("pkg/srt/a.py", ("",), "pkg.srt.a"),
        ("pkg/__init__.py", ("",), "pkg"),
        ("__init__.py", ("",), "__init__"),
        ("python/pkg/a.py", ("", "python"), "pkg.a"),
        ("pythonic/a.py", ("python",), "pythonic.a"),
        ("my-tool/run-it.py", ("",), "my-tool.run-it"),
        ("v1.0/a.py", ("",), None),
        ("a.b.py", ("",), None),
    ],
)
def test_module_name(path: str, roots: tuple[str, ...], name: str | None) -> None:
    assert module_name(path, roots) == name


@given(st.lists(st.from_regex(r"[a-z_]{1,4}", fullmatch=True), min_size=1, max_size=5), st.integers(0, 4))
def test_module_names_begin_at_the_longest_root(parts: list[str], depth: int) -> None:
    path = "/".join(parts) + ".py"
    root = "/".join(parts[: min(depth, len(parts) - 1)])
    assert module_name(path, ("", root)) == ".".join(parts[min(depth, len(parts) - 1) :])


def test_package_prefix() -> None:
    files = {"x/python/pkg/__init__.py", "x/python/pyproject.toml", "x/__init__.py"}
    assert package_prefix(("x", "python", "pkg", "srt", "m"), files.__contains__) == "pkg/srt/m/"
    assert package_prefix(("x", "python"), files.__contains__) == ""
    assert package_prefix(("x", "other"), files.__contains__) == "x/other/"


def test_a_repository_with_several_projects(tmp_path: Path, opened: Open) -> None:
    write(
        tmp_path / "r",
        {
            "python/pyproject.toml": '[project.scripts]\nserve = "pkg.cli:main"\n',
            "python/pkg/__init__.py": "",
            "python/pkg/test/t.py": "",
            "python/pkg/third_party/v.py": "",
            "kern-el/pyproject.toml": '[tool.scikit-build]\nwheel.packages = ["python/kern"]\n',
            "kern-el/python/kern/__init__.py": "",
            "kern-el/tests/t.py": "",
            "benchmark/b.py": "",
            "docs/conf.py": "",
            "3rdparty/lib/setup.py": "",
            "3rdparty/lib/v.py": "",
            "examples/e/pyproject.toml": '[project.scripts]\nno = "no:no"\n',
            "examples/e/e.py": "",
            "scripts/s.py": "",
        },
    )
    tree = opened("r")
    assert paths(tree) == [
        "kern-el/python/kern/__init__.py",
        "python/pkg/__init__.py",
        "python/pkg/test/t.py",
        "python/pkg/third_party/v.py",
        "scripts/s.py",
    ]
    assert tree.package_roots == ("", "kern-el/python", "python")
    assert tree.scripts == (("serve", "pkg.cli:main"),)
    assert [tree.module_name(path) for path in paths(tree)][-3:] == ["pkg.test.t", "pkg.third_party.v", "scripts.s"]
    more = opened("r", include=frozenset({"tests", "vendored"}))
    assert "3rdparty/lib/v.py" in paths(more)
    assert "benchmark/b.py" in paths(more)


def test_a_flat_project_keeps_its_package_s_tests(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "r", {"setup.py": "", "pkg/__init__.py": "", "pkg/tests/a.py": "", "tests/__init__.py": ""})
    tree = opened("r")
    assert (paths(tree), tree.package_roots) == (["pkg/__init__.py", "pkg/tests/a.py", "setup.py"], ("",))


DECLARED = [
    ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["lib"]', ["lib"]),
    ("pyproject.toml", '[tool.setuptools.package-dir]\n"" = "lib"', ["lib"]),
    ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["lib/pkg"]', ["lib"]),
    ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["pkg"]', [""]),
    ("pyproject.toml", '[tool.poetry]\npackages = [{include = "pkg", from = "lib"}]', ["lib"]),
    ("pyproject.toml", '[tool.maturin]\npython-source = "lib"', ["lib"]),
    ("pyproject.toml", '[tool.pdm.build]\npackage-dir = "./lib/"', ["lib"]),
    ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["../out", "/etc", "li*", 3]', []),
    ("pyproject.toml", "[tool.setuptools\n", []),
    ("pyproject.toml", 'tool = "odd"', []),
    ("setup.cfg", "[options]\npackage_dir =\n    = lib\n[options.packages.find]\nwhere = lib", ["lib"]),
    ("setup.cfg", "no section", []),
    ("setup.py", 'setup(package_dir={"": "lib"}, packages=find_packages("lib"))', ["lib"]),
    ("setup.py", "setup(packages=find_namespace_packages(where='lib'))", ["lib"]),
]


@pytest.mark.parametrize(("name", "text", "roots"), DECLARED)
def test_declared_roots(name: str, text: str, roots: list[str]) -> None:
    assert manifests.declared_roots("", frozenset({name}), lambda _: text.encode()) == roots


SCRIPTS = [
    ("pyproject.toml", '[project.scripts]\na-b = "p.m:f"\n[tool.poetry.scripts]\nc = {reference = "p:g", type = "x"}'),
    ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    a-b = p.m : f\n    c=p:g [extra]\n    # no\n"),
    ("setup.py", 'setup(entry_points={"console_scripts": ["a-b = p.m:f", "c=p:g"]})'),
]


@pytest.mark.parametrize(("name", "text"), SCRIPTS)
def test_scripts(name: str, text: str) -> None:
    found = manifests.declared_scripts("", frozenset({name}), lambda _: text.encode())
    assert found == {("a-b", "p.m:f"), ("c", "p:g")}


@given(st.lists(st.from_regex(r"[a-c](/[a-c]){0,3}/(__init__|m)\.py", fullmatch=True), unique=True))
def test_the_layout_does_not_depend_on_the_order(files: list[str]) -> None:
    one = find_layout(tuple(sorted(files)), (), lambda _: b"")
    assert set(one.kept) == set(files)
    assert all(module_name(path, one.roots) for path in one.kept)
