"""Run PTX from NVRTC on the CPU: it is translated to C++ and runs on the emulator's fibers."""
