"""Tests of the layer `source`."""
