"""The flags of the server, their defaults and what follows from them."""

import argparse
import dataclasses
from typing import List, Optional

from mini_server.utils.text import split_csv

ATTENTION_CHOICES = ["auto", "tri", "flash", "plain"]
A2A_CHOICES = ["none", "flash", "mesh"]
SPEC_CHOICES = ["chain", "tree", "lone", "ngram"]


@dataclasses.dataclass
class ServerArgs:
    """One value for each flag. `__post_init__` fills in what was left open."""

    model: str = "SparseForCausalLM"
    draft_model: str = "NextForCausalLM"
    host: str = "127.0.0.1"
    port: int = 18080
    device: str = "cuda"
    tp_size: int = 1
    dp_size: int = 1
    enable_dp_attention: bool = False
    attention_backend: str = "auto"
    a2a: str = "none"
    spec: Optional[str] = None
    spec_steps: int = 2
    layout_algorithm: Optional[str] = None
    init_layout: str = "trivial"
    enable_rebalance: bool = False
    enable_symm_mem: bool = False
    enable_overlap: bool = True
    disable_graph: bool = False
    force_graph: bool = False
    graph_sizes: Optional[str] = None
    runner: str = "default"
    rpc_mode: bool = False
    encoder_only: bool = False
    prefetch_depth: int = 4
    dry_run: bool = False

    def __post_init__(self):
        self._fill_attention()
        self._fill_graph_sizes()
        self._adjust_for_spec()
        self.check()

    def _fill_attention(self):
        if self.attention_backend == "auto":
            self.attention_backend = "tri" if self.device == "cuda" else "plain"

    def _fill_graph_sizes(self):
        self.graph_size_list: List[int] = [int(part) for part in split_csv(self.graph_sizes or "1,2,4")]

    def _adjust_for_spec(self):
        if self.spec is None:
            return
        if self.spec == "ngram":
            self.enable_overlap = False
        self.max_draft_tokens = self.spec_steps + 1

    def check(self):
        """Refuse combinations that cannot work.

        Raises:
            ValueError: Two flags exclude each other.
        """
        if self.enable_dp_attention and self.dp_size == 1:
            raise ValueError("--enable-dp-attention needs --dp above 1")
        if self.rpc_mode and self.encoder_only:
            raise ValueError("--rpc-mode and --encoder-only exclude each other")
        assert self.tp_size >= 1, "--tp is at least 1"

    @staticmethod
    def add_cli_args(parser):
        """Declare every flag on a parser."""
        parser.add_argument("--model", default=ServerArgs.model)
        parser.add_argument("--draft-model", default=ServerArgs.draft_model)
        parser.add_argument("--host", default=ServerArgs.host)
        parser.add_argument("--port", type=int, default=ServerArgs.port)
        parser.add_argument("--device", choices=["cuda", "cpu", "npu", "xpu"], default=ServerArgs.device)
        parser.add_argument("--tp", dest="tp_size", type=int, default=ServerArgs.tp_size)
        parser.add_argument("--dp", dest="dp_size", type=int, default=ServerArgs.dp_size)
        parser.add_argument("--enable-dp-attention", action="store_true")
        parser.add_argument("--attention-backend", choices=ATTENTION_CHOICES, default=ServerArgs.attention_backend)
        parser.add_argument("--a2a", choices=A2A_CHOICES, default=ServerArgs.a2a)
        parser.add_argument("--spec", choices=SPEC_CHOICES, default=ServerArgs.spec)
        parser.add_argument("--spec-steps", type=int, default=ServerArgs.spec_steps)
        parser.add_argument("--layout-algorithm", choices=["static", "dynamic"], default=ServerArgs.layout_algorithm)
        parser.add_argument("--init-layout", default=ServerArgs.init_layout)
        parser.add_argument("--enable-rebalance", action="store_true")
        parser.add_argument("--enable-symm-mem", action="store_true")
        parser.add_argument("--disable-overlap", dest="enable_overlap", action="store_false")
        parser.add_argument("--disable-graph", action="store_true")
        parser.add_argument("--force-graph", action="store_true")
        parser.add_argument("--graph-sizes", default=ServerArgs.graph_sizes)
        parser.add_argument("--runner", choices=["default", "stub"], default=ServerArgs.runner)
        parser.add_argument("--rpc-mode", action="store_true")
        parser.add_argument("--encoder-only", action="store_true")
        parser.add_argument("--prefetch-depth", type=int, default=ServerArgs.prefetch_depth)
        parser.add_argument("--dry-run", action="store_true", help="start, answer one request, stop")

    @classmethod
    def from_cli_args(cls, args):
        """Build the flags from a parsed namespace."""
        names = [field.name for field in dataclasses.fields(cls)]
        return cls(**{name: getattr(args, name) for name in names if hasattr(args, name)})


def prepare_server_args(argv):
    """Parse command-line words into ServerArgs."""
    parser = argparse.ArgumentParser(prog="python -m mini_server.launch")
    ServerArgs.add_cli_args(parser)
    return ServerArgs.from_cli_args(parser.parse_args(argv))


_global_args: Optional[ServerArgs] = None


def set_global_args_for_scheduler(server_args):
    """Remember the flags for code that has no other way to them."""
    global _global_args
    _global_args = server_args


set_global_args_for_frontend = set_global_args_for_scheduler


def get_global_args():
    """The remembered flags.

    Raises:
        ValueError: Nobody remembered any in this process.
    """
    if _global_args is None:
        raise ValueError("the flags of this process are not set")
    return _global_args
