"""Machines with cards that are none: a driver's library, CuPy and NVML that answer as told.

What is made up is the software of others, at the lowest layer that we meet; ours runs as it is.
"""
