"""Read projections described by a sidecar."""

FORMAT = "isocenter-projections"
"""The value of `format` in each sidecar."""
