// Memory of a PTX kernel: the arrays of a launch, and the last accesses to shared memory.
#pragma once

#include "ptx/counting.h"

namespace ptx {

// Layout as in tests/emulator/ptx/kernels.py: number of the launch, number of its arrays, and
// address and size of each array.
struct Given {
  uint64_t launch, n;
  struct Array {
    uint64_t at, n_bytes;
  } arrays[1];
};

struct Constant {
  const char* at;
  uint64_t n_bytes;
};

// Last thread that accessed a cell, and the number of barriers of block and warp before it.
struct Touch {
  uint16_t thread;  // from 1; 0 for none
  uint16_t warp;
  uint32_t at_block, at_warp;
};
static constexpr uint16_t SEVERAL = 0xffff;
struct Cell {
  Touch write, read;
};

struct SharedView {
  char* data;
  Cell* cells;
  uint32_t n_bytes, grain;  // bytes of a cell
  uint64_t* launch;
  uint3* block;
  Tracer* tracer = nullptr;
  Counts counts = {};
};

template <int n_bytes, int grain>
struct Shared {
  alignas(16) char data[n_bytes];
  Cell cells[(n_bytes + 1) / grain];
  uint64_t launch;
  uint3 block;

  SharedView view() { return {data, cells, n_bytes, grain, &launch, &block}; }
};

class Thread {
 public:
  Thread(void* given, SharedView shared, const Constant* constants, int n_constants,
         const char* local, uint32_t n_local)
      : given_(*static_cast<const Given*>(given)), shared_(shared), constants_(constants),
        n_constants_(n_constants), local_(local), n_local_(n_local), number_(thread_number()) {
    const bool same = *shared.launch == given_.launch && shared.block->x == blockIdx.x &&
                      shared.block->y == blockIdx.y && shared.block->z == blockIdx.z;
    if (same) return;  // another thread of this block has already cleared the memory
    *shared.launch = given_.launch;
    *shared.block = blockIdx;
    memset(shared.data, 0xff, shared.n_bytes);
    memset(shared.cells, 0, sizeof(Cell) * ((shared.n_bytes + 1) / shared.grain));
  }

  ~Thread() {
    if (!COUNTED || ++shared_.tracer->n_ended < n_threads()) return;
    shared_.tracer->n_ended = shared_.tracer->at_block = 0;
    count_block(*shared_.tracer, n_threads(), shared_.counts);
  }

  // Record the start of a basic block or a memory access, if accesses are counted.
  [[gnu::always_inline]] void enter(uint32_t stretch) {
    if constexpr (COUNTED) note({0, stretch, 0, STRETCH});
  }
  [[gnu::always_inline]] void fetch(int line) { touch(0, 0, Space::texture, line); }
  [[gnu::always_inline]] void touch(uint64_t at, int n, Space space, int line) {
    if constexpr (COUNTED) note({at, uint32_t(line), uint8_t(n), uint8_t(space)});
  }

  const char* load_global(unsigned& hint, uint64_t at, int n, uint32_t used, int line) {
    const char* place = within(hint, at, n, used, "reads", line);
    touch(in_array(hint, at), n, Space::global, line);
    return place;
  }
  char* store_global(unsigned& hint, uint64_t at, int n, uint32_t used, int line) {
    char* place = within(hint, at, n, used, "writes", line);
    touch(in_array(hint, at), n, Space::global, line);
    return place;
  }
  char* atomic(unsigned& hint, uint64_t at, int n, int line) {
    char* place = within(hint, at, n, (1u << n) - 1, "changes", line);
    touch(in_array(hint, at), n, Space::atomic, line);
    return place;
  }

  const char* load_const(unsigned&, uint64_t at, int n, uint32_t used, int line) {
    touch(at, n, Space::constant, line);
    aligned(at, n, "reads", line);
    const int first = __builtin_ctz(used), last = 32 - __builtin_clz(used);
    for (int i = 0; i < n_constants_; i++) {
      const uint64_t start = uint64_t(constants_[i].at);
      if (at + first >= start && at + last <= start + constants_[i].n_bytes) return (const char*)at;
    }
    cpu::fail("thread %d, line %d reads %d bytes at %#llx, which is no constant", number_, line, n,
              (unsigned long long)at);
  }

  const char* load_local(unsigned&, uint64_t at, int n, uint32_t, int line) {
    return own(at, n, "reads", line);
  }
  char* store_local(unsigned&, uint64_t at, int n, uint32_t, int line) {
    return own(at, n, "writes", line);
  }

  const char* load_shared(uint32_t at, int n, uint32_t used, int line) {
    touch(at, n, Space::shared, line);
    inside(at, n, used, "reads", line);
    const uint32_t grain = shared_.grain;
    for (uint32_t i = 0; i < uint32_t(n); i += grain) {
      if (used >> i & (2 * grain - 1)) read(shared_.cells[(at + i) / grain], at + i, line);
    }
    return shared_.data + at;
  }
  char* store_shared(uint32_t at, int n, uint32_t used, int line) {
    touch(at, n, Space::shared, line);
    inside(at, n, used, "writes", line);
    const uint32_t grain = shared_.grain;
    for (uint32_t i = 0; i < uint32_t(n); i += grain) {
      write(shared_.cells[(at + i) / grain], at + i, line);
    }
    return shared_.data + at;
  }

