// Functions that a kernel on the CPU calls; runtime.cpp implements them.
//
// They are compiled once, into a library that all kernels share. A kernel includes only this file
// and C headers. It therefore compiles in a tenth of the time that C++ headers would take.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

static constexpr int warpSize = 32;

#define CUDA_CPU_SHARED __attribute__((visibility("default")))
// Variables of a CPU thread, with an address that is known when the library is loaded.
#define CUDA_CPU_REGISTER extern CUDA_CPU_SHARED __attribute__((tls_model("initial-exec"))) __thread

CUDA_CPU_REGISTER uint3 threadIdx, blockIdx;
CUDA_CPU_REGISTER dim3 blockDim, gridDim;

namespace cpu {

enum class TextureKind : int64_t { layers = 1, plane = 2, volume = 3 };

// Layout as in tests/emulator/textures.py.
struct Texture {
  const float* data;  // null after the texture was destroyed
  int64_t width, height, depth;
  int64_t row, slice;  // distance between two rows and between two slices, in floats
  TextureKind kind;
};

struct Textures {
  const Texture* all;  // handle 1 is the first
  uint64_t n;
  int64_t exact;
};

CUDA_CPU_REGISTER int lane;  // of the current thread in its warp
CUDA_CPU_REGISTER const Textures* textures;  // of the emulated GPU

CUDA_CPU_SHARED void wait_at_barrier(int line);
// Wait for the values of all lanes in the mask; return the lanes. `value_from` reads the values.
CUDA_CPU_SHARED unsigned exchange(unsigned mask, uint64_t value, int line);
// Return the value of a lane in the last collective.
CUDA_CPU_SHARED uint64_t value_from(int lane, int line);
// End the block with an error of a thread.
[[noreturn, gnu::format(printf, 1, 2)]] CUDA_CPU_SHARED void fail(const char* format, ...);

using Body = void (*)(void** arguments);

// Run all blocks; return the first error, or an empty string.
CUDA_CPU_SHARED const char* launch(
    Body body, const unsigned* size, void** arguments, const Textures* textures, int reverse);

}  // namespace cpu
