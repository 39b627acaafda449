"""`python -m mini_server.launch`: start a server from command-line flags."""

import asyncio
import sys

from mini_server.server_args import prepare_server_args
from mini_server.utils.process import kill_children


def run_server(server_args):
    """Start the kind of server that the flags ask for. Returns an exit status."""
    if server_args.rpc_mode:
        from mini_server.entry.rpc_entry import serve_async

        return asyncio.run(serve_async(server_args))
    elif server_args.encoder_only:
        from mini_server.entry.encoder_entry import serve

        return serve(server_args)
    else:
        from mini_server.entry.http_entry import serve

        return serve(server_args)


if __name__ == "__main__":
    launch_args = prepare_server_args(sys.argv[1:])
    try:
        status = run_server(launch_args)
    finally:
        kill_children()
    sys.exit(status)
