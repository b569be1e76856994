// The part of CUDA C++ that our kernels use, for g++. The source of a kernel runs on the CPU.
//
// Blocks run in parallel on the threads of the CPU, the threads of a block one after the other
// (fibers.h). Compile without contraction, so that each operation follows IEEE 754, and with
// -nostdinc++: the C headers are a hundredth the size of the C++ headers, and every variant of
// every kernel includes them. Real races, stream order and dynamic shared memory are not covered.
#pragma once

#include <math.h>

#include "runtime.h"

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

#define CUDA_CPU_VECTORS(DO) \
  DO(float, float) DO(double, double) DO(int, int) DO(short, short) DO(unsigned short, ushort)
#define CUDA_CPU_VECTOR(T, NAME)                                                         \
  struct alignas(2 * sizeof(T)) NAME##2 { T x, y; };                                     \
  struct NAME##3 { T x, y, z; };                                                         \
  struct alignas(sizeof(T) < 8 ? 4 * sizeof(T) : 16) NAME##4 { T x, y, z, w; };          \
  static inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                      \
  static inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }              \
  static inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CUDA_CPU_VECTORS(CUDA_CPU_VECTOR)
#undef CUDA_CPU_VECTOR

// ---- arithmetic --------------------------------------------------------------------------------

// C++ declares these for both types, C only for double.
#define CUDA_CPU_ONE(NAME) \
  static inline float NAME(float x) { return NAME##f(x); }
#define CUDA_CPU_TWO(NAME) \
  static inline float NAME(float x, float y) { return NAME##f(x, y); }
CUDA_CPU_ONE(fabs) CUDA_CPU_ONE(sqrt) CUDA_CPU_ONE(cbrt)
CUDA_CPU_ONE(exp) CUDA_CPU_ONE(exp2) CUDA_CPU_ONE(expm1)
CUDA_CPU_ONE(log) CUDA_CPU_ONE(log2) CUDA_CPU_ONE(log10) CUDA_CPU_ONE(log1p)
CUDA_CPU_ONE(sin) CUDA_CPU_ONE(cos) CUDA_CPU_ONE(tan)
CUDA_CPU_ONE(asin) CUDA_CPU_ONE(acos) CUDA_CPU_ONE(atan)
CUDA_CPU_ONE(sinh) CUDA_CPU_ONE(cosh) CUDA_CPU_ONE(tanh)
CUDA_CPU_ONE(erf) CUDA_CPU_ONE(erfc)
CUDA_CPU_ONE(floor) CUDA_CPU_ONE(ceil) CUDA_CPU_ONE(trunc)
CUDA_CPU_ONE(round) CUDA_CPU_ONE(rint) CUDA_CPU_ONE(nearbyint)
CUDA_CPU_TWO(fmin) CUDA_CPU_TWO(fmax) CUDA_CPU_TWO(fdim)
CUDA_CPU_TWO(pow) CUDA_CPU_TWO(fmod) CUDA_CPU_TWO(remainder)
CUDA_CPU_TWO(atan2) CUDA_CPU_TWO(hypot) CUDA_CPU_TWO(copysign) CUDA_CPU_TWO(nextafter)
#undef CUDA_CPU_ONE
#undef CUDA_CPU_TWO
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }

extern "C" int abs(int) noexcept;
static inline long abs(long x) { return x < 0 ? -x : x; }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return fabsf(x); }
static inline double abs(double x) { return fabs(x); }

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
#define __expf(x) expf(x)  // the C library has functions of these names
#define __logf(x) logf(x)

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fadd_rd(float a, float b) {
  const double exact = double(a) + b;  // if the ratio of the numbers is below 2^29
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

static inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
static inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
static inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
static inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
static inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

namespace cpu {
// Convert as a GPU does: saturate at the limits; NaN becomes 0 (64 bits: the lowest number).
template <class T, class Real>
inline T converted(Real whole) {
  constexpr T low = T(1) << (8 * sizeof(T) - 1), high = ~low;
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

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }

// ---- memory ------------------------------------------------------------------------------------

template <class T>
inline T __ldg(const T* at) {
  return *at;
}

namespace cpu {
template <class T, class Change>
inline T atomically(T* at, Change change) {
  T old, next;
  __atomic_load(at, &old, __ATOMIC_RELAXED);
  do {
    next = change(old);
  } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
}  // namespace cpu

// The types that CUDA supports; other types do not compile for a GPU either.
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

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __threadfence(); }

// ---- barriers and warps; `line` is the source line of the call ---------------------------------

static inline void __syncthreads(int line = __builtin_LINE()) { cpu::wait_at_barrier(line); }

static inline void __syncwarp(unsigned mask = ~0u, int line = __builtin_LINE()) {
  cpu::exchange(mask, 0, line);
}

namespace cpu {
template <class T>
inline uint64_t bits_of(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) return __builtin_bit_cast(uint32_t, value);
  else return __builtin_bit_cast(uint64_t, value);
}

template <class T>
inline T value_of(uint64_t bits) {
  if constexpr (sizeof(T) == 4) return __builtin_bit_cast(T, uint32_t(bits));
  else return __builtin_bit_cast(T, bits);
}

// Return the value of lane `source` in this part of the warp; the own value if `source` is outside.
template <class T>
inline T shuffled(unsigned mask, T value, int source, int width, int line) {
  const int first = lane / width * width;
  const bool inside = source >= first && source < first + width;
  exchange(mask, bits_of(value), line);
  return value_of<T>(value_from(inside ? source : lane, line));
}
}  // namespace cpu

template <class T>
inline T __shfl_sync(
    unsigned mask, T value, int source, int width = warpSize, int line = __builtin_LINE()) {
  const int first = cpu::lane / width * width;
  return cpu::shuffled(mask, value, first + (source & (width - 1)), width, line);
}

template <class T>
inline T __shfl_up_sync(
    unsigned mask, T value, unsigned apart, int width = warpSize, int line = __builtin_LINE()) {
  return cpu::shuffled(mask, value, cpu::lane - int(apart), width, line);
}

template <class T>
inline T __shfl_down_sync(
    unsigned mask, T value, unsigned apart, int width = warpSize, int line = __builtin_LINE()) {
  return cpu::shuffled(mask, value, cpu::lane + int(apart), width, line);
}

template <class T>
inline T __shfl_xor_sync(
    unsigned mask, T value, int apart, int width = warpSize, int line = __builtin_LINE()) {
  return cpu::shuffled(mask, value, cpu::lane ^ apart, width, line);
}

static inline unsigned __ballot_sync(unsigned mask, int vote, int line = __builtin_LINE()) {
  const unsigned present = cpu::exchange(mask, vote != 0, line);
  unsigned votes = 0;
  for (int lane = 0; lane < warpSize; lane++) {
    if (present >> lane & 1) votes |= unsigned(cpu::value_from(lane, line)) << lane;
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
