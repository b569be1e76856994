"""What NVRTC makes for a card, run on the CPU: PTX, translated to C++, on the emulator's fibers."""
