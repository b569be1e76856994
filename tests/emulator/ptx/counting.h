// Count the instructions and memory accesses of the warps of a PTX kernel.
//
// A thread records the basic blocks that it enters and the addresses that it accesses. When all
// threads of a block wait or have ended, the records of each warp are merged. The lanes at the
// earliest basic block go first (ptx/flow.py numbers the blocks so that diverged lanes converge
// where a GPU converges them). An instruction that several lanes execute together is issued once.
#pragma once

#include <stdlib.h>

namespace ptx {

#ifdef CUDA_CPU_PTX_COUNTED
static constexpr bool COUNTED = true;
#else
static constexpr bool COUNTED = false;
#endif

enum class Space : uint8_t { global, shared, constant, texture, atomic };

// One basic block entered, if `space` is STRETCH, or one memory access.
struct Note {
  uint64_t at;
  uint32_t line;  // or the number of the basic block
  uint8_t n_bytes, space;
};
static constexpr uint8_t STRETCH = 255;

// Sums over warps; ptx/counted.py reads them. For each basic block: issues and lanes. For each
// line: issues, lanes, cache lines of 128 bytes, sectors of 32 bytes, wavefronts of shared memory.
struct Stretch {
  uint64_t issued, lanes;
};
struct Touched {
  uint64_t issued, lanes, lines, sectors, wavefronts;
};

struct Counts {
  Stretch* stretches;
  Touched* touched;
};

struct Notes {
  Note* all = nullptr;
  uint32_t n = 0, capacity = 0, next = 0;

  void add(Note note) {
    if (n == capacity) {
      capacity = capacity ? 2 * capacity : 256;
      all = static_cast<Note*>(realloc(all, capacity * sizeof(Note)));
    }
    all[n++] = note;
  }
  bool left() const { return next < n; }
  const Note& now() const { return all[next]; }
};

// Export the sums of a kernel.
#define CUDA_CPU_PTX_COUNTS(NAME)                                                              \
  CUDA_CPU_EXPORT void* stretches_##NAME() { return ptx_counts_of_##NAME.stretches; } \
  CUDA_CPU_EXPORT void* touched_##NAME() { return ptx_counts_of_##NAME.touched; }

// Records of the threads of a block, and the number of threads that have ended.
struct Tracer {
  Notes threads[1024];
  uint32_t n_ended = 0, at_block = 0;
};

static inline void add_to(uint64_t& sum, uint64_t n) {
  __atomic_fetch_add(&sum, n, __ATOMIC_RELAXED);
}

// Return the number of different values of at[i] / size.
static inline int distinct(const uint64_t* at, int n, uint64_t size) {
  uint64_t seen[32];
  int n_seen = 0;
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < n_seen && seen[j] != at[i] / size) j++;
    if (j == n_seen) seen[n_seen++] = at[i] / size;
  }
  return n_seen;
}

// Wavefronts of shared memory. Each of 32 banks delivers one word of 4 bytes at a time. Half a
// warp reads 8 bytes per lane at a time, a quarter 16 bytes.
static inline int wavefronts(const uint64_t* at, const int* lanes, int n, int n_bytes) {
  const int together = n_bytes <= 4 ? 32 : 128 / n_bytes;
  int sum = 0;
  for (int part = 0; part < 32; part += together) {
    uint64_t words[256];
    int n_words = 0, in_bank[32] = {}, most = 0;
    for (int i = 0; i < n; i++) {
      if (lanes[i] < part || lanes[i] >= part + together) continue;
      for (uint64_t word = at[i] / 4; word <= (at[i] + n_bytes - 1) / 4; word++) {
        int j = 0;
        while (j < n_words && words[j] != word) j++;
        if (j < n_words) continue;
        words[n_words++] = word;
        const int n_in_bank = ++in_bank[word % 32];
        if (n_in_bank > most) most = n_in_bank;
      }
    }
    sum += most;
  }
  return sum;
}

static inline void touch_together(const Notes* warp, const int* lanes, int n, const Counts& counts) {
  const Note& first = warp[lanes[0]].now();
  uint64_t at[32];
  for (int i = 0; i < n; i++) at[i] = warp[lanes[i]].now().at;
  Touched& sum = counts.touched[first.line];
  add_to(sum.issued, 1);
  add_to(sum.lanes, n);
  const Space space = Space(first.space);
  if (space == Space::shared) {
    add_to(sum.wavefronts, wavefronts(at, lanes, n, first.n_bytes));
  } else if (space == Space::constant) {
    add_to(sum.wavefronts, distinct(at, n, 4));  // one word at a time, for all lanes that read it
  } else if (space != Space::texture) {
    add_to(sum.lines, distinct(at, n, 128));
    add_to(sum.sectors, distinct(at, n, 32));
  }
}

// Advance the lanes at the earliest basic block or line; return false if all have ended.
static inline bool issue(Notes* warp, int n_lanes, const Counts& counts) {
  uint32_t earliest = ~0u;
  for (int i = 0; i < n_lanes; i++) {
    if (warp[i].left() && warp[i].now().line < earliest) earliest = warp[i].now().line;
  }
  if (earliest == ~0u) return false;
  int lanes[32], n = 0;
  for (int i = 0; i < n_lanes; i++) {
    if (warp[i].left() && warp[i].now().line == earliest) lanes[n++] = i;
  }
  add_to(counts.stretches[earliest].issued, 1);
  add_to(counts.stretches[earliest].lanes, n);
  for (int i = 0; i < n; i++) warp[lanes[i]].next++;
  for (;;) {  // accesses of this basic block by line; predicated lanes can skip some
    uint32_t line = ~0u;
    for (int i = 0; i < n; i++) {
      const Notes& one = warp[lanes[i]];
      if (one.left() && one.now().space != STRETCH && one.now().line < line) line = one.now().line;
    }
    if (line == ~0u) return true;
    int some[32], n_some = 0;
    for (int i = 0; i < n; i++) {
      const Notes& one = warp[lanes[i]];
      if (one.left() && one.now().space != STRETCH && one.now().line == line) some[n_some++] = lanes[i];
    }
    touch_together(warp, some, n_some, counts);
    for (int i = 0; i < n_some; i++) warp[some[i]].next++;
  }
}

static inline void count_block(Tracer& tracer, int n_threads, const Counts& counts) {
  for (int first = 0; first < n_threads; first += warpSize) {
    const int n = n_threads - first < warpSize ? n_threads - first : warpSize;
    while (issue(tracer.threads + first, n, counts)) {
    }
    for (int i = first; i < first + n; i++) tracer.threads[i].n = tracer.threads[i].next = 0;
  }
}

}  // namespace ptx
