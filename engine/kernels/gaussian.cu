// Gaussian smoothing along one axis of a volume; the formula is at the top of the twin, gaussian.py.
//
// A thread computes one voxel. Weights, products and sums are double, in the order of the twin. The source is
// compiled without fused multiply-adds, so that the bits are those of the CPU.

typedef {{ real }} real;

// The voxel 0 ... n - 1 at position i of a line that continues as its mirror images.
__device__ __forceinline__ int mirrored(int i, int n) {
  i %= 2 * n;
  if (i < 0) i += 2 * n;
  return i < n ? i : 2 * n - 1 - i;
}

// n : voxels along the axis; stride : distance between them, in values; n_all : voxels of the volume; weights : for
// distances of 0 ... reach voxels
extern "C" __global__ void __launch_bounds__({{ block }}) smooth(
    const real* __restrict__ image, const double* __restrict__ weights, int reach, int n, long long stride,
    long long n_all, real* __restrict__ out) {
  const long long i = (long long)blockIdx.x * {{ block }} + threadIdx.x;
  if (i >= n_all) return;
  const int place = (int)(i / stride % n);
  const real* const line = image + (i - place * stride);
  double total = weights[0] * (double)line[place * stride];
  for (int k = 1; k <= reach; ++k) {
    const double before = (double)line[mirrored(place - k, n) * stride];
    const double behind = (double)line[mirrored(place + k, n) * stride];
    total += weights[k] * (before + behind);
  }
  out[i] = (real)total;
}
