// Run all blocks of a launch in parallel on the threads of the CPU.

#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>

#include <atomic>
#include <mutex>
#include <string>

#include "fibers.h"

__thread uint3 threadIdx, blockIdx;
__thread dim3 blockDim, gridDim;

namespace cpu {

__thread int lane;
__thread const Textures* textures;

void wait_at_barrier(int line) { block->wait_at_barrier(line); }

unsigned exchange(unsigned mask, uint64_t value, int line) {
  return block->exchange(mask, value, line);
}

uint64_t value_from(int lane, int line) { return block->value_from(lane, line); }

void fail(const char* format, ...) {
  char text[200];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  block->fail(text);
}

static std::string name_of(uint3 at, dim3 grid) {
  std::string name = "block " + std::to_string(at.x);
  if (grid.y * size_t(grid.z) > 1) {
    name += ", " + std::to_string(at.y) + ", " + std::to_string(at.z);
  }
  return name + ": ";
}

const char* launch(
    Body body, const unsigned* size, void** arguments, const Textures* readable, int reverse) {
  static thread_local std::string fault;
  const dim3 grid{size[0], size[1], size[2]}, threads{size[3], size[4], size[5]};
  const int64_t n_blocks = int64_t(grid.x) * grid.y * grid.z;
  std::atomic<bool> failed = false;
  std::string first;
  std::mutex lock;
#pragma omp parallel if (n_blocks > 4)  // fewer end before another thread starts
  {
    Block mine(threads, reverse, body, arguments);
    block = &mine;
    textures = readable;
    gridDim = grid;
    blockDim = threads;
#pragma omp for schedule(dynamic, 4)
    for (int64_t i = 0; i < n_blocks; i++) {
      if (failed) continue;
      const int64_t number = reverse ? n_blocks - 1 - i : i;
      const int64_t row = number / grid.x;
      blockIdx = {unsigned(number % grid.x), unsigned(row % grid.y), unsigned(row / grid.y)};
      mine.run();
      if (mine.fault.empty()) continue;
      const std::lock_guard<std::mutex> guard(lock);
      if (!failed) first = name_of(blockIdx, grid) + mine.fault;
      failed = true;
    }
    block = nullptr;
    textures = nullptr;
  }
  fault = first;
  return fault.c_str();
}

}  // namespace cpu
