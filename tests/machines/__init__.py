"""Simulated machines with GPUs: stub driver libraries, CuPy and NVML.

Stubs replace only foreign software, at the lowest layer that we call. Our code runs unchanged.
"""
