// Schedule the threads of a CUDA block as fibers of one CPU thread.
//
// Each thread runs until it ends or waits at a barrier or a collective of its warp; then the next
// one runs, in ascending or in descending order. A deadlock is reported. A thread that never
// waits passes its stack to the next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "runtime.h"
#include "stacks.h"

#ifdef __SANITIZE_ADDRESS__
extern "C" {
void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* saved, const void** bottom, size_t* size);
}
#endif

namespace cpu {

enum class State { fresh, ready, at_barrier, in_warp, ended };

struct Thread {
  State state = State::fresh;
  Context context;
  char* stack = nullptr;
  int line = 0;          // source line at which it waits
  unsigned mask = 0;     // lanes of the collective for which it waits
  unsigned present = 0;  // lanes of the last collective
  uint64_t value = 0;    // its contribution to a collective
  uint64_t shared = 0;   // copy of `value` from the end of the collective
};

class Block {
 public:
  Block(dim3 size, bool reverse, Body body, void** arguments)
      : reverse_(reverse), body_(body), arguments_(arguments), size_(size),
        threads_(size_t(size.x) * size.y * size.z) {}

  // Run one block. `fault` describes an error.
  void run() {
    std::fill(threads_.begin(), threads_.end(), Thread());
    while (fault.empty()) {
      bool moved = false;
      for (int i = 0; i < n_warps() && fault.empty(); i++) moved |= run_warp(ordered(i, n_warps()));
      if (all_in(State::ended)) break;
      if (all_in(State::at_barrier) && one_line()) {
        for (Thread& thread : threads_) thread.state = State::ready;
      } else if (!moved) {
        fault = describe_deadlock();
      }
    }
    for (Thread& thread : threads_) drop_stack(thread);
  }

  void wait_at_barrier(int line) {
    Thread& self = threads_[current_];
    self.state = State::at_barrier;
    self.line = line;
    pause();
  }

  // Wait for the values of all lanes in the mask; return the lanes. `value_from` reads the values.
  unsigned exchange(unsigned mask, uint64_t value, int line) {
    Thread& self = threads_[current_];
    if (!(mask >> lane() & 1)) {
      fail("lane " + std::to_string(lane()) + " is not in its own mask, line " +
           std::to_string(line));
    }
    self.state = State::in_warp;
    self.line = line;
    self.mask = mask;
    self.value = value;
    pause();
    return self.present;
  }

  // Return the value of a lane in the last collective.
  uint64_t value_from(int lane, int line) {
    if (!(threads_[current_].present >> lane & 1)) {
      fail("a shuffle reads lane " + std::to_string(lane) + ", which takes no part, line " +
           std::to_string(line));
    }
    return threads_[current_ / warpSize * warpSize + lane].shared;
  }

  int lane() const { return current_ % warpSize; }

  // End the block with an error of a thread.
  [[noreturn]] void fail(const std::string& text) {
    fault = text;
    for (;;) pause();
  }

  std::string fault;

 private:
  int n_threads() const { return static_cast<int>(threads_.size()); }
  int n_warps() const { return (n_threads() + warpSize - 1) / warpSize; }
  int ordered(int i, int n) const { return reverse_ ? n - 1 - i : i; }

  bool all_in(State state) const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [=](const Thread& thread) { return thread.state == state; });
  }

  bool one_line() const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [&](const Thread& thread) { return thread.line == threads_[0].line; });
  }

  // Run a warp until all its threads have ended or wait for other warps.
  bool run_warp(int warp) {
    const int first = warp * warpSize, n = std::min(warpSize, n_threads() - first);
    bool moved = false;
    do {
      for (int i = 0; i < n && fault.empty(); i++) moved |= resume(first + ordered(i, n));
    } while (fault.empty() && release_lanes(first, n));
    return moved;
  }

  // Resume the lanes of complete collectives.
  bool release_lanes(int first, int n) {
    bool released = false;
    for (int i = 0; i < n; i++) {
      const unsigned mask = threads_[first + i].mask;
      const int line = threads_[first + i].line;
      unsigned group = 0;
      bool complete = threads_[first + i].state == State::in_warp;
      for (int j = 0; j < n && complete; j++) {
        const Thread& other = threads_[first + j];
        if (!(mask >> j & 1) || other.state == State::ended) continue;
        complete = other.state == State::in_warp && other.mask == mask && other.line == line;
        group |= 1u << j;
      }
      if (!complete) continue;
      released = true;
      for (int j = 0; j < n; j++) {
        if (!(group >> j & 1)) continue;
        Thread& other = threads_[first + j];
        other.shared = other.value;
        other.present = group;
        other.state = State::ready;
      }
    }
    return released;
  }

  std::string describe_deadlock() const {
    std::map<int, int> waiting;
    int n_ended = 0;
    for (const Thread& thread : threads_) {
      if (thread.state == State::ended) n_ended++;
      else waiting[thread.line]++;
    }
    std::string text = "threads wait for ever:";
    for (auto [line, n] : waiting) {
      text += " " + std::to_string(n) + " at line " + std::to_string(line) + ",";
    }
    return text + " " + std::to_string(n_ended) + " have ended";
  }

  bool resume(int i) {
    Thread& thread = threads_[i];
    if (thread.state != State::fresh && thread.state != State::ready) return false;
    if (thread.state == State::fresh) {
      thread.stack = take_stack();
      if (!thread.stack) {
        fault = "no memory for the stack of a thread";
        return false;
      }
      prepare(thread.context, thread.stack, enter);
      thread.state = State::ready;
    }
    current_ = i;
    cpu::lane = i % warpSize;
    const unsigned number = static_cast<unsigned>(i);
    threadIdx = {number % size_.x, number / size_.x % size_.y, number / size_.x / size_.y};
#ifdef __SANITIZE_ADDRESS__
    void* fake_stack;
    __sanitizer_start_switch_fiber(&fake_stack, thread.stack, STACK_BYTES);
    switch_stack(scheduler_, thread.context);
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#else
    switch_stack(scheduler_, thread.context);
#endif
    if (thread.state == State::ended) drop_stack(thread);
    return true;
  }

  void pause() {
    Thread& self = threads_[current_];
#ifdef __SANITIZE_ADDRESS__
    void* fake_stack;
    const bool ended = self.state == State::ended;
    __sanitizer_start_switch_fiber(ended ? nullptr : &fake_stack, home_, home_bytes_);
    switch_stack(self.context, scheduler_);
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#else
    switch_stack(self.context, scheduler_);
#endif
  }

  static void enter();

  static void drop_stack(Thread& thread) {
    if (thread.stack) give_stack(thread.stack);
    thread.stack = nullptr;
  }

  bool reverse_;
  Body body_;
  void** arguments_;
  dim3 size_;
  std::vector<Thread> threads_;
  int current_ = 0;
  Context scheduler_;
  const void* home_ = nullptr;  // stack of the scheduler
  size_t home_bytes_ = 0;
};

static thread_local Block* block;  // the block that this CPU thread runs

inline void Block::enter() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &block->home_, &block->home_bytes_);
#endif
  block->body_(block->arguments_);
  block->threads_[block->current_].state = State::ended;
  for (;;) block->pause();
}

}  // namespace cpu
