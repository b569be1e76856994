// What the text of a kernel asks of the CPU that runs it; runtime.cpp answers.
//
// The answers are compiled once, into a library that all kernels share. A kernel sees nothing but
// this page and plain C, so that it compiles in a tenth of the time the C++ library would take.
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
// Variables of a CPU thread, at a place that is known when the library is loaded.
#define CUDA_CPU_REGISTER extern CUDA_CPU_SHARED __attribute__((tls_model("initial-exec"))) __thread

CUDA_CPU_REGISTER uint3 threadIdx, blockIdx;
CUDA_CPU_REGISTER dim3 blockDim, gridDim;

namespace cpu {

enum class TextureKind : int64_t { layers = 1, pictures = 2, volume = 3 };

// As tests/emulator/textures.py lays it out.
struct Texture {
  const float* data;  // null when the texture is no more
  int64_t width, height, depth;
  int64_t row, picture;  // floats from one to the next
  TextureKind kind;
};

struct Textures {
  const Texture* all;  // handle 1 is the first
  uint64_t n;
  int64_t exact;
};

CUDA_CPU_REGISTER int lane;  // of the thread that runs, in its warp
CUDA_CPU_REGISTER const Textures* textures;  // of the card whose kernel runs

CUDA_CPU_SHARED void wait_at_barrier(int line);
// Wait until all lanes of the mask gave a value, and return who did; see `heard_from`.
CUDA_CPU_SHARED unsigned exchange(unsigned mask, uint64_t value, int line);
// What a lane gave in the last collective.
CUDA_CPU_SHARED uint64_t heard_from(int lane, int line);
// End the block with what a thread did wrong.
[[noreturn, gnu::format(printf, 1, 2)]] CUDA_CPU_SHARED void fail(const char* format, ...);

using Body = void (*)(void** arguments);

// Run all blocks; return what went wrong first, or nothing.
CUDA_CPU_SHARED const char* launch(
    Body body, const unsigned* size, void** arguments, const Textures* textures, int reverse);

}  // namespace cpu
