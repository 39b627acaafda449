"""Families of tuned-config files, one a device: which architectures have a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from codepath.analysis.arch.sites import Draft
from codepath.model.answers import Place
from codepath.model.knowledge import Architecture

_DEVICE = re.compile(r"device_name=([^,.]+)")
_LEAST = 4  # files that make a family


def families(paths: Iterable[str], archs: Sequence[Architecture]) -> Iterator[Draft]:
    """Yield a row for each folder whose files are named by device. `archs` are the columns.

    An architecture is covered where each of its devices that the models name has a file, by the device's name as a driver
    spells it or a shorter form of it. Of versions of one folder, the whole family counts.
    """
    folders: dict[str, dict[str, int]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        found = _DEVICE.search(name)
        if found is not None:
            devices = folders.setdefault(_family(folder), {})
            devices[found[1]] = devices.get(found[1], 0) + 1
    for folder in sorted(folders):
        if sum(folders[folder].values()) >= _LEAST:
            yield _row(folder, folders[folder], archs)


def _family(folder: str) -> str:
    """Return the folder that holds the versions of a family: parts that tell a version are taken off."""
    parts = folder.split("/")
    while len(parts) > 1 and re.search(r"\d+[._]\d+", parts[-1]):
        parts.pop()
    return "/".join(parts)


def _row(folder: str, devices: dict[str, int], archs: Sequence[Architecture]) -> Draft:
    total = sum(devices.values())
    draft = Draft(f"{folder}: files by device", Place(folder, 1, 0, ""), "files", tuple(sorted(devices)))
    names = [name.replace("_", " ") for name in devices]
    for arch in archs:
        have = [d for d in arch.devices if any(_is_of(d, name) for name in names)]
        if (have and len(have) == len(arch.devices)) or (have and _is_datacenter(arch)):
            draft.say(arch.name, "covered", f"files for {', '.join(have)}")
        else:
            rest = [d for d in arch.devices if d not in have]
            some = f" (only for {', '.join(have)})" if have else ""
            draft.say(arch.name, "fallback", f"none of {total} files is for {', '.join(rest) or arch.name}{some}")
    draft.group = folder
    return draft


def _is_of(device: str, name: str) -> bool:
    """Tell whether a file's device name is a device, or a variant of it."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(device)}(?![A-Za-z0-9])", name) is not None


def _is_datacenter(arch: Architecture) -> bool:
    """Tell whether one file of an architecture serves its devices: those with the large shared memory are of one chip."""
    return arch.shared_memory > 2**17
