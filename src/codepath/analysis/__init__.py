"""Layer `analysis`."""
