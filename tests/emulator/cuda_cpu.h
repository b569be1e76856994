// The part of CUDA C++ that our kernels use, for g++: the text of a kernel runs on the CPU.
//
// Blocks run side by side on the CPU's threads, the threads of a block one after the other
// (fibers.h). Compile without contraction, so that arithmetic is that of IEEE 754, operation by
// operation. Real races, stream order and shared memory sized at launch are not covered.
#pragma once

#include <math.h>
#include <stdint.h>

#include <atomic>
#include <bit>
#include <mutex>
#include <type_traits>
#include <utility>

#include "fibers.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

// ---- vectors -----------------------------------------------------------------------------------

#define CUDA_CPU_VECTORS(T, NAME)                                                        \
  struct alignas(2 * sizeof(T)) NAME##2 { T x, y; };                                     \
  struct NAME##3 { T x, y, z; };                                                         \
  struct alignas(sizeof(T) < 8 ? 4 * sizeof(T) : 16) NAME##4 { T x, y, z, w; };          \
  static inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                      \
  static inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }              \
  static inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CUDA_CPU_VECTORS(float, float)
CUDA_CPU_VECTORS(double, double)
CUDA_CPU_VECTORS(int, int)
CUDA_CPU_VECTORS(short, short)
CUDA_CPU_VECTORS(unsigned short, ushort)
#undef CUDA_CPU_VECTORS

// ---- arithmetic --------------------------------------------------------------------------------

using std::abs;
using std::isfinite;
using std::isinf;
using std::isnan;

#define CUDA_CPU_MIN_MAX(T)                                \
  static inline T min(T a, T b) { return b < a ? b : a; }  \
  static inline T max(T a, T b) { return a < b ? b : a; }
CUDA_CPU_MIN_MAX(int)
CUDA_CPU_MIN_MAX(unsigned)
CUDA_CPU_MIN_MAX(long)
CUDA_CPU_MIN_MAX(unsigned long)
CUDA_CPU_MIN_MAX(long long)
CUDA_CPU_MIN_MAX(unsigned long long)
#undef CUDA_CPU_MIN_MAX
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline float __saturatef(float x) { return x > 0.0f ? fminf(x, 1.0f) : 0.0f; }
static inline float __fdividef(float a, float b) { return a / b; }
#define __expf(x) expf(x)  // names that the C library has, too
#define __logf(x) logf(x)

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fadd_rd(float a, float b) {
  const double exact = double(a) + b;  // of numbers that differ by less than 2^29
  const float nearest = float(exact);
  return nearest > exact ? nextafterf(nearest, -INFINITY) : nearest;
}
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }

static inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
static inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
static inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
static inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
static inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
static inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }

namespace cpu {
// As the card converts: to the nearest number there is, NaN to 0 (64-bit: to the lowest).
template <class T, class Real>
inline T converted(Real whole) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  if (whole != whole) return sizeof(T) == 8 ? low : T(0);
  if (whole <= Real(low)) return low;
  return whole >= Real(high) ? high : T(whole);
}
}  // namespace cpu

static inline int __float2int_rn(float x) { return cpu::converted<int>(rintf(x)); }
static inline int __float2int_rz(float x) { return cpu::converted<int>(truncf(x)); }
static inline int __float2int_rd(float x) { return cpu::converted<int>(floorf(x)); }
static inline int __float2int_ru(float x) { return cpu::converted<int>(ceilf(x)); }
static inline long long __float2ll_rn(float x) { return cpu::converted<long long>(rintf(x)); }
static inline long long __double2ll_rn(double x) { return cpu::converted<long long>(rint(x)); }
static inline int __double2int_rn(double x) { return cpu::converted<int>(rint(x)); }

static inline int __popc(unsigned x) { return std::popcount(x); }
static inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
static inline int __ffs(int x) { return __builtin_ffs(x); }

// ---- memory ------------------------------------------------------------------------------------

template <class T>
inline T __ldg(const T* at) {
  return *at;
}

namespace cpu {
template <class T, class Change>
inline T atomically(T* at, Change change) {
  std::atomic_ref<T> value(*at);
  T old = value.load(std::memory_order_relaxed);
  while (!value.compare_exchange_weak(old, change(old), std::memory_order_relaxed)) {
  }
  return old;
}
}  // namespace cpu

