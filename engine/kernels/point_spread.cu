// Blur by the point spread of a scanner: each voxel is the product of a matrix row and the image.
//
// The matrices are defined in engine/operators/point_spread.py. The twin is SciPy's product of a CSR matrix and an
// image, and the order of sums is the same. The k-th elements of neighbouring rows are contiguous, so that a warp
// reads them in one access. Compiled without fused multiply-adds.

typedef {{ real }} real;

// Planes of a thread of `across`: it reads the elements of a row once for all of them.
constexpr int PLANES = {{ planes }};

// A matrix between the pixels of each plane. A thread computes one pixel; counts : number of elements of each row.
extern "C" __global__ void __launch_bounds__({{ block }}) across(
    const real* __restrict__ image, const int* __restrict__ counts, const int* __restrict__ columns,
    const float* __restrict__ weights, int n_pixels, int n_planes, real* __restrict__ out) {
  const int pixel = blockIdx.x * {{ block }} + threadIdx.x, first = blockIdx.y * PLANES;
  if (pixel >= n_pixels) return;
  const int n = counts[pixel];
  real totals[PLANES] = {};
  for (int k = 0; k < n; ++k) {
    const size_t at = (size_t)k * n_pixels + pixel;
    const int column = columns[at];
    const real weight = weights[at];
#pragma unroll
    for (int i = 0; i < PLANES; ++i)
      if (first + i < n_planes) totals[i] += weight * image[(size_t)(first + i) * n_pixels + column];
  }
#pragma unroll
  for (int i = 0; i < PLANES; ++i)
    if (first + i < n_planes) out[(size_t)(first + i) * n_pixels + pixel] = totals[i];
}

// A matrix between the planes, the same for every pixel. A thread computes one pixel of one plane.
extern "C" __global__ void __launch_bounds__({{ block }}) along(
    const real* __restrict__ image, const int* __restrict__ counts, const int* __restrict__ columns,
    const float* __restrict__ weights, int n_pixels, int n_planes, real* __restrict__ out) {
  const int pixel = blockIdx.x * {{ block }} + threadIdx.x, plane = blockIdx.y;
  if (pixel >= n_pixels) return;
  real total = 0;
  for (int k = 0; k < counts[plane]; ++k) {
    const int at = k * n_planes + plane;
    total += (real)weights[at] * image[(size_t)columns[at] * n_pixels + pixel];
  }
  out[(size_t)plane * n_pixels + pixel] = total;
}
