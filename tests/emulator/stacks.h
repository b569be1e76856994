// Stacks of fibers, and the switch of a CPU thread between them.
#pragma once

#include <stddef.h>

#include <vector>

#include <sys/mman.h>

#if !defined(__x86_64__) || defined(CUDA_CPU_UCONTEXT)
#define CUDA_CPU_PORTABLE
#include <ucontext.h>
#endif

#ifdef __SANITIZE_ADDRESS__
extern "C" void __asan_unpoison_memory_region(const volatile void* start, size_t size);
#endif

namespace cpu {

#ifdef __SANITIZE_ADDRESS__
static constexpr size_t STACK_BYTES = 512 << 10;
#else
static constexpr size_t STACK_BYTES = 64 << 10;
#endif
static constexpr size_t GUARD_BYTES = 64 << 10;  // at least one page, for all page sizes

#ifdef CUDA_CPU_PORTABLE

struct Context {
  ucontext_t registers;
};

static void switch_stack(Context& from, Context& to) {
  swapcontext(&from.registers, &to.registers);
}

static void prepare(Context& context, char* stack, void (*entry)()) {
  getcontext(&context.registers);
  context.registers.uc_stack.ss_sp = stack;
  context.registers.uc_stack.ss_size = STACK_BYTES;
  context.registers.uc_link = nullptr;
  makecontext(&context.registers, entry, 0);
}

#else

struct Context {
  void** top;  // top of the stack, which contains the callee-saved registers
};

extern "C" void cuda_cpu_switch(void*** from, void** to);
__asm__(
    ".text\n"
    ".local cuda_cpu_switch\n"
    ".type cuda_cpu_switch, @function\n"
    "cuda_cpu_switch:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n"
    "  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
    "  ret\n");

static void switch_stack(Context& from, Context& to) { cuda_cpu_switch(&from.top, to.top); }

static void prepare(Context& context, char* stack, void (*entry)()) {
  void** top = reinterpret_cast<void**>(stack + STACK_BYTES) - 2;
  *--top = nullptr;  // return address of `entry`, which never returns
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; i++) *--top = nullptr;
  context.top = top;
}

#endif

static thread_local std::vector<char*>* spare_stacks;  // reused until the CPU thread ends

static char* take_stack() {
  if (!spare_stacks) spare_stacks = new std::vector<char*>;
  if (!spare_stacks->empty()) {
    char* stack = spare_stacks->back();
    spare_stacks->pop_back();
    return stack;
  }
  void* memory = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  mprotect(memory, GUARD_BYTES, PROT_NONE);
  return static_cast<char*>(memory) + GUARD_BYTES;
}

static void give_stack(char* stack) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack, STACK_BYTES);
#endif
  spare_stacks->push_back(stack);
}

}  // namespace cpu
