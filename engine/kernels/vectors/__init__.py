"""Vector code for the CPU kernels of list mode."""
