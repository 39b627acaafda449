"""The use cases: what the command line and the Python API call. `check` and `diff` are in `checking`."""

from codepath.app.opening import clear_cache, gc_cache, open_workspace
from codepath.app.options import Options, Progress, cache_folder
from codepath.app.workspace import Workspace

__all__ = ["Options", "Progress", "Workspace", "cache_folder", "clear_cache", "gc_cache", "open_workspace"]
