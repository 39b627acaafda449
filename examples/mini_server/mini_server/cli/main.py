"""The console script `mini-server`."""

import argparse

from mini_server.cli.commands import cmd_bench, cmd_env, cmd_serve
from mini_server.server_args import ServerArgs


def build_parser():
    """The parser with one sub-parser a command."""
    parser = argparse.ArgumentParser(prog="mini-server")
    commands = parser.add_subparsers(dest="command", required=True)

    serve = commands.add_parser("serve", help="start a server")
    ServerArgs.add_cli_args(serve)
    serve.set_defaults(func=cmd_serve)

    bench = commands.add_parser("bench", help="time one batch without a scheduler")
    ServerArgs.add_cli_args(bench)
    bench.add_argument("--check", action="store_true", help="compare shapes instead of taking the time")
    bench.set_defaults(func=cmd_bench)

    env = commands.add_parser("env", help="print what the server sees of this machine")
    env.set_defaults(func=cmd_env)
    return parser


def main(argv=None):
    """Run one command. Returns its exit status."""
    args = build_parser().parse_args(argv)
    return args.func(args)
