"""What a shell completes beside commands and options: names of the tree, ids of rules."""

from __future__ import annotations

import click

from codepath.cli.options import options_of


def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of the tree that begin as a word of a command line does, by the options before it."""
    from codepath.app.completing import completions

    return completions(options_of({**ctx.params, "no_index": True}), incomplete)


def rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of rules that begin as a word of a command line does."""
    from codepath.app.completing import rule_ids

    return rule_ids(options_of({**ctx.params, "no_index": True}), incomplete)


from_option = click.option(
    "--from",
    "start",
    metavar="NAME",
    shell_complete=names,
    help="Only paths that start at this function, class or entry point.",
)
