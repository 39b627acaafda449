"""A small inference server that exists to be analysed, and that runs without a GPU."""

__version__ = "0.3.0"

_LAZY = {"Engine": "mini_server.entry.engine", "ServerArgs": "mini_server.server_args"}


def __getattr__(name):
    """Import the public classes only when somebody asks for them."""
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
