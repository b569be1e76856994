"""Simulated machines with GPUs: stub driver libraries, CuPy and NVML.

Only foreign software is replaced, at the lowest layer that we call; ours runs unchanged.
"""
