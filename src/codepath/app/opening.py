"""Opening a tree and its store, and tending the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from codepath.app.config import Config, find_config
from codepath.app.options import Options, Progress, cache_folder
from codepath.source import open_tree
from codepath.store import Store

if TYPE_CHECKING:
    pass
from codepath.app.opened import Opened
from codepath.app.workspace import Workspace


def open_workspace(
    options: Options, progress: Progress | None, note: Callable[[str], None], config: Config | None = None
) -> Workspace:
    """Open the tree and the store that options name, under their own configuration or a given one."""
    from codepath.extract.version import EXTRACTOR_VERSION

    folder = cache_folder(options.cache_dir)
    store = Store.open(folder, extractor_version=EXTRACTOR_VERSION)
    if store.note:
        note(store.note)
    try:
        config = find_config(_around(options.source)) if config is None else config
        tree = open_tree(
            _spec(options, config),
            cwd=Path.cwd(),
            cache=folder,
            package_root=options.package_root,
            package_roots=() if options.package_root else config.package_roots,
            include=frozenset((*options.include, *config.include)),
            respect_gitignore=options.respect_gitignore,
            hashes=store.hashes,
            python=options.python,
            progress=note,
        )
    except BaseException:
        store.close()
        raise
    return Workspace(Opened(tree, store, options, progress, config))


def _around(source: str | None) -> Path:
    """Return the folder whose configuration holds: the source's where it is one, else the current one."""
    folder = Path(source) if source is not None else Path.cwd()
    return (folder if folder.is_dir() else Path.cwd()).resolve()


def _spec(options: Options, config: Config) -> str | None:
    """Return the SPEC that is asked; that of the configuration is relative to its file."""
    if options.source is not None or config.source is None or config.path is None:
        return options.source
    folder = config.path.parent / config.source
    return str(folder) if folder.is_dir() else config.source


def clear_cache(cache_dir: Path | None) -> tuple[str, int]:
    """Empty the cache; return its folder and the bytes freed."""
    with _bare_store(cache_dir) as store:
        before = store.status().size
        store.clear()
        return str(cache_folder(cache_dir)), max(before - store.status().size, 0)


def gc_cache(cache_dir: Path | None) -> tuple[str, int]:
    """Drop from the cache what no recent tree needs; return its folder and the bytes freed."""
    with _bare_store(cache_dir) as store:
        return str(cache_folder(cache_dir)), store.gc().size


def _bare_store(cache_dir: Path | None) -> Store:
    from codepath.extract.version import EXTRACTOR_VERSION

    return Store.open(cache_folder(cache_dir), extractor_version=EXTRACTOR_VERSION)
