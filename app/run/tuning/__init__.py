"""Tune the kernels to this machine, with live display."""
