"""Helpers that know nothing of the server."""

from mini_server.utils.lazy import LazyValue
from mini_server.utils.text import split_csv

__all__ = ["LazyValue", "split_csv"]
