"""Processes: their children, their signals, their devices."""

import atexit
import contextlib
import logging
import multiprocessing as mp
import os
import signal
import sys

logger = logging.getLogger(__name__)

CHILD_FAILED = signal.SIGUSR1


def configure_logger(prefix=""):
    """Send log lines to standard error, each with a prefix."""
    logging.basicConfig(level=logging.INFO, format=f"{prefix}%(levelname)s %(name)s: %(message)s", force=True)


def kill_children():
    """End the child processes that are still alive."""
    for child in mp.active_children():
        child.terminate()


def _on_child_failure(signum, frame):
    logger.error("a child process failed; this process ends")
    kill_children()
    sys.exit(3)


def _on_terminate(signum, frame):
    sys.exit(0)


def install_signal_handlers():
    """End with the children, whoever ends first."""
    signal.signal(CHILD_FAILED, _on_child_failure)
    signal.signal(signal.SIGTERM, _on_terminate)
    atexit.register(kill_children)


def tell_parent_of_failure():
    """Make the parent process end too."""
    os.kill(os.getppid(), CHILD_FAILED)


@contextlib.contextmanager
def remap_device(gpu_id):
    """Yield the device number that a child should use instead of this one."""
    visible = os.environ.get("MINI_VISIBLE_DEVICES")
    if not visible:
        yield gpu_id
        return
    yield int(visible.split(",")[gpu_id])


@contextlib.contextmanager
def quiet_start():
    """Hold warnings back while a child starts."""
    before = logging.getLogger().level
    logging.getLogger().setLevel(logging.ERROR)
    try:
        yield
    finally:
        logging.getLogger().setLevel(before)
