"""A published release as a tree: any wheel of it, downloaded by pip once and kept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codepath.errors import SourceError

SPEC = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[^\]]*\])?==([A-Za-z0-9][A-Za-z0-9.!+_-]*)")

_WHEEL = re.compile(r"[\w.!+%]+(?:-[\w.!+%]+){4,5}\.whl", re.ASCII)
_SDIST = re.compile(r"([\w.-]+)-([\w.!+%]+)\.(?:tar\.gz|zip)\b", re.ASCII)
_OFFLINE = re.compile(
    r"NewConnectionError|ConnectTimeoutError|NameResolutionError|Temporary failure in name resolution"
    r"|connection broken by|Network is unreachable|ProxyError|timed out",
    re.IGNORECASE,
)
_GLIBCS = ("_2_17", "_2_28", "_2_34", "_2_35", "_2_39", "2014")
_PLATFORMS = (
    *(f"manylinux{glibc}_{machine}" for machine in ("x86_64", "aarch64") for glibc in _GLIBCS),
    *("macosx_11_0_arm64", "macosx_14_0_arm64", "macosx_10_9_x86_64", "win_amd64"),
)
_MINORS = range(14, 7, -1)
_MAX_CANDIDATES = 3

Progress = Callable[[str], None] | None


@dataclass(frozen=True, slots=True)
class _Release:
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one run of pip gave: the wheel, or its messages."""

    wheel: Path | None
    output: str


