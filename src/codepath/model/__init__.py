"""Layer `model`."""
