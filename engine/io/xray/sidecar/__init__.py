"""Projections that a settings file describes."""

FORMAT = "isocenter-projections"
"""The value of `format` in each sidecar."""
