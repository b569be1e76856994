// Sums of a potential over the 26 neighbours of each voxel; the formulas are at the top of the twin, pairs.py.
//
// A thread computes one voxel. It processes the neighbours in the order of the twin, ORDER. The source is compiled
// without fused multiply-adds, so that the bits are those of the CPU.

typedef {{ real }} real;
constexpr int N_HALF = 13, VALUE = 0, GRADIENT = 1, HESSIAN = 2, RELATIVE = 1, HUBER = 2;

struct Numbers {
  real first, eps, half, one;
};

__device__ __forceinline__ real relative(int term, real a, real b, real v, real u, real w, const Numbers& c) {
  const real zero = c.eps - c.eps, d = a - b, size = d < 0 ? -d : d;
  const real D = a + b + c.first * size + c.eps, r = D > zero ? c.one / D : zero;
  if (term == VALUE) return w * (d * (d * r));
  if (term == GRADIENT) return w * (d * r) * ((D + c.eps + b + b) * r);
  // p and q are at most 2: products of three reciprocals would overflow.
  const real p = (b + b + c.eps) * r, q = (a + a + c.eps) * r, t = w * ((r + r) * p);
  return term == HESSIAN ? t * (p * v - q * u) : t * (p + q);
}

__device__ __forceinline__ real huber(int term, real a, real b, real v, real u, real w, const Numbers& c) {
  const real delta = c.first, d = a - b, size = d < 0 ? -d : d;
  const bool is_small = size <= delta;
  if (term == VALUE) return w * (is_small ? c.half * d * d : delta * (size - c.half * delta));
  if (term == GRADIENT) return w * (is_small ? d : (d > 0 ? delta : -delta));
  if (term == HESSIAN) return w * (is_small ? v - u : size - size);
  const real t = is_small ? c.one : delta / size;
  return w * (t + t);
}

__device__ __forceinline__ real quadratic(int term, real a, real b, real v, real u, real w, const Numbers& c) {
  const real d = a - b;
  if (term == VALUE) return w * (c.half * d * d);
  if (term == GRADIENT) return w * d;
  return term == HESSIAN ? w * (v - u) : w * (c.one + c.one);
}

// shares : twice the share of each pair, for the 13 neighbours after a voxel; has_shares 0: all pairs count fully.
extern "C" __global__ void __launch_bounds__({{ block }}) pairs(
    int term, int kind, const real* __restrict__ x, const real* __restrict__ vector, const real* __restrict__ kappa,
    const real* __restrict__ weights, const unsigned char* __restrict__ shares, int has_shares,
    const int* __restrict__ steps, const int* __restrict__ order, const real* __restrict__ numbers, int nx, int ny,
    int nz, long long n,
    real* __restrict__ out) {
  const long long i = (long long)blockIdx.x * {{ block }} + threadIdx.x;
  if (i >= n) return;
  const int at_x = (int)(i % nx), at_y = (int)(i / nx % ny), at_z = (int)(i / nx / ny);
  const Numbers c = {numbers[0], numbers[1], numbers[2], numbers[3]};
  real total = 0;
  for (int turn = 0; turn < 2 * N_HALF; ++turn) {
    const int k = order[turn];
    const int z = at_z + steps[3 * k], y = at_y + steps[3 * k + 1], there_x = at_x + steps[3 * k + 2];
    if (z < 0 || z >= nz || y < 0 || y >= ny || there_x < 0 || there_x >= nx) continue;
    const long long j = ((long long)z * ny + y) * nx + there_x;
    real w = weights[k] * (kappa[i] * kappa[j]);
    if (has_shares) {
      // A pair is stored once, with the voxel that comes first in memory.
      const int doubled = k < N_HALF ? shares[k * n + i] : shares[(k - N_HALF) * n + j];
      w = doubled == 0 ? (real)0 : (doubled == 1 ? w * c.half : w);
    }
    const real a = x[i], b = x[j], v = vector[i], u = vector[j];
    if (kind == RELATIVE)
      total += relative(term, a, b, v, u, w, c);
    else if (kind == HUBER)
      total += huber(term, a, b, v, u, w, c);
    else
      total += quadratic(term, a, b, v, u, w, c);
  }
  out[i] = total;
}
