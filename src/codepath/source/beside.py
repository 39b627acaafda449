"""The names of the files beside the Python files of a tree."""

from __future__ import annotations

import os
from collections.abc import Iterator

from codepath.source.tarball import list_tar
from codepath.source.zipped import list_zip

WANTED = (".json", ".so", ".pyd")
_MOST = 200_000


def in_folder(base: str, tops: frozenset[str]) -> Iterator[str]:
    """Yield the paths, relative to `base`, of the wanted files below some of its folders; links are not followed."""
    seen = 0
    for top in sorted(tops):
        for folder, inner, names in os.walk(os.path.join(base, top) if top else base):
            inner[:] = sorted(name for name in inner if not name.startswith(".")) if top else []
            seen += len(names)
            if seen > _MOST:
                return
            for name in names:
                if name.endswith(WANTED):
                    yield os.path.relpath(os.path.join(folder, name), base).replace(os.sep, "/")


def in_archive(path: str, top: str) -> Iterator[str]:
    """Yield the paths of the wanted files of an archive, below its top folder (\"\" or with a final `/`)."""
    is_zip = path.lower().endswith((".whl", ".zip"))
    for name, *_ in list_zip(path, path) if is_zip else list_tar(path, path):
        if name.startswith(top) and name.endswith(WANTED):
            yield name[len(top) :]
