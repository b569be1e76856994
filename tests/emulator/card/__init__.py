"""A card that is none: what CuPy asks of CUDA's runtime, driver and NVML, answered on the CPU."""
