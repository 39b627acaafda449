"""The runner: owns a model on one device, from its start to each forward pass."""

import logging
from collections import defaultdict
from contextlib import nullcontext

from mini_server.comm.group import DeviceGroup
from mini_server.compat import torch
from mini_server.env import flags
from mini_server.execution.cpu_graph_runner import CpuGraphRunner
from mini_server.execution.graph_runner import GraphRunner
from mini_server.execution.loader import get_model, iter_weights, load_weights
from mini_server.execution.pool_mixin import PoolMixin
from mini_server.layers.attention import ATTENTION_BACKENDS
from mini_server.layout.expert_layout import compute_initial_expert_layout, get_layout, set_expert_layout
from mini_server.layout.load_recorder import LoadRecorder, get_recorder, set_recorder
from mini_server.layout.rebalance import Rebalancer
from mini_server.server_args import set_global_args_for_scheduler

logger = logging.getLogger(__name__)


class ModelRunner(PoolMixin):
    """Everything that a forward pass needs, made in a fixed order."""

    def __init__(self, model_config, server_args, gpu_id, tp_rank, is_draft_worker=False, pool=None):
        self.model_config = model_config
        self.server_args = server_args
        self.gpu_id = gpu_id
        self.tp_rank = tp_rank
        self.is_draft_worker = is_draft_worker
        self.pool = pool
        self.device = server_args.device
        self.makes_tokens = model_config.makes_tokens
        self.graph_runner = None
        self.symm_pool = None
        set_global_args_for_scheduler(server_args)
        free_bytes = self.init_group()
        self.initialize(free_bytes)

    def init_group(self):
        """Join the group of ranks. Returns the free bytes of the device."""
        self.group = DeviceGroup(self.server_args, self.tp_rank)
        free, _ = torch.cuda.mem_get_info(self.gpu_id)
        return free

    def initialize(self, free_bytes):
        """Make the parts in the order in which they depend on each other."""
        server_args = self.server_args
        if not self.is_draft_worker:
            set_expert_layout(compute_initial_expert_layout(server_args, self.model_config))
            if self.tp_rank == 0 and flags.LOG_LAYOUT.get():
                logger.info("layout at start: %s", get_layout())
            set_recorder(LoadRecorder.init_new(server_args, get_layout()))

        self.rebalancer = (
            Rebalancer(get_model=lambda: self.model, on_done=lambda count: self.log_memory(f"moved {count}"))
            if server_args.enable_rebalance and (not self.is_draft_worker)
            else None
        )
        self.load_model()
        self.init_memory_pool(free_bytes)

        if self.device == "cuda":
            self.init_attention_backend()
            self.warm_up_kernels()
            self.init_device_graphs()
        elif self.device in ["cpu", "npu"]:
            self.init_attention_backend()
            self.init_device_graphs()
        else:
            self.init_attention_backend()

        if server_args.enable_symm_mem:
            self.init_symm_pool()

    def load_model(self):
        """Make the model and read its weights."""
        self.model = get_model(self.model_config)

    def init_attention_backend(self):
        """The attention kernels that the flags name."""
        name = self.server_args.attention_backend
        if name not in ATTENTION_BACKENDS:
            raise ValueError(f"no attention backend {name!r}")
        self.attention_backend = ATTENTION_BACKENDS[name](self)

    def warm_up_kernels(self):
        """Let the kernels that tune themselves do so."""
        if not self.attention_backend.needs_tuning:
            return
        prepare = getattr(self.attention_backend, f"tune_{self.model_config.attention}")
        prepare(self.server_args.graph_size_list)

    def init_device_graphs(self):
        """Capture the decode step, where graphs are wanted."""
        if not self.makes_tokens:
            return
        if self.server_args.disable_graph:
            if not self.server_args.force_graph:
                return
            logger.warning("graphs were both disabled and forced")
        runner_classes = defaultdict(lambda: GraphRunner, {"cpu": CpuGraphRunner})
        self.graph_runner = runner_classes[self.device](self)
        self.log_memory("graphs")

    def init_symm_pool(self):
        """Memory that all ranks of the group can write to."""
        self.symm_pool = self.group.make_symm_pool()

    def log_memory(self, what):
        """Say how much memory is left."""
        free, total = torch.cuda.mem_get_info(self.gpu_id)
        logger.info("%s: %d of %d MiB free", what, free >> 20, total >> 20)

    def forward(self, batch):
        """One forward pass. Returns the hidden states."""
        with get_recorder().forward_pass() if not self.is_draft_worker else nullcontext():
            output = self._forward_raw(batch)
        if self.rebalancer is not None:
            self.rebalancer.on_forward_end()
        return output

    def _forward_raw(self, batch):
        can_replay = self.graph_runner is not None and self.graph_runner.can_run(batch)
        if batch.mode.is_decode() and can_replay:
            return self.graph_runner.replay(batch)
        return self.model(batch.hidden_states, batch, self.attention_backend)

    def update_weights(self, path, recapture=False):
        """Load weights again; graphs hold on to the old ones unless captured anew."""
        load_weights(self.model, iter_weights(self.model))
        if recapture:
            self.init_device_graphs()
