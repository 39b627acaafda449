"""The options by which a question takes something for granted."""

from __future__ import annotations

import functools
from typing import Any

import click

from codepath.cli.options import Callback
from codepath.model.assumptions import Said

_ASSUME = (
    "NAME=VALUE, !=, <, or NAME in [...]: a name as a guard writes it, model, gpu, device, env:NAME, call:FUNCTION."
)
_LAUNCH = "A launch line; its options become assumptions, by the definitions in the tree."


def assume_options(function: Callback) -> Callback:
    """Add `--assume`, `--launch-args` and `--launch-defaults`, and call the command with them as `said`."""

    @click.option("--assume", multiple=True, metavar="ASSUMPTION", help=_ASSUME)
    @click.option("--launch-args", metavar="LINE", help=_LAUNCH)
    @click.option("--launch-defaults", is_flag=True, help="Assume the tree's default of every launch option not given.")
    @functools.wraps(function)
    def command(assume: tuple[str, ...], launch_args: str | None, launch_defaults: bool, **values: Any) -> Any:
        return function(said=Said(assume, launch_args, launch_defaults), **values)

    return command
