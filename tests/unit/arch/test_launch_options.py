"""Which launch options a condition depends on."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codepath.analysis.arch.options import LaunchOptions
from codepath.extract import extract
from codepath.model.answers import Place
from codepath.model.assumptions import Option
from codepath.model.knowledge import Launch
from codepath.program.bodies import Bodies
from tests.support import graph_of

_ARGS = """\
    import os
    import torch
    import torch.distributed as dist


    class ServeArgs:
        timeout: int = 3
        size: int = 1
        folder: str = ""


    def size_of(group, default):
        return default or 1


    def mark(): ...


    def run(serve_args: ServeArgs):
        group = dist.new_group(timeout=serve_args.timeout)
        if {condition}:
            mark()
"""


def _depends(condition: str) -> list[str]:
    text = dedent(_ARGS).replace("{condition}", condition)
    graph = graph_of({"m.py": text})
    bodies = Bodies({"m": "m.py"}, {"m.py": extract(text.encode(), "m.py")}.get)
    options = [
        Option((f"--{name}",), name, "m.ServeArgs", Place("m.py", 1, 0, "m")) for name in ("timeout", "size", "folder")
    ]
    found = LaunchOptions(graph, bodies, options, [Launch("m.ServeArgs")])
    return list(found.on_way(graph.steps_into("m.mark"), ()))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("serve_args.size > 1", ["--size"]),
        ("dist.get_world_size(group) > 1", []),  # a time-out of the group decides nothing
        ("group.size() > 1", []),
        ("torch.cuda.get_device_capability(serve_args.size)[0] < 9", []),
        ("size_of(group, serve_args.size) > 1", ["--size"]),
        ("max(serve_args.size, 1) > 1", ["--size"]),
        ("os.path.exists(serve_args.folder)", ["--folder"]),
        ("serve_args.folder.startswith(serve_args.folder)", ["--folder"]),
        ("serve_args.size > dist.get_world_size(group)", ["--size"]),
    ],
)
def test_what_a_library_is_handed_decides_nothing(condition: str, expected: list[str]) -> None:
    assert _depends(condition) == expected
