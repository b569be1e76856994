"""Vector code for CPU kernels."""
