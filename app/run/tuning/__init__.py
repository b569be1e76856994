"""Tuning the kernels to this machine, while one looks on."""