def fetch_wheel(spec: str, cache: Path, progress: Progress = None) -> Path:
    """Return the wheel of `NAME==VERSION`: from `cache/wheels/NAME-VERSION/`, else downloaded there by pip.

    Raises:
        SourceError: pip is missing, there is no such release, it has no wheel, or the index cannot be reached.
    """
    match = SPEC.fullmatch(spec)
    if match is None:
        raise SourceError(f"`{spec}` does not name one release", path=spec, help=("write NAME==VERSION",))
    release = _Release(_canonical(match[1]), match[2])
    folder = cache / "wheels" / f"{release.name}-{release.version}"
    kept = _kept_wheel(folder)
    if kept is not None:
        return kept
    if progress is not None:
        progress(f"downloading {release}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".download-", dir=folder.parent) as temporary:
            wheel = _download(release, Path(temporary), spec)
            return _keep(wheel, folder)
    except OSError as error:
        raise SourceError(f"`{spec}` cannot be kept in {folder.parent} ({error.strerror})", path=spec) from error


def _kept_wheel(folder: Path) -> Path | None:
    wheels = sorted(folder.glob("*.whl")) if folder.is_dir() else []
    return next((wheel for wheel in wheels if zipfile.is_zipfile(wheel)), None)


def _keep(wheel: Path, folder: Path) -> Path:
    """Move a download into its place at once, so that nobody sees half of it; another process may have been first."""
    try:
        os.replace(wheel.parent, folder)
    except OSError:
        kept = _kept_wheel(folder)
        if kept is not None:
            return kept
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(wheel.parent, folder)
    return folder / wheel.name


def _download(release: _Release, folder: Path, spec: str) -> Path:
    """Try the wheel for this Python, then one that pip saw and refused, then usual platforms; return the file."""
    first = _run_pip(release, folder / "0", ())
    output = first.output
    if first.wheel is not None:
        return first.wheel
    if "No module named pip" in output:
        raise _no_pip(spec)
    seen = _seen_wheels(output, release)
    tries = [_tags(wheel) for wheel in seen[:_MAX_CANDIDATES]] if seen else []
    if not seen and not _is_decided(output, release):
        tries = list(_guesses())
    for number, flags in enumerate(tries, 1):
        outcome = _run_pip(release, folder / str(number), flags)
        if outcome.wheel is not None:
            return outcome.wheel
    raise _failure(release, output, spec)


def _run_pip(release: _Release, folder: Path, flags: tuple[str, ...]) -> _Outcome:
    """Run `pip download` in an empty folder of ours: `-m` puts the working directory on the module path."""
    folder.mkdir()
    command = [
        *(sys.executable, "-m", "pip", "download", "-vv", "--no-deps", "--only-binary", ":all:", "--no-input"),
        *("--disable-pip-version-check", "--no-color", "--progress-bar", "off", "--retries", "2"),
        *("--ignore-requires-python", "--dest", str(folder), *flags, str(release)),
    ]
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    wheel = _kept_wheel(folder) if done.returncode == 0 else None
    return _Outcome(wheel, done.stdout.decode("utf-8", "replace"))


def _seen_wheels(output: str, release: _Release) -> list[str]:
    """Return the file names of the release's wheels that pip mentions, easiest first."""
    names = {match.replace("%2B", "+").replace("%2b", "+") for match in _WHEEL.findall(output)}
    own = [name for name in names if _is_of(release, name)]
    return sorted(
        own, key=lambda name: (not name.endswith("-any.whl"), "linux" not in name, "x86_64" not in name, name)
    )


def _is_of(release: _Release, wheel: str) -> bool:
    name, version = wheel.split("-")[:2]
    return _canonical(name) == release.name and _same_version(version, release.version)


def _tags(wheel: str) -> tuple[str, ...]:
    """Return the options with which pip takes a wheel of this name, whatever Python runs it."""
    python, abi, platform = (part.split(".") for part in wheel.removesuffix(".whl").split("-")[-3:])
    match = re.fullmatch(r"([a-z]+)(\d)(\d*)", python[-1])
    implementation, version = (match[1], match[2] + ("." + match[3] if match[3] else "")) if match else ("cp", "3")
    flags = ["--python-version", version, "--implementation", implementation]
    for name in abi:
        flags += ["--abi", name]
    for name in platform:
        flags += ["--platform", name]
    return tuple(flags)


def _guesses() -> Iterator[tuple[str, ...]]:
    """Yield options for CPython 3.14 down to 3.8 on usual platforms, for a pip that does not say what it refused."""
    platforms = [flag for platform in _PLATFORMS for flag in ("--platform", platform)]
    for minor in _MINORS:
        abis = ("--abi", f"cp3{minor}", "--abi", "abi3", "--abi", "none")
        yield ("--python-version", f"3.{minor}", "--implementation", "cp", *abis, *platforms)


def _is_decided(output: str, release: _Release) -> bool:
    """Return whether no other options can help: pip reached no index, or listed files and none is of the release."""
    return bool(_SDIST.search(output) or _WHEEL.search(output) or _OFFLINE.search(output)) or not _versions(
        output, release
    )


def _versions(output: str, release: _Release) -> list[str]:
    """Return the versions that pip mentions, in its order."""
    found = [name.split("-")[1] for name in _WHEEL.findall(output) if _canonical(name.split("-")[0]) == release.name]
    for listed in re.findall(r"\(from versions: ([^)]*)\)", output):
        found += [version for version in listed.split(", ") if version != "none"]
    return list(dict.fromkeys(version.replace("%2B", "+") for version in found))


def _failure(release: _Release, output: str, spec: str) -> SourceError:
    """Return the error for a release that pip did not give."""
    versions = _versions(output, release)
    if any(_canonical(n) == release.name and _same_version(v, release.version) for n, v in _SDIST.findall(output)):
        help = (
            f"unpack its sdist and give the folder, or give the file: --source {release.name}-{release.version}.tar.gz",
        )
        return SourceError(f"`{release}` is published without a wheel", path=spec, help=help)
    if not versions and _OFFLINE.search(output):
        help = ("this machine seems to be offline; download the wheel elsewhere and give the file: --source FILE.whl",)
        return SourceError(f"pip cannot reach the package index for `{release}`", path=spec, help=help)
    if not versions and "No matching distribution found" not in output:
        errors = re.findall(r"^\s*ERROR: (.*)", output, re.MULTILINE)
        retry = f"to see why: {os.path.basename(sys.executable)} -m pip download --no-deps {release}"
        return SourceError(f"pip cannot download `{release}`", path=spec, help=(*errors[-1:], retry))
    near = nearest(release.version, versions)
    help = (f"nearest versions: {', '.join(near)}",) if near else (f"there may be no project `{release.name}`",)
    return SourceError(f"no wheel of `{release}` is published", path=spec, help=help)


def nearest(version: str, versions: Iterable[str]) -> list[str]:
    """Return the published versions around one, at most two below and three above, more of one side at an end."""

    def numbers(text: str) -> list[int]:
        return [int(number) for number in re.findall("[0-9]+", text)]

    ordered = sorted(versions, key=numbers)
    at = sum(1 for one in ordered if numbers(one) < numbers(version))
    first = max(0, min(at - 2, len(ordered) - 5))
    return ordered[first : first + 5]


def _no_pip(spec: str) -> SourceError:
    python = os.path.basename(sys.executable)
    help = (
        f"install it: {python} -m ensurepip",
        "or download the wheel elsewhere and give the file: --source FILE.whl",
    )
    return SourceError(f"`{spec}` needs pip, which is missing for this Python", path=spec, help=help)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _same_version(one: str, other: str) -> bool:
    """Return whether two spellings name one version: `1.0`, `1.0.0`, `v1.0` and `1.0.rc1`, `1.0rc1`."""
    return _normal(one) == _normal(other)


def _normal(version: str) -> str:
    plain = version.lower().removeprefix("v").replace("%2b", "+").replace("_", "-")
    plain = re.sub(r"[-.](?=(?:a|b|rc|post|dev|alpha|beta)\d)", "", plain)
    return re.sub(r"(?:\.0)+(?=$|[^\d.])", "", plain)
