"""Kernels for rays between points: list mode and ring sensitivities."""
