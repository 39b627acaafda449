"""The Engine: starts the processes and talks to them."""

import atexit
import dataclasses
import logging
import multiprocessing as mp
from typing import Any, Callable, List

from mini_server.runtime.detokenizer import run_detokenizer_process
from mini_server.runtime.dp_controller import run_controller_process
from mini_server.runtime.messages import ControlReq, FlushReq, FreezeReq, GenerateReq, ShutdownReq
from mini_server.runtime.scheduler import run_scheduler_process
from mini_server.server_args import ServerArgs, set_global_args_for_frontend
from mini_server.utils.process import configure_logger, install_signal_handlers, quiet_start, remap_device

logger = logging.getLogger(__name__)


@dataclasses.dataclass
class Launched:
    """The started processes and one connection to each scheduler."""

    processes: List[Any]
    connections: List[Any]
    detokenizer: Any = None

    @property
    def first(self):
        """The connection that requests are sent to."""
        return self.connections[0]


class Engine:
    """A server inside a Python program."""

    run_scheduler_func: Callable = staticmethod(run_scheduler_process)
    run_detokenizer_func: Callable = staticmethod(run_detokenizer_process)

    def __init__(self, server_args=None, **kwargs):
        if server_args is None:
            server_args = ServerArgs(**kwargs)
        self.server_args = server_args
        atexit.register(self.shutdown)
        self.launched = None
        self.launched = _launch_processes(
            server_args,
            run_scheduler_func=self.run_scheduler_func,
            run_detokenizer_func=self.run_detokenizer_func,
        )

    def generate(self, prompt, tokens=2):
        """Ask the first scheduler for a continuation. Returns its text."""
        connection = self.launched.first
        connection.send(GenerateReq(prompt=prompt, tokens=tokens))
        return connection.recv().text

    def flush(self):
        """Empty the caches of every scheduler."""
        for connection in self.launched.connections:
            connection.send(FlushReq())

    def control(self, action):
        """Pause, resume or profile every scheduler."""
        for connection in self.launched.connections:
            connection.send(ControlReq(action=action))

    def freeze(self):
        """Stop the collection of garbage in every scheduler."""
        for connection in self.launched.connections:
            connection.send(FreezeReq())

    def shutdown(self):
        """Ask every process to end, and wait for it."""
        if self.launched is None:
            return
        launched, self.launched = self.launched, None
        for connection in [*launched.connections, launched.detokenizer]:
            _send_quietly(connection, ShutdownReq())
        for process in launched.processes:
            process.join(timeout=10)


def _send_quietly(connection, message):
    try:
        connection.send(message)
    except (BrokenPipeError, OSError):
        logger.debug("a process was gone before it was asked to end")


def _prepare_process():
    configure_logger("[main] ")
    install_signal_handlers()
    mp.set_start_method("spawn", force=True)


def _launch_processes(
    server_args,
    run_scheduler_func=run_scheduler_process,
    run_detokenizer_func=run_detokenizer_process,
):
    """Start every process of a server and wait until all are ready."""
    _prepare_process()
    set_global_args_for_frontend(server_args)
    processes, connections = _launch_scheduler_processes(server_args, run_scheduler_func)
    mine, theirs = mp.Pipe()
    detokenizer = mp.Process(target=run_detokenizer_func, args=(server_args, theirs))
    detokenizer.start()
    theirs.close()
    _wait_until_ready(connections)
    return Launched([*processes, detokenizer], connections, mine)


def _launch_scheduler_processes(server_args, run_scheduler_func):
    processes, connections = [], []
    if server_args.dp_size == 1:
        for gpu_id in range(server_args.tp_size):
            mine, theirs = mp.Pipe()
            with remap_device(gpu_id) as gpu_id:
                process = mp.Process(target=run_scheduler_func, args=(server_args, gpu_id, None, theirs))
                with quiet_start():
                    process.start()
            theirs.close()
            processes.append(process)
            connections.append(mine)
    else:
        mine, theirs = mp.Pipe()
        process = mp.Process(
            target=run_controller_process,
            kwargs=dict(server_args=server_args, connection=theirs, run_scheduler_func=run_scheduler_func),
        )
        process.start()
        theirs.close()
        processes.append(process)
        connections.append(mine)
    return processes, connections


def _wait_until_ready(connections):
    for number, connection in enumerate(connections):
        try:
            status = connection.recv()
        except EOFError:
            raise RuntimeError(f"scheduler {number} ended before it was ready") from None
        if status["status"] != "ready":
            raise RuntimeError(f"scheduler {number} answered {status}")
        logger.info("scheduler %d is ready, %d cache slots", number, status["slots"])
