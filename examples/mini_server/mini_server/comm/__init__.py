"""Ranks, and what their devices can do."""
