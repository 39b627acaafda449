"""The tensor library: the real one where there is a GPU, else a stand-in with the same names."""

try:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch is installed, but it sees no GPU")
except ImportError:
    from mini_server import tinytorch as torch

__all__ = ["torch"]
