"""Evaluation for architectures."""
