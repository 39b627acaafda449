"""`python -m mini_server.bench_runner`: time one batch, with no scheduler and no worker."""

import multiprocessing as mp
import sys
import time

from mini_server.execution.forward_batch import ForwardBatch
from mini_server.execution.model_config import ModelConfig
from mini_server.execution.model_runner import ModelRunner
from mini_server.server_args import ServerArgs, prepare_server_args
from mini_server.utils.process import configure_logger


def load_runner(server_args, rank):
    """A runner of its own; `is_draft_worker` keeps its default."""
    return ModelRunner(
        model_config=ModelConfig.from_server_args(server_args),
        server_args=server_args,
        gpu_id=rank,
        tp_rank=rank,
    )


def latency_test(server_args, rank):
    """Seconds of one decode step."""
    configure_logger(f"[bench {rank}] ")
    runner = load_runner(server_args, rank)
    start = time.perf_counter()
    runner.forward(ForwardBatch.dummy(1, runner.model_config.hidden))
    print(f"rank {rank}: {time.perf_counter() - start:.3f} s")


def correctness_test(server_args, rank):
    """The last layer as a whole and in pieces must give the same shape."""
    runner = load_runner(server_args, rank)
    batch = ForwardBatch.dummy(3, runner.model_config.hidden)
    output = runner.forward(batch)
    in_pieces = getattr(runner.model.layers[-1], "forward_in_pieces", None)
    if in_pieces is not None:
        assert in_pieces(batch.hidden_states, runner.attention_backend).shape == output.shape


def run(server_args: ServerArgs, check=False):
    """Bench in this process for one rank, else in one process a rank. Returns 0."""
    work_func = correctness_test if check else latency_test
    if server_args.tp_size == 1:
        work_func(server_args, 0)
        return 0
    workers = []
    for rank in range(server_args.tp_size):
        worker = mp.Process(target=work_func, args=(server_args, rank))
        worker.start()
        workers.append(worker)
    for worker in workers:
        worker.join()
    return 0


if __name__ == "__main__":
    sys.exit(run(prepare_server_args(sys.argv[1:])))
