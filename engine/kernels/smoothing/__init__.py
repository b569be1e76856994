"""Kernels for filters: Gaussian, median, point spread."""
