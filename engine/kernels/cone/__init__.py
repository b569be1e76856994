"""Kernels for X-ray projection and back projection."""
