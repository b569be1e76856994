// What the warps of a kernel in PTX issue and touch, counted.
//
// A thread writes down which stretches of code it enters and where it reads and writes; when all
// threads of a block wait or have ended, the notes of each warp are laid over one another: of all
// lanes those go first that stand at the earliest stretch (ptx/flow.py numbers them so that paths
// that part meet again where a card lets them), and what several do together is issued once.
#pragma once

#include <stdlib.h>

namespace ptx {

#ifdef CUDA_CPU_PTX_COUNTED
static constexpr bool COUNTED = true;
#else
static constexpr bool COUNTED = false;
#endif

enum class Space : uint8_t { global, shared, constant, texture, atomic };

// One stretch entered, if `space` is STRETCH, or one place touched.
struct Note {
  uint64_t at;
  uint32_t line;  // or the number of the stretch
  uint8_t n_bytes, space;
};
static constexpr uint8_t STRETCH = 255;

// Sums over warps, as ptx/counted.py reads them: of each stretch how often it was issued and by how
// many lanes; of each line how often, lanes, lines of 128 bytes, sectors of 32, and wave-fronts of
// shared memory.
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
  uint32_t n = 0, room = 0, next = 0;

  void add(Note note) {
    if (n == room) {
      room = room ? 2 * room : 256;
      all = static_cast<Note*>(realloc(all, room * sizeof(Note)));
    }
    all[n++] = note;
  }
  bool left() const { return next < n; }
  const Note& now() const { return all[next]; }
};

// Where the sums of a kernel are, for those who ask.
#define CUDA_CPU_PTX_COUNTS(NAME)                                                              \
  CUDA_CPU_EXPORT void* stretches_##NAME() { return ptx_counts_of_##NAME.stretches; } \
  CUDA_CPU_EXPORT void* touched_##NAME() { return ptx_counts_of_##NAME.touched; }

// The notes of a block, one for each thread, and how many of them have ended.
struct Tracer {
  Notes threads[1024];
  uint32_t n_ended = 0, at_block = 0;
};

static inline void add_to(uint64_t& sum, uint64_t n) {
  __atomic_fetch_add(&sum, n, __ATOMIC_RELAXED);
}

// How many different values of at[i] / size there are.
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

// Wave-fronts of shared memory: 32 banks of 4 bytes give one word each at a time; 8 bytes are read
// by halves of a warp, 16 by quarters.
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
        const int held = ++in_bank[word % 32];
        if (held > most) most = held;
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
    add_to(sum.wavefronts, distinct(at, n, 4));  // one word at a time, for all lanes that ask
  } else if (space != Space::texture) {
    add_to(sum.lines, distinct(at, n, 128));
    add_to(sum.sectors, distinct(at, n, 32));
  }
}

// Let those lanes that stand at the earliest stretch, or line, go on; false if none is left.
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
  for (;;) {  // what this stretch touches, line by line: a guard may leave lanes out of some
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
