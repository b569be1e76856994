// Joseph's exact adjoint on the GPU, voxel by voxel. This text follows joseph_view.cu; the formula is at the top of
// joseph.py. Each voxel sums the rays around it in a fixed order, without atomics. Detector columns run along z, and
// no ray is steeper than 45 degrees.

constexpr int VOXELS = {{ voxels }}, TAPS = {{ taps }}, LANES = 32;
constexpr float MARGIN = 1e-3f;  // pixels: taps at the ends of the range have weight 0, so they can be read or not

// Values for `gather`, [view, column, row] with TAPS rows of zeros at both ends: multiplied by the length of the ray
// between two layers and by 1 / q_k^2.
extern "C" __global__ void __launch_bounds__({{ threads }}, 1) weigh(
    const float* __restrict__ values, float voxel_x, float voxel_y, float voxel_z, int n_columns, int n_rows,
    float* __restrict__ out) {
  const int column = blockIdx.x * COLUMNS + threadIdx.x, row = (int)(blockIdx.y * ROWS + threadIdx.y) - TAPS;
  if (column >= n_columns || row >= n_rows + TAPS) return;
  const View& view = views[blockIdx.z];
  float weighed = 0;
  if (row >= 0 && row < n_rows) {
    const float c = column - 0.5f * (n_columns - 1), r = row - 0.5f * (n_rows - 1);
    const float x = along(view, 0, c, r), y = along(view, 1, c, r), z = along(view, 2, c, r);
    const float per_q = 1 / fabsf(pick(main_axis(x, y, z), x, y, z));
    const float x_mm = x * voxel_x, y_mm = y * voxel_y, z_mm = z * voxel_z;
    weighed = values[((size_t)blockIdx.z * n_rows + row) * n_columns + column] *
              (sqrtf(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm) * per_q * per_q * per_q);
  }
  out[((size_t)blockIdx.z * n_columns + column) * (n_rows + 2 * TAPS) + row + TAPS] = weighed;
}

// Add the rays of a view with one main axis, x or y, to the voxels (t, side, z); t is along that axis.
//
// In its layer a ray passes a voxel at the distances `aside` and `above`, and adds (1 - |aside|) (1 - |above|) times
// its value. Multiplied by q_k, both distances are linear in column and row. The detector columns run along z, so all
// rays of a column have the same `aside`, and `above` changes in even steps. `height` is the height of a voxel in rows.
template <bool ALONG_X>
__device__ __forceinline__ void gathered(
    const View& view, const float* __restrict__ values, float t, float side, float z, int n_columns, int n_rows,
    float* totals) {
  constexpr int K = ALONG_X ? 0 : 1, H = 1 - K;
  constexpr float SIGN = ALONG_X ? -1 : 1;
  const float middle = 0.5f * (n_columns - 1), middle_row = 0.5f * (n_rows - 1), whole_row = below(middle_row);
  const float aside = t * view.along[H] + SIGN * view.moment[2] - side * view.along[K];
  const float per_column = t * view.along_column[H] + SIGN * view.moment_column[2] - side * view.along_column[K];
  const float per_row = t * view.along_row[2] - SIGN * view.moment_row[H], rows = __fdividef(1.0f, per_row);
  const float high = t * view.along[2] - SIGN * view.moment[H];
  const float high_column = t * view.along_column[2] - SIGN * view.moment_column[H];
  // q_k differs a little between the columns that pass a voxel: bound it from above.
  const float columns = __fdividef(1.0f, per_column), at = -aside * columns;
  const float less = 1 - fabsf(view.along_column[K] * columns);
  const float reach = less > 0 ? __fdividef(fabsf(along(view, K, at, 0) * columns), less) : 1e9f;
  const float first = -below(-fminf(fmaxf(at - reach + (middle - MARGIN), 0.0f), (float)n_columns));
  const float last = fminf(at + reach + (middle + MARGIN), n_columns - 1.0f);
  const int pitch = n_rows + 2 * TAPS;
  values += integer(first) * pitch + TAPS;
  for (float column = first; column <= last; column += 1, values += pitch) {
    const float c = column - middle, q_x = along(view, 0, c, 0), q_y = along(view, 1, c, 0);
    const float q = ALONG_X ? q_x : q_y, near = fabsf(q) - fabsf(aside + c * per_column);
    if (near <= 0 || (EVEN * fabsf(q_x) >= fabsf(q_y)) != ALONG_X) continue;
    const float step = q * rows, height = fabsf(step), per_height = __fdividef(fabsf(per_row), fabsf(q));
    const float weight = near * fabsf(q);
    // Rows relative to an integer near the middle: their numbers stay small, and integers stay exact.
    const float from = (z * q - (high + c * high_column)) * rows + (middle_row - whole_row);
    const float reached = height + (MARGIN - whole_row);
#pragma unroll
    for (int k = 0; k < VOXELS; ++k) {
      const float at_row = from + k * (LANES * step);
      // Minus the first row that passes. Rounded down it is within reach; outside the detector there are zeros.
      const float less_low = rounded_down(fminf(fmaxf(reached - at_row, -(float)n_rows), (float)TAPS));
      const float distance = ((SHIFT - whole_row - less_low) - at_row) * per_height;  // in voxel heights
      const float* low = values + (int)(SHIFT_BITS - bits(less_low));
      float total = __saturatef(1 - fabsf(distance)) * __ldg(low);
#pragma unroll
      for (int tap = 1; tap < TAPS; ++tap)
        total += __saturatef(1 - fabsf(distance + tap * per_height)) * __ldg(low + tap);
      totals[k] += weight * total;
    }
  }
}

// Sum all views for some voxels. The lanes of a warp are along z, and the further voxels of a thread follow at a
// distance of LANES.
extern "C" __global__ void __launch_bounds__({{ threads }}, 1) gather(
    const float* __restrict__ weighed, int nx, int ny, int nz, float first_x, float first_y, float first_z,
    int n_columns, int n_rows, int n_views, int adds, float* __restrict__ out) {
  const int x = blockIdx.x * ({{ threads }} / LANES) + threadIdx.y, y = blockIdx.y;
  const int first = blockIdx.z * (LANES * VOXELS) + threadIdx.x;
  if (x >= nx) return;
  const float at_x = first_x + x, at_y = first_y + y, at_z = first_z + first;
  float totals[VOXELS] = {};
  for (int i = 0; i < n_views; ++i, weighed += (size_t)n_columns * (n_rows + 2 * TAPS)) {
    const View& view = views[i];
    const float q_x = fabsf(at_x * view.spread + view.origin[0]), q_y = fabsf(at_y * view.spread + view.origin[1]);
    // Rays that pass next to a voxel can have another main axis than the ray through its centre.
    const float most = fmaxf(q_x, q_y) * (1 - 4e-5f) - view.spread;
    if (q_x >= most) gathered<true>(view, weighed, at_x, at_y, at_z, n_columns, n_rows, totals);
    if (q_y >= most) gathered<false>(view, weighed, at_y, at_x, at_z, n_columns, n_rows, totals);
  }
#pragma unroll
  for (int k = 0; k < VOXELS; ++k) {
    const int z = first + k * LANES;
    if (z >= nz) break;
    const size_t at = ((size_t)z * ny + y) * nx + x;
    out[at] = adds ? out[at] + totals[k] : totals[k];
  }
}