  void wait_for_block(int line) {
    cpu::wait_at_barrier(line);
    at_block_++;
    if (!COUNTED || shared_.tracer->at_block == at_block_) return;
    shared_.tracer->at_block = at_block_;  // the first thread that resumes, after all have waited
    count_block(*shared_.tracer, n_threads(), shared_.counts);
  }
  void wait_for_warp(uint32_t mask, int line) {
    cpu::exchange(mask, 0, line);
    at_warp_++;
  }

 private:
  void note(Note note) { shared_.tracer->threads[number_].add(note); }
  // Return an address as on a GPU, where every array begins at its own cache line.
  uint64_t in_array(unsigned i, uint64_t at) const {
    return uint64_t(i + 1) << 40 | (at - given_.arrays[i].at);
  }
  uint32_t n_threads() const { return blockDim.x * blockDim.y * blockDim.z; }

  void aligned(uint64_t at, int n, const char* does, int line) {
    if (at % n == 0) return;
    cpu::fail("thread %d, line %d %s %d bytes at %#llx, which is no multiple of them", number_,
              line, does, n, (unsigned long long)at);
  }

  char* within(unsigned& hint, uint64_t at, int n, uint32_t used, const char* does, int line) {
    aligned(at, n, does, line);
    const int first = __builtin_ctz(used), last = 32 - __builtin_clz(used);
    unsigned i = hint;
    if (i < given_.n && holds(given_.arrays[i], at + first, at + last)) return (char*)at;
    for (i = 0; i < given_.n; i++) {
      if (!holds(given_.arrays[i], at + first, at + last)) continue;
      hint = i;
      return (char*)at;
    }
    cpu::fail("thread %d, line %d %s %d bytes at %#llx, outside of the arrays of the launch",
              number_, line, does, n, (unsigned long long)at);
  }

  char* own(uint64_t at, int n, const char* does, int line) {
    aligned(at, n, does, line);
    const uint64_t start = uint64_t(local_);
    if (at >= start && at + n <= start + n_local_) return (char*)at;
    cpu::fail("thread %d, line %d %s %d bytes at %#llx, outside of its own memory", number_, line,
              does, n, (unsigned long long)at);
  }

  static bool holds(const Given::Array& array, uint64_t first, uint64_t last) {
    return first >= array.at && last <= array.at + array.n_bytes;
  }

  void inside(uint32_t at, int n, uint32_t used, const char* does, int line) {
    aligned(at, n, does, line);
    if (uint64_t(at) + 32 - __builtin_clz(used) <= shared_.n_bytes) return;
    cpu::fail("thread %d, line %d %s %d bytes at %#x of %u of shared memory", number_, line, does,
              n, at, shared_.n_bytes);
  }

  uint16_t me() const { return uint16_t(number_ + 1); }
  uint16_t my_warp() const { return uint16_t(number_ / warpSize); }

  // Return true if an access cannot race with this thread: its own, or before a common barrier.
  bool is_ordered(const Touch& touch) const {
    return touch.thread == 0 || touch.thread == me() || touch.at_block < at_block_ ||
           (touch.warp == my_warp() && touch.at_warp < at_warp_);
  }

  void read(Cell& cell, uint32_t at, int line) {
    if (cell.write.thread == 0) {
      cpu::fail("thread %d, line %d reads shared memory at %#x, which nobody wrote", number_, line,
                at);
    }
    refuse(cell.write, "reads", "wrote", at, line);
    Touch& last = cell.read;
    if (is_ordered(last)) {
      last = {me(), my_warp(), at_block_, at_warp_};
    } else {
      if (last.warp != my_warp()) last.warp = SEVERAL;
      if (last.at_warp < at_warp_) last.at_warp = at_warp_;
      last.thread = SEVERAL;
    }
  }

  void write(Cell& cell, uint32_t at, int line) {
    refuse(cell.write, "writes", "wrote", at, line);
    refuse(cell.read, "writes", "reads", at, line);
    cell.write = {me(), my_warp(), at_block_, at_warp_};
  }

  void refuse(const Touch& other, const char* does, const char* did, uint32_t at, int line) {
    if (is_ordered(other)) return;
    char name[24] = "another thread";
    if (other.thread != SEVERAL) snprintf(name, sizeof name, "thread %d", other.thread - 1);
    cpu::fail("thread %d, line %d %s shared memory at %#x, which %s %s with no barrier between",
              number_, line, does, at, name, did);
  }

  const Given& given_;
  SharedView shared_;
  const Constant* constants_;
  int n_constants_;
  const char* local_;
  uint32_t n_local_;
  int number_;
  uint32_t at_block_ = 0, at_warp_ = 0;
};

}  // namespace ptx
