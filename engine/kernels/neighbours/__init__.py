"""Kernels for priors: sums over the 26 neighbours of a voxel."""
