// Three slices through the middle of a cube, across z, y and x, and their exact transpose.
// An element (slice, p, q) has the weight 1 / tau^2 in each view.
__device__ Seen on_detector(const float* matrices, const int* sizes, int view, int slice, int p, int q) {
  const float middle = 0.5f * (sizes[N_X] - 1);
  if (slice == 0) return seen(matrices, sizes, view, q, p, middle);
  if (slice == 1) return seen(matrices, sizes, view, q, middle, p);
  return seen(matrices, sizes, view, middle, q, p);
}

extern "C" __global__ void slices(
    const float* __restrict__ values, const float* __restrict__ matrices, const int* __restrict__ sizes,
    float* __restrict__ out) {
  const int q = blockIdx.x * BLOCK_X + threadIdx.x, p = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int slice = blockIdx.z * BLOCK_Z + threadIdx.z, n = sizes[N_X];
  if (q >= n || p >= n || slice >= 3) return;
  float sum = 0.0f;
  for (int view = 0; view < sizes[N_VIEWS]; ++view) {
    const Seen at = on_detector(matrices, sizes, view, slice, p, q);
    sum += value_at(values, sizes, view, at) / (at.depth * at.depth);
  }
  out[(slice * n + p) * n + q] = sum;
}

extern "C" __global__ void project(
    const float* __restrict__ values, const float* __restrict__ matrices, const int* __restrict__ sizes,
    float* __restrict__ out) {
  const int q = blockIdx.x * BLOCK_X + threadIdx.x, p = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int slice = blockIdx.z * BLOCK_Z + threadIdx.z, n = sizes[N_X];
  if (q >= n || p >= n || slice >= 3) return;
  const float value = values[(slice * n + p) * n + q];
  for (int view = 0; view < sizes[N_VIEWS]; ++view) {
    const Seen at = on_detector(matrices, sizes, view, slice, p, q);
    add_at(out, sizes, view, at, value / (at.depth * at.depth));
  }
}
