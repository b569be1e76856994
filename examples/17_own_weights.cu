// Back projection with the weight of the adjoint at each voxel, V / area / (tau^2 cos(phi)).
// slants: for each view V / area, (u / D)^2 and (v / D)^2; phi is the angle to the detector's normal.
extern "C" __global__ void weighted(
    const float* __restrict__ values, const float* __restrict__ matrices, const float* __restrict__ slants,
    const int* __restrict__ sizes, float* __restrict__ out) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int first = (blockIdx.z * BLOCK_Z + threadIdx.z) * PER_THREAD;
  if (i >= sizes[N_X] || j >= sizes[N_Y]) return;
  for (int k = first; k < min(first + PER_THREAD, sizes[N_Z]); ++k) {
    float sum = 0.0f;
    for (int view = 0; view < sizes[N_VIEWS]; ++view) {
      const Seen at = seen(matrices, sizes, view, i, j, k);
      const float* slant = slants + 3 * view;
      const float a = at.column - 0.5f * (sizes[N_COLUMNS] - 1), b = at.row - 0.5f * (sizes[N_ROWS] - 1);
      const float per_cos = sqrtf(1.0f + slant[1] * a * a + slant[2] * b * b);
      sum += slant[0] * per_cos / (at.depth * at.depth) * value_at(values, sizes, view, at);
    }
    out[(k * sizes[N_Y] + j) * sizes[N_X] + i] = sum;
  }
}
