"""A GPU without a card: CUDA kernels, or the PTX that NVRTC makes of them, run on the CPU."""

from tests.emulator.gpu import EmulatedGpu

__all__ = ["EmulatedGpu"]
