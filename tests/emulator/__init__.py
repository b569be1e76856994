"""A GPU without a card: CUDA kernels compiled by g++, run on the CPU; and NVRTC without CuPy."""

from tests.emulator.gpu import EmulatedGpu

__all__ = ["EmulatedGpu"]
