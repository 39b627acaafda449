"""The scheduler process: one for each tensor-parallel rank."""

import collections
import logging
import os
import traceback

from mini_server.env import flags
from mini_server.layers.moe_config import init_a2a_backends
from mini_server.runtime.messages import (
    ControlReq,
    FlushReq,
    GenerateReply,
    GenerateReq,
    MessageTable,
    ShutdownReq,
    UpdateWeightsReq,
)
from mini_server.runtime.scheduler_profile import SchedulerProfileMixin
from mini_server.runtime.scheduler_weights import SchedulerWeightsMixin
from mini_server.runtime.tp_worker import TpWorker
from mini_server.spec.algorithm import SpecAlgorithm
from mini_server.utils.process import configure_logger, tell_parent_of_failure

logger = logging.getLogger(__name__)


class Scheduler(SchedulerProfileMixin, SchedulerWeightsMixin):
    """Takes requests, makes batches, runs them on a worker."""

    def __init__(self, server_args, gpu_id, dp_rank, connection):
        self.server_args = server_args
        self.gpu_id = gpu_id
        self.dp_rank = dp_rank
        self.connection = connection
        self.speculation = SpecAlgorithm.from_string(server_args.spec)
        self.enable_overlap = server_args.enable_overlap
        self.waiting = collections.deque()
        self.running = True
        self.paused = False
        self.init_moe_config()
        self.init_model_worker()
        self.init_table()

    def init_moe_config(self):
        """Fix the way that experts exchange tokens, for models that have experts."""
        if self.server_args.model in ("DenseForCausalLM"):
            return
        init_a2a_backends(self.server_args)

    def init_tp_worker(self):
        """The worker of the target model."""
        self.tp_worker = TpWorker(
            server_args=self.server_args,
            gpu_id=self.gpu_id,
            dp_rank=self.dp_rank,
        )

    def maybe_init_draft_worker(self):
        """The worker of the draft model, where speculation is on."""
        if self.speculation.is_none():
            self.draft_worker = None
            return
        draft_kwargs = dict(
            server_args=self.server_args,
            gpu_id=self.gpu_id,
            dp_rank=self.dp_rank,
            target_worker=self.tp_worker,
        )
        draft_class = self.speculation.create_worker(self.server_args)
        self.draft_worker = draft_class(**draft_kwargs)

    def init_model_worker(self):
        """Both workers; batches go to the draft worker where there is one."""
        self.init_tp_worker()
        self.maybe_init_draft_worker()
        self.model_worker = self.draft_worker or self.tp_worker

    def init_table(self):
        """Say which method handles which message."""
        self._table = MessageTable(
            [
                (GenerateReq, self.handle_generate),
                (FlushReq, self.handle_flush),
                (UpdateWeightsReq, self.update_weights),
                (ControlReq, self.handle_control),
                (ShutdownReq, self.handle_shutdown),
            ]
        )

    def handle_generate(self, request):
        """Queue a request."""
        self.waiting.append(request)

    def handle_flush(self, request):
        """Empty the cache of the target model."""
        self.tp_worker.model_runner.pool.clear()

    def handle_shutdown(self, request):
        """Leave the event loop after this round."""
        self.running = False

    def handle_control(self, request):
        """Do what is not a request."""
        match request.action:
            case "pause":
                self._set_paused(True)
            case "resume" | "continue":
                self._set_paused(False)
            case "profile":
                self.start_profile("profile")
            case "profile-stop":
                self.stop_profile()
            case _:
                logger.warning("unknown action %s", request.action)

    def _set_paused(self, value):
        self.paused = value

    def receive(self):
        """Wait for one message, then take all that are there."""
        yield self.connection.recv()
        while self.connection.poll():
            yield self.connection.recv()

    def process_messages(self):
        """Give each message to its handler."""
        for message in self.receive():
            self._table(message)

    def next_request(self):
        """The request to run now, or None."""
        if self.paused or not self.waiting:
            return None
        return self.waiting.popleft()

    def run_request(self, request):
        """Run a request to its end. Returns the reply."""
        if flags.LOG_STEPS:
            logger.debug("one step for %r", request.prompt)
        words = [self.model_worker.forward_step(request) for _ in range(request.tokens)]
        return GenerateReply(text=" ".join(words))

    def event_loop_normal(self):
        """Receive, run, reply."""
        while self.running:
            self.process_messages()
            request = self.next_request()
            if request is not None:
                self.connection.send(self.run_request(request))

    def event_loop_overlap(self):
        """As the normal loop, with the reply sent one round late where more waits."""
        late = collections.deque()
        while self.running:
            self.process_messages()
            while (request := self.next_request()) is not None:
                late.append(self.run_request(request))
            while late:
                self.connection.send(late.popleft())


def run_scheduler_process(server_args, gpu_id, dp_rank, connection):
    """Entry of the scheduler process."""
    if dp_rank is None and "MINI_DP_RANK" in os.environ:
        dp_rank = int(os.environ["MINI_DP_RANK"])
    configure_logger(f"[scheduler gpu={gpu_id} dp={dp_rank}] ")
    try:
        scheduler = Scheduler(server_args, gpu_id, dp_rank, connection)
        connection.send({"status": "ready", "slots": scheduler.tp_worker.model_runner.pool.slots})
        loop = scheduler.event_loop_overlap if scheduler.enable_overlap else scheduler.event_loop_normal
        loop()
    except EOFError:
        logger.debug("the other side has gone")
    except Exception:
        logger.error("the scheduler failed:\n%s", traceback.format_exc())
        tell_parent_of_failure()
