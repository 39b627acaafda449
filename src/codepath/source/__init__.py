"""Where bytes come from: a folder, a git revision, a wheel or sdist, an installed or a published distribution."""

from codepath.source.revision import Revision
from codepath.source.roots import OUTSIDE
from codepath.source.spec import find_project, open_tree
from codepath.source.tree import HashCache, Reader, SourceFile, SourceTree, content_key

__all__ = [
    "OUTSIDE",
    "HashCache",
    "Reader",
    "Revision",
    "SourceFile",
    "SourceTree",
    "content_key",
    "find_project",
    "open_tree",
]
