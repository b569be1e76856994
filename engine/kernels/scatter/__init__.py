"""Kernels for scatter simulation and photon tracking."""
