"""What each command of `mini-server` does."""

from mini_server.server_args import ServerArgs


def cmd_serve(args):
    """Start a server, as `python -m mini_server.launch` does."""
    from mini_server.launch import run_server

    return run_server(ServerArgs.from_cli_args(args))


def cmd_bench(args):
    """Run the bench script in this process."""
    from mini_server import bench_runner

    return bench_runner.run(ServerArgs.from_cli_args(args), check=args.check)


def cmd_env(args):
    """Print version, capability and models."""
    import mini_server
    from mini_server.comm.capability import device_capability
    from mini_server.models.registry import ModelRegistry

    print("mini-server", mini_server.__version__)
    print("capability", ".".join(str(part) for part in device_capability()))
    print("models", ", ".join(sorted(ModelRegistry.names())))
    return 0
