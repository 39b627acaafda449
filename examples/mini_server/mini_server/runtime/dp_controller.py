"""The process that starts one group of schedulers for each data-parallel rank."""

import logging
import multiprocessing as mp
import os
import threading
import traceback

from mini_server.runtime.messages import ShutdownReq
from mini_server.runtime.scheduler import run_scheduler_process
from mini_server.utils.process import configure_logger, install_signal_handlers, remap_device, tell_parent_of_failure

logger = logging.getLogger(__name__)


class DataParallelController:
    """Starts the groups and hands requests around among them."""

    def __init__(self, server_args, connection, run_scheduler_func):
        self.server_args = server_args
        self.connection = connection
        self.run_scheduler_func = run_scheduler_func
        self.groups = {}
        self.started = []
        self.next_rank = 0
        if server_args.enable_dp_attention:
            self.launch_attention_groups()
        else:
            self.launch_groups()
        self.pick = self.pick_round_robin if os.environ.get("MINI_DP_PICK") != "first" else self.pick_first

    def launch_groups(self):
        """One thread a rank; each starts the processes of its group."""
        threads = []
        for dp_rank in range(self.server_args.dp_size):
            thread = threading.Thread(target=self._launch_group_thread, args=(dp_rank, dp_rank))
            threads.append(thread)
            thread.start()
        for thread in threads:
            thread.join()

    def launch_attention_groups(self):
        """One group that all ranks share."""
        self._launch_group(0, 0)

    def _launch_group_thread(self, base_gpu, dp_rank):
        self._launch_group(base_gpu, dp_rank)

    def _launch_group(self, base_gpu, dp_rank):
        for tp_rank in range(self.server_args.tp_size):
            mine, theirs = mp.Pipe()
            with remap_device(base_gpu + tp_rank) as gpu_id:
                process = mp.Process(
                    target=self.run_scheduler_func,
                    args=(self.server_args, gpu_id, dp_rank, theirs),
                )
                process.start()
            theirs.close()
            self.started.append(process)
            self.groups.setdefault(dp_rank, []).append(mine)

    def wait_until_ready(self):
        """The smallest number of cache slots of any scheduler."""
        return min(member.recv()["slots"] for group in self.groups.values() for member in group)

    def pick_round_robin(self):
        """The groups in turn."""
        self.next_rank = (self.next_rank + 1) % len(self.groups)
        return self.groups[self.next_rank]

    def pick_first(self):
        """Always the first group."""
        return self.groups[0]

    def event_loop(self):
        """Pass messages on until the end."""
        while True:
            message = self.connection.recv()
            if isinstance(message, ShutdownReq):
                break
            group = self.pick()
            for member in group:
                member.send(message)
            if hasattr(message, "prompt"):
                self.connection.send(group[0].recv())
        for group in self.groups.values():
            for member in group:
                member.send(ShutdownReq())
        for process in self.started:
            process.join(timeout=10)


def run_controller_process(server_args, connection, run_scheduler_func=run_scheduler_process):
    """Entry of the controller process."""
    configure_logger("[controller] ")
    install_signal_handlers()
    mp.set_start_method("spawn", force=True)
    try:
        controller = DataParallelController(server_args, connection, run_scheduler_func)
        connection.send({"status": "ready", "slots": controller.wait_until_ready()})
        controller.event_loop()
    except Exception:
        logger.error("the controller failed:\n%s", traceback.format_exc())
        tell_parent_of_failure()
