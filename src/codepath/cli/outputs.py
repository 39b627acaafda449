"""Where an answer goes, and in which format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click

from codepath.errors import CodepathError

FORMATS = (
    "text",
    "concise",
    "grouped",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "markdown",
    "dot",
    "svg",
    "png",
    "mermaid",
    "html",
)
_EXTENSIONS = {
    ".txt": "text",
    ".graphml": "graphml",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".sarif": "sarif",
    ".md": "markdown",
    ".dot": "dot",
    ".gv": "dot",
    ".svg": "svg",
    ".png": "png",
    ".mmd": "mermaid",
    ".html": "html",
}


@dataclass(frozen=True, slots=True)
class Output:
    """One output; `path` is "" for standard output."""

    format: str
    path: str = ""


def read_outputs(values: Sequence[str], formats: Sequence[str], chosen: str | None) -> tuple[Output, ...]:
    """Return the outputs that `-o` values name.

    Args:
        values: `FILE`, `FMT:FILE`, with `-` for standard output; none for standard output alone.
        formats: What the command can write, its usual format first.
        chosen: The value of `--format`.

    Raises:
        click.UsageError: A format is unknown or cannot be told, or two outputs have one place.
    """
    outputs = tuple(_read(v, formats, chosen) for v in values) or (Output(chosen or formats[0]),)
    places = [os.path.abspath(o.path) if o.path else "" for o in outputs]
    if len(set(places)) < len(places):
        raise click.UsageError("Two outputs (-o) go to the same place.")
    return outputs


def _read(value: str, formats: Sequence[str], chosen: str | None) -> Output:
    named, colon, rest = value.partition(":")
    if colon and named in FORMATS:
        if named not in formats:
            raise click.UsageError(f"No format {named!r} here; there is {_listed(formats)}.")
        format, path = named, rest
    elif value == "-":
        format, path = chosen or formats[0], value
    else:
        format, path = _by_extension(value, formats, chosen), value
    if not path:
        raise click.UsageError(f"-o {value!r} names no file.")
    return Output(format, "" if path == "-" else path)


def _by_extension(value: str, formats: Sequence[str], chosen: str | None) -> str:
    format = _EXTENSIONS.get(os.path.splitext(value)[1].lower())
    if format in formats:
        return str(format)
    if chosen is not None:
        return chosen
    raise click.UsageError(f"Which format is -o {value!r}? Write FMT:FILE, with FMT one of {_listed(formats)}.")


def _listed(formats: Iterable[str]) -> str:
    return ", ".join(repr(f) for f in formats)


def check_writable(outputs: Iterable[Output]) -> None:
    """Raise CodepathError where a file plainly cannot be written, before any work is done for it."""
    for output in outputs:
        if not output.path:
            continue
        folder = os.path.dirname(output.path) or "."
        if not os.path.isdir(folder):
            raise CodepathError(f"`{output.path}` cannot be written: there is no folder `{folder}`")
        if os.path.isdir(output.path):
            raise CodepathError(f"`{output.path}` cannot be written: it is a folder")


def write_file(path: str, chunks: Iterable[str] | bytes) -> None:
    """Write chunks of text, or bytes, to a file. Raises CodepathError where it cannot be written."""
    if isinstance(chunks, bytes):
        with _reporting(path), open(path, "wb") as plain:
            plain.write(chunks)
        return
    with _reporting(path):
        file = open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n")  # noqa: SIM115 - closed below
    try:
        for chunk in chunks:
            with _reporting(path):
                file.write(chunk)
    finally:
        with _reporting(path):
            file.close()


@contextmanager
def _reporting(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CodepathError(f"`{path}` cannot be written: {error.strerror or error}") from error
