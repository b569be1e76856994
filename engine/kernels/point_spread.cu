// A blur by the point spread of a scanner: each voxel is the sum of a matrix's row times the image.
//
// The matrices are at the head of engine/operators/point_spread.py; the twin is SciPy's product of one in
// rows with an image, whose order of sums this keeps. The k-th element of every row lies beside those of
// its neighbours, so that a warp reads elements together. Compiled without fused multiply-adds.

typedef {{ real }} real;

// Planes that a thread of `across` takes: it reads the elements of a row once for all of them.
constexpr int PLANES = {{ planes }};

// A matrix of the pixels of each plane. A thread takes a pixel; counts : elements of its row
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

// A matrix of the planes, the same at every pixel. A thread takes a pixel of a plane.
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