// The types that the card knows; another one does not compile there either.
#define CUDA_CPU_ATOMIC(T, NAME, NEW)                                   \
  static inline T NAME(T* at, T value) {                                \
    return cpu::atomically(at, [=](T old) { return static_cast<T>(NEW); });          \
  }
#define CUDA_CPU_ATOMIC_BITS(T)              \
  CUDA_CPU_ATOMIC(T, atomicAnd, old & value)  \
  CUDA_CPU_ATOMIC(T, atomicOr, old | value)  \
  CUDA_CPU_ATOMIC(T, atomicXor, old ^ value)
#define CUDA_CPU_ATOMIC_ORDER(T)                 \
  CUDA_CPU_ATOMIC(T, atomicMin, min(old, value)) \
  CUDA_CPU_ATOMIC(T, atomicMax, max(old, value))
#define CUDA_CPU_ATOMIC_VALUE(T) \
  CUDA_CPU_ATOMIC(T, atomicAdd, old + value) \
  CUDA_CPU_ATOMIC(T, atomicExch, value)
CUDA_CPU_ATOMIC_VALUE(int)
CUDA_CPU_ATOMIC_VALUE(unsigned)
CUDA_CPU_ATOMIC_VALUE(unsigned long long)
CUDA_CPU_ATOMIC_VALUE(float)
CUDA_CPU_ATOMIC(double, atomicAdd, old + value)
CUDA_CPU_ATOMIC_BITS(int)
CUDA_CPU_ATOMIC_BITS(unsigned)
CUDA_CPU_ATOMIC_BITS(unsigned long long)
CUDA_CPU_ATOMIC_ORDER(int)
CUDA_CPU_ATOMIC_ORDER(unsigned)
CUDA_CPU_ATOMIC_ORDER(long long)
CUDA_CPU_ATOMIC_ORDER(unsigned long long)

static inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
static inline void __threadfence_block() { __threadfence(); }

// ---- barriers and warps; `line` is where the kernel calls --------------------------------------

static inline void __syncthreads(int line = __builtin_LINE()) { cpu::block->wait_at_barrier(line); }

static inline void __syncwarp(unsigned mask = ~0u, int line = __builtin_LINE()) {
  cpu::block->exchange(mask, 0, line);
}

namespace cpu {
// The value of lane `source` of this lane's part of the warp, its own if `source` is outside.
template <class T>
inline T shuffled(unsigned mask, T value, int source, int width, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  block->exchange(mask, std::bit_cast<Bits>(value), line);
  const int first = block->lane() / width * width;
  const bool inside = source >= first && source < first + width;
  return std::bit_cast<T>(static_cast<Bits>(
      block->heard_from(inside ? source : block->lane(), line)));
}
}  // namespace cpu

template <class T>
inline T __shfl_sync(
    unsigned mask, T value, int source, int width = warpSize, int line = __builtin_LINE()) {
  const int first = cpu::block->lane() / width * width;
  return cpu::shuffled(mask, value, first + (source & (width - 1)), width, line);
}

template <class T>
inline T __shfl_up_sync(
    unsigned mask, T value, unsigned apart, int width = warpSize, int line = __builtin_LINE()) {
  return cpu::shuffled(mask, value, cpu::block->lane() - int(apart), width, line);
}

template <class T>
inline T __shfl_down_sync(
    unsigned mask, T value, unsigned apart, int width = warpSize, int line = __builtin_LINE()) {
  return cpu::shuffled(mask, value, cpu::block->lane() + int(apart), width, line);
}

template <class T>
inline T __shfl_xor_sync(
    unsigned mask, T value, int apart, int width = warpSize, int line = __builtin_LINE()) {
  return cpu::shuffled(mask, value, cpu::block->lane() ^ apart, width, line);
}

static inline unsigned __ballot_sync(unsigned mask, int vote, int line = __builtin_LINE()) {
  const unsigned present = cpu::block->exchange(mask, vote != 0, line);
  unsigned votes = 0;
  for (int lane = 0; lane < warpSize; lane++) {
    if (present >> lane & 1) votes |= unsigned(cpu::block->heard_from(lane, line)) << lane;
  }
  return votes;
}

static inline int __any_sync(unsigned mask, int vote, int line = __builtin_LINE()) {
  return __ballot_sync(mask, vote, line) != 0;
}

static inline int __all_sync(unsigned mask, int vote, int line = __builtin_LINE()) {
  return __ballot_sync(mask, !vote, line) == 0;
}

#include "textures.h"

#include "launch.h"
