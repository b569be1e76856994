// Functions for PTX code on the CPU, in addition to cuda_cpu.h: arithmetic of the PTX ISA, and
// memory that reports errors.
//
// Unlike on a GPU, these are errors: misaligned accesses, accesses outside the arrays of the
// launch, shared memory that no thread of this block wrote, races in shared memory, and integer
// division by zero. bar.sync orders the threads of a block, bar.warp.sync those of a warp. A
// shuffle orders no threads.
#pragma once

#include <stdio.h>
#include <string.h>

namespace ptx {

template <class T, class S>
inline T as(S bits) {
  T value{};
  __builtin_memcpy(&value, &bits, sizeof(T) < sizeof(S) ? sizeof(T) : sizeof(S));
  return value;
}

template <class T>
inline T got(const void* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
inline void put(void* to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// ---- arithmetic --------------------------------------------------------------------------------

template <class T>
inline T wrapped(uint64_t bits) {
  return as<T>(bits);
}

// With .ftz, subnormal numbers of single precision are 0.
static inline float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x; }
static inline double flushed(double x) { return x; }

// Limit to 0 ... 1; NaN becomes 0.
static inline float saturated(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

static inline float down(float a, float b) { return __fadd_rd(a, b); }
// a b + c, rounded down: a double holds a b exactly, and the rounding error of the sum is known.
static inline float fused_down(float a, float b, float c) {
  const double product = double(a) * b, sum = product + c, part = sum - product;
  const double left = (product - (sum - part)) + (c - part);
  const float near = float(sum);
  return near > sum || (near == sum && left < 0) ? nextafterf(near, -INFINITY) : near;
}

static inline int thread_number() {
  return int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

template <class T>
inline T divisor(T a, T b, int line) {
  if (b == 0) cpu::fail("thread %d, line %d divides by 0", thread_number(), line);
  return T(-1) < 0 && b == T(-1) && a == T(T(1) << (8 * sizeof(T) - 1)) ? T(1) : b;
}
template <class T>
inline T quotient(T a, T b, int line) { return a / divisor(a, b, line); }
template <class T>
inline T remainder(T a, T b, int line) { return a % divisor(a, b, line); }

// Within 2 ulp on a GPU; 0 above 2^126, where the reciprocal underflows.
static inline float div_approx(float a, float b) {
  const float size = fabsf(b);
  if (size > 0x1p126f && size < INFINITY) return isinf(a) ? NAN : copysignf(0.0f, a * copysignf(1, b));
  return a / b;
}

// Upper 32 bits of 1/x from the upper 32 bits of x; subnormal numbers are 0.
static inline double rcp_approx(double x) {
  const uint64_t upper = 0xffffffff00000000ull;
  const double cut = as<double>(as<uint64_t>(x) & upper);
  const double from = fabs(cut) < 0x1p-1022 ? copysign(0.0, cut) : cut;
  const double exact = as<double>(as<uint64_t>(1.0 / from) & upper);
  return fabs(exact) < 0x1p-1022 ? copysign(0.0, exact) : exact;
}

// -0 is smaller than 0. If one argument is NaN, the result is the other one.
template <class T>
inline T minimum(T a, T b) {
  if constexpr (T(0.5) != T(0)) {
    if (a != a) return b;
    if (a == 0 && b == 0) return signbit(a) ? a : b;
  }
  return b < a ? b : a;
}
template <class T>
inline T maximum(T a, T b) {
  if constexpr (T(0.5) != T(0)) {
    if (a != a) return b;
    if (a == 0 && b == 0) return signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <class T>
inline T left(T value, uint32_t by) {
  return by >= 8 * sizeof(T) ? T(0) : T(uint64_t(value) << by);
}
template <class T>
inline T right(T value, uint32_t by) {
  const uint32_t last = 8 * sizeof(T) - 1;
  if (by > last) return T(-1) < T(0) ? T(value >> last) : T(0);
  return T(value >> by);
}

template <class T>
inline T field(uint32_t length) {
  return length >= 8 * sizeof(T) ? T(~T(0)) : T((T(1) << length) - 1);
}
template <class T>
inline T bfi(T what, T into, uint32_t at, uint32_t length) {
  const T mask = left(field<T>(length & 255), at & 255);
  return T((into & ~mask) | (left(what, at & 255) & mask));
}
template <class T>
inline T bfe(T value, uint32_t at, uint32_t length) {
  at &= 255;
  length &= 255;
  const uint32_t width = 8 * sizeof(T);
  if (length == 0) return 0;
  const T cut = T(right(value, at) & T(field<uint64_t>(length)));
  const uint32_t last = at + length - 1 < width ? at + length - 1 : width - 1;
  const bool negative = T(-1) < T(0) && (uint64_t(value) >> last & 1);
  return negative && length < width ? T(cut | T(~field<uint64_t>(last - at + 1))) : cut;
}

// Four of the eight bytes of a and b; each of the lowest four digits of the selector chooses one.
static inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t both = uint64_t(b) << 32 | a;
  uint32_t out = 0;
  for (int i = 0; i < 4; i++) {
    const uint32_t choice = selector >> 4 * i & 15;
    uint32_t byte = both >> 8 * (choice & 7) & 255;
    if (choice & 8) byte = byte & 128 ? 255 : 0;
    out |= byte << 8 * i;
  }
  return out;
}

static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t sum) {
  return sum + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}

template <int bits>
inline uint32_t clz(uint64_t value) {
  return value ? __builtin_clzll(value) - (64 - bits) : bits;
}

// Saturate at the limits; NaN becomes 0 from single precision to 32 bits, else the highest bit.
template <class T, class Real>
inline T integer(Real whole) {
  constexpr int bits = 8 * sizeof(T);
  constexpr bool is_signed = T(-1) < T(0);
  constexpr T top = T(uint64_t(1) << (bits - 1));
  if (whole != whole) return sizeof(Real) == 4 && bits < 64 ? T(0) : top;
  const Real beyond = is_signed ? ldexp(Real(1), bits - 1) : ldexp(Real(1), bits);
  if (whole >= beyond) return is_signed ? T(~top) : T(~T(0));
  if (whole <= (is_signed ? -beyond : Real(0))) return is_signed ? top : T(0);
  return T(whole);
}

// Floats in global memory: subnormal numbers are 0 before and after (PTX ISA, atom).
#define CUDA_CPU_PTX_ATOMIC(NAME, NEW)                                                   \
  template <class T>                                                                     \
  inline T atomic_##NAME(void* at, T value) {                                            \
    return cpu::atomically(static_cast<T*>(at), [=](T old) { return static_cast<T>(NEW); }); \
  }
CUDA_CPU_PTX_ATOMIC(min, old < value ? old : value)
CUDA_CPU_PTX_ATOMIC(max, old > value ? old : value)
CUDA_CPU_PTX_ATOMIC(exch, value)
CUDA_CPU_PTX_ATOMIC(and, old & value)
CUDA_CPU_PTX_ATOMIC(or, old | value)
CUDA_CPU_PTX_ATOMIC(xor, old ^ value)
#undef CUDA_CPU_PTX_ATOMIC
template <class T>
inline T atomic_add(void* at, T value) {
  return cpu::atomically(static_cast<T*>(at), [=](T old) {
    if constexpr (T(0.5) != T(0)) return flushed(flushed(old) + flushed(value));
    else return wrapped<T>(uint64_t(old) + uint64_t(value));
  });
}

// ---- warps -------------------------------------------------------------------------------------

struct Shuffled {
  uint32_t value;
  bool inside;
};

static inline Shuffled shuffled(uint32_t value, int source, bool inside, uint32_t mask, int line) {
  cpu::exchange(mask, value, line);
  return {uint32_t(cpu::value_from(inside ? source : cpu::lane, line)), inside};
}

// PTX ISA, shfl.sync: c contains the last lane and the mask of the segments of a warp.
#define CUDA_CPU_SHUFFLE(NAME, SOURCE, INSIDE)                                       \
  static inline Shuffled shuffled_##NAME(                                            \
      uint32_t value, uint32_t by, uint32_t c, uint32_t mask, int line) {            \
    const int lane = cpu::lane, segment = c >> 8 & 31, first = lane & segment;       \
    const int last = first | (int(c & 31) & ~segment), source = (SOURCE);            \
    return shuffled(value, source, (INSIDE), mask, line);                            \
  }
CUDA_CPU_SHUFFLE(up, lane - int(by & 31), source >= last)
CUDA_CPU_SHUFFLE(down, lane + int(by & 31), source <= last)
CUDA_CPU_SHUFFLE(bfly, lane ^ int(by & 31), source <= last)
CUDA_CPU_SHUFFLE(idx, first | (int(by & 31) & ~segment), source <= last)
#undef CUDA_CPU_SHUFFLE

}  // namespace ptx

#include "ptx/memory.h"

#define CUDA_CPU_PTX_KERNEL(NAME)                                                           \
  CUDA_CPU_EXPORT const char* launch_##NAME(                                                \
      const unsigned* size, void** arguments, const cpu::Textures* textures, int reverse) { \
    return cpu::launch(NAME, size, arguments, textures, reverse);                           \
  }
