"""Kernels for a stored system response."""
