// Helpers of user kernels. Their text follows this one; see docs/physics/own-kernels.md.

// sizes[]: sizes of a scan and its volume
enum Size { N_VIEWS, N_ROWS, N_COLUMNS, N_Z, N_Y, N_X };

// A point on the detector. column, row: whole numbers at pixel centres. depth: 1 at the detector
struct Seen {
  float column, row, depth;
};

// Projection of the point x, y, z in a view; the point is in voxels from the centre of the first
// voxel.
__device__ __forceinline__ Seen seen(
    const float* __restrict__ matrices, const int* __restrict__ sizes, int view, float x, float y, float z) {
  const float* m = matrices + 12 * view;
  // Relative to the centres, so that float32 keeps the fractions of large coordinates.
  x -= 0.5f * (float)(sizes[N_X] - 1), y -= 0.5f * (float)(sizes[N_Y] - 1), z -= 0.5f * (float)(sizes[N_Z] - 1);
  const float depth = m[8] * x + m[9] * y + m[10] * z + m[11], per_depth = 1.0f / depth;
  return {
      (m[0] * x + m[1] * y + m[2] * z + m[3]) * per_depth + 0.5f * (float)(sizes[N_COLUMNS] - 1),
      (m[4] * x + m[5] * y + m[6] * z + m[7]) * per_depth + 0.5f * (float)(sizes[N_ROWS] - 1), depth};
}

// Lower corner of the four pixels around a point, and the position of the point between them.
struct Corner {
  int column, row;
  float right, up;
};

__device__ __forceinline__ bool is_seen(const int* __restrict__ sizes, const Seen& at) {
  return at.depth > 0.0f && at.column > -1.0f && at.column < (float)sizes[N_COLUMNS] && at.row > -1.0f &&
         at.row < (float)sizes[N_ROWS];
}

__device__ __forceinline__ Corner corner_of(const Seen& at) {
  const float column = floorf(at.column), row = floorf(at.row);
  return {(int)column, (int)row, at.column - column, at.row - row};
}

// Value of a view: bilinear between pixel centres, zero outside.
__device__ __forceinline__ float value_at(
    const float* __restrict__ projections, const int* __restrict__ sizes, int view, const Seen& at) {
  if (!is_seen(sizes, at)) return 0.0f;
  const int n_rows = sizes[N_ROWS], n_columns = sizes[N_COLUMNS];
  const Corner corner = corner_of(at);
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i) {
    const int row = corner.row + i / 2, column = corner.column + i % 2;
    if (row < 0 || row >= n_rows || column < 0 || column >= n_columns) continue;
    const float weight = (i / 2 ? corner.up : 1.0f - corner.up) * (i % 2 ? corner.right : 1.0f - corner.right);
    sum += weight * projections[((long long)view * n_rows + row) * n_columns + column];
  }
  return sum;
}

// The transpose of `value_at`. Threads can add to the same pixels at the same time.
__device__ __forceinline__ void add_at(
    float* __restrict__ projections, const int* __restrict__ sizes, int view, const Seen& at, float value) {
  if (!is_seen(sizes, at)) return;
  const int n_rows = sizes[N_ROWS], n_columns = sizes[N_COLUMNS];
  const Corner corner = corner_of(at);
  for (int i = 0; i < 4; ++i) {
    const int row = corner.row + i / 2, column = corner.column + i % 2;
    if (row < 0 || row >= n_rows || column < 0 || column >= n_columns) continue;
    const float weight = (i / 2 ? corner.up : 1.0f - corner.up) * (i % 2 ? corner.right : 1.0f - corner.right);
    atomicAdd(projections + ((long long)view * n_rows + row) * n_columns + column, weight * value);
  }
}
