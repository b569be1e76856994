// Rays of Joseph's kernels, and the rounding that all kernels must share.
//
// A ray is a line (q, m) with the direction q and the moment m = p x q, where p is any point on it. For cone and
// parallel beams both are linear in column and row, so 18 numbers describe a view. At coordinate t of the main axis
// k, with (k, u, v) in cyclic order, the ray is at
//
//   p_u = (t q_u - m_v) / q_k        p_v = (t q_v + m_u) / q_k
//
// Points are in voxels from the centre of the whole volume, columns and rows in pixels from the centre of the
// detector. All numbers are then of the size of the volume for any distance of the source, so float32 suffices.

constexpr int COLUMNS = {{ columns }}, ROWS = {{ rows }}, VIEWS = {{ views }};
constexpr float EVEN = 1 + 1e-5f;  // components within this ratio count as equal; the first is the main axis
constexpr float SHIFT = 12582912.0f;  // 1.5 * 2^23: floats of this size have no fraction bits
constexpr unsigned SHIFT_BITS = 0x4B400000;

// Direction and moment at the centre of the detector, and their changes per column and per row. The ray through a point
// p has the direction spread * p + origin.
struct View {
  float along[3], along_column[3], along_row[3], moment[3], moment_column[3], moment_row[3], origin[3], spread;
};
__constant__ View views[VIEWS];

template <class T>
__device__ __forceinline__ T pick(int i, T x, T y, T z) {
  return i == 0 ? x : i == 1 ? y : z;
}

// The same rounding in all kernels, so that they agree on the main axis of a ray.
__device__ __forceinline__ float along(const View& view, int i, float column, float row) {
  return fmaf(column, view.along_column[i], fmaf(row, view.along_row[i], view.along[i]));
}

__device__ __forceinline__ int main_axis(float q_x, float q_y, float q_z) {
  const float x = fabsf(q_x), y = fabsf(q_y), z = fabsf(q_z);
  return EVEN * x >= y && EVEN * x >= z ? 0 : EVEN * y >= z ? 1 : 2;
}

// The largest integer <= x, plus SHIFT: on a GPU conversions are slow and additions are fast.
__device__ __forceinline__ float rounded_down(float x) { return __fadd_rd(x, SHIFT); }

__device__ __forceinline__ unsigned bits(float x) { return __float_as_int(x); }

__device__ __forceinline__ float below(float x) { return rounded_down(x) - SHIFT; }

// A small integer-valued float as an integer.
__device__ __forceinline__ int integer(float whole) { return __float_as_int(whole + SHIFT) - __float_as_int(SHIFT); }
