"""Numba kernels and, beside them, their CUDA twins."""
