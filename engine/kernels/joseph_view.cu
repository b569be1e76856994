// Lines of sight as Joseph's kernels keep them, and what they all must agree on.
//
// A ray is a line (q, m): its direction q and its moment m = p x q, p any point of it. Of cone and of
// parallel beams both are linear in column and row, so that 18 numbers hold a view. At coordinate t of
// the main axis k, with (k, u, v) in cyclic order, the ray is at
//
//   p_u = (t q_u - m_v) / q_k        p_v = (t q_v + m_u) / q_k
//
// Points are in voxels from the middle of the whole volume and pixels from the middle of the detector:
// all numbers are then as small as the volume, however far the source is, and float32 suffices.

constexpr int COLUMNS = {{ columns }}, ROWS = {{ rows }}, VIEWS = {{ views }};
constexpr float EVEN = 1 + 1e-5f;  // axes closer than this are even, and the first of them is the main one
constexpr float SHIFT = 12582912.0f;  // 1.5 * 2^23: floats of this size have no bits for a fraction
constexpr unsigned SHIFT_BITS = 0x4B400000;

// Direction and moment in the middle of the detector, and what each gains per column and per row.
// Past a point p goes the ray along spread * p + origin.
struct View {
  float along[3], along_column[3], along_row[3], moment[3], moment_column[3], moment_row[3], origin[3], spread;
};
__constant__ View views[VIEWS];

template <class T>
__device__ __forceinline__ T pick(int i, T x, T y, T z) {
  return i == 0 ? x : i == 1 ? y : z;
}

// The same roundings wherever a ray is looked at: all kernels then agree on its main axis.
__device__ __forceinline__ float along(const View& view, int i, float column, float row) {
  return fmaf(column, view.along_column[i], fmaf(row, view.along_row[i], view.along[i]));
}

__device__ __forceinline__ int main_axis(float q_x, float q_y, float q_z) {
  const float x = fabsf(q_x), y = fabsf(q_y), z = fabsf(q_z);
  return EVEN * x >= y && EVEN * x >= z ? 0 : EVEN * y >= z ? 1 : 2;
}

// The whole number below x, SHIFT too large: the conversions of a card are slow, its additions are not.
__device__ __forceinline__ float rounded_down(float x) { return __fadd_rd(x, SHIFT); }

__device__ __forceinline__ unsigned bits(float x) { return __float_as_int(x); }

__device__ __forceinline__ float below(float x) { return rounded_down(x) - SHIFT; }

// The same number, which is small, as an integer.
__device__ __forceinline__ int integer(float whole) { return __float_as_int(whole + SHIFT) - __float_as_int(SHIFT); }
