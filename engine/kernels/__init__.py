"""Numba kernels, and their CUDA twins next to them."""
