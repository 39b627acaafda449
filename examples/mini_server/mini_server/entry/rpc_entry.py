"""The server that answers remote procedure calls, on one event loop."""

import asyncio
import functools
import logging
import multiprocessing as mp

from mini_server.runtime.messages import GenerateReq, ShutdownReq
from mini_server.runtime.scheduler import run_scheduler_process
from mini_server.utils.process import configure_logger, install_signal_handlers

logger = logging.getLogger(__name__)


def run_scheduler_wrapped(*args, **kwargs):
    """The scheduler with the signal handlers of this launcher."""
    install_signal_handlers()
    run_scheduler_process(*args, **kwargs)


class RpcServer:
    """Moves requests between callers and one scheduler process."""

    def __init__(self, server_args):
        self.server_args = server_args
        self.connection = None
        self.process = None

    async def start(self):
        """Start the scheduler and wait until it is ready."""
        mine, theirs = mp.Pipe()
        self.process = mp.Process(target=run_scheduler_wrapped, args=(self.server_args, 0, None, theirs))
        self.process.start()
        theirs.close()
        self.connection = mine
        return await self._receive()

    async def _receive(self):
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, self.connection.recv)

    async def ask(self, prompt):
        """Send one request and wait for its answer."""
        self.connection.send(GenerateReq(prompt=prompt, tokens=1))
        return await self._receive()

    async def watch(self):
        """Say when the scheduler ends before it should."""
        while self.process.is_alive():
            await asyncio.sleep(0.05)
        logger.info("the scheduler has ended")

    def on_answer(self, task, prompt):
        """Called when a request is done."""
        logger.info("%s: %s", prompt, task.result().text)


async def serve_async(server_args):
    """Serve until the scheduler ends. Returns 0."""
    configure_logger("[rpc] ")
    install_signal_handlers()
    mp.set_start_method("spawn", force=True)
    server = RpcServer(server_args)
    await server.start()
    watcher = asyncio.create_task(server.watch())
    if server_args.dry_run:
        task = asyncio.ensure_future(server.ask("hello"))
        task.add_done_callback(functools.partial(server.on_answer, prompt="hello"))
        await task
        server.connection.send(ShutdownReq())
    await watcher
    return 0
