"""A software GPU: answer CuPy's calls to CUDA runtime, driver, NVML and libraries on the CPU."""
