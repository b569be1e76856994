"""Run CUDA kernels on the CPU, from their source or from the PTX that NVRTC compiles."""

from tests.emulator.gpu import EmulatedGpu

__all__ = ["EmulatedGpu"]
