// The three GPU algorithms of Chou et al., PLoS ONE 7 (2012) e50540, as references for the correlation form
// (matrix.cu). The threads of a block share the non-zeros of a row:
//
//   1   a block for each line of response
//   2   a block for each shift of an orientation and its mirror images: a non-zero is read once for four lines
//   3   like 2, with the image in a texture, and partial sums and values of the lines in shared memory; lines without
//       counts are skipped
//
// 1 and 2 sum over the threads in global memory. Back projection adds to the image by atomics in all three, so its last
// bits differ from run to run.

constexpr int ALGORITHM = {{ algorithm }}, THREADS = {{ threads }}, WARP = 32;
constexpr int ROWS = {{ rows }}, COLUMNS = {{ columns }}, PLANES = {{ planes }}, EDGE = {{ edge }}, MARGIN = {{ margin }};
constexpr int LINES = ALGORITHM == 1 ? 1 : 4, HEIGHT = ROWS * EDGE, WIDTH = COLUMNS * EDGE, BEYOND = MARGIN * EDGE;

// Orientations with the same row, swap, |a| and |b|, and therefore the same shape. turns[m] is 0, or + 2 and + 4 for
// the mirrors of rows and of columns. starts[m] is the start of its values, or -1 if it does not exist.
struct __align__(16) Family {
  int row, swap, a, b, n_rows, n_columns, turns[4], starts[4], unused[2];
};

// Stored rows: starts of the rows, voxels of the box (p, j + BEYOND, k + BEYOND in 10, 11 and 11 bits), and values.
{% set stored = "const int* families, const long long* row_starts, const unsigned* voxels, const float* values" %}

struct Voxel {
  int p, j, k;
};

__device__ __forceinline__ Voxel unpacked(unsigned bits) {
  return {(int)(bits >> 22), (int)(bits >> 11 & 2047) - BEYOND, (int)(bits & 2047) - BEYOND};
}

// The mirror image of the stored voxel across the panels.
__device__ __forceinline__ Voxel mirrored(Voxel at, const Family& of) {
  const int a = of.swap ? of.b : of.a, b = of.swap ? of.a : of.b;
  return {PLANES - 1 - at.p, EDGE * (a + 1) - 1 - at.j, EDGE * (b + 1) - 1 - at.k};
}

// Position in the image, for the line of shift (r, c).
__device__ __forceinline__ Voxel in_image(Voxel at, const Family& of, int turn, int r, int c) {
  const int j = of.swap ? at.k : at.j, k = of.swap ? at.j : at.k;
  const int row = turn & 2 ? EDGE * (of.a + 1) - 1 - j : j, column = turn & 4 ? EDGE * (of.b + 1) - 1 - k : k;
  return {at.p, row + EDGE * r, column + EDGE * c};
}

__device__ __forceinline__ bool inside(Voxel at) {
  return at.j >= 0 && at.j < HEIGHT && at.k >= 0 && at.k < WIDTH;
}

__device__ __forceinline__ int index(Voxel at) { return (at.j * PLANES + at.p) * WIDTH + at.k; }

// Select a member of the family, so that no array is in local memory.
__device__ __forceinline__ int member(const int (&values)[4], int m) {
  return m == 0 ? values[0] : m == 1 ? values[1] : m == 2 ? values[2] : values[3];
}

{% if algorithm == "3" %}
typedef cudaTextureObject_t image_t;

__device__ __forceinline__ float read(image_t image, Voxel at) {
  return tex3D<float>(image, at.k + 0.5f, at.j + 0.5f, at.p + 0.5f);  // 0 outside
}
{% else %}
typedef const float* image_t;

__device__ __forceinline__ float read(image_t image, Voxel at) { return inside(at) ? image[index(at)] : 0; }
{% endif %}

// out: values of all lines, initially 0. counts: counts of the lines; algorithm 3 skips lines without counts.
extern "C" __global__ void __launch_bounds__({{ threads }}, 8) forward(
    {{ stored }}, const float* counts, image_t image, float* out) {
  const Family of = reinterpret_cast<const Family*>(families)[blockIdx.y];
  const int shift = blockIdx.x, i = threadIdx.x;
  if (shift >= of.n_rows * of.n_columns) return;
  const int r = shift / of.n_columns, c = shift % of.n_columns;
  const long long begin = row_starts[of.row], end = row_starts[of.row + 1];
{% if algorithm == "3" %}
  __shared__ float partial[THREADS * LINES], counted[LINES];
  if (i % WARP == 0 && i / WARP < LINES) {
    const int start = member(of.starts, i / WARP);
    counted[i / WARP] = start < 0 ? 0 : counts[start + shift];
  }
  __syncthreads();
#define LEFT_OUT(m) (counted[m] == 0)
{% else %}
#define LEFT_OUT(m) (of.starts[m] < 0)
{% endif %}

  float sums[LINES] = {};
  for (long long n = begin + i; n < end; n += THREADS) {
    const Voxel near = unpacked(voxels[n]), far = mirrored(near, of);
    const float value = values[n];
#pragma unroll
    for (int m = 0; m < LINES; ++m) {
      if (LEFT_OUT(m)) continue;
      sums[m] += value * read(image, in_image(near, of, of.turns[m], r, c));
      if (far.p != near.p) sums[m] += value * read(image, in_image(far, of, of.turns[m], r, c));
    }
  }
{% if algorithm == "3" %}
#pragma unroll
  for (int m = 0; m < LINES; ++m) partial[m * THREADS + i] = sums[m];
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (i < half) {
#pragma unroll
      for (int m = 0; m < LINES; ++m) partial[m * THREADS + i] += partial[m * THREADS + i + half];
    }
  }
  __syncthreads();
  if (i % WARP == 0 && i / WARP < LINES && !LEFT_OUT(i / WARP)) {
    out[member(of.starts, i / WARP) + shift] = partial[i / WARP * THREADS];
  }
{% else %}
#pragma unroll
  for (int m = 0; m < LINES; ++m) {
    if (!LEFT_OUT(m)) atomicAdd(out + of.starts[m] + shift, sums[m]);
  }
{% endif %}
}

// image: (HEIGHT, PLANES, WIDTH), which is added to. ratios: of all lines; algorithm 3 skips lines with ratio 0.
extern "C" __global__ void __launch_bounds__({{ threads }}, 8) back(
    {{ stored }}, const float* ratios, float* image) {
  const Family of = reinterpret_cast<const Family*>(families)[blockIdx.y];
  const int shift = blockIdx.x, i = threadIdx.x;
  if (shift >= of.n_rows * of.n_columns) return;
  const int r = shift / of.n_columns, c = shift % of.n_columns;
  const long long begin = row_starts[of.row], end = row_starts[of.row + 1];
{% if algorithm == "3" %}
  __shared__ float kept[LINES];
  if (i % WARP == 0 && i / WARP < LINES) {
    const int start = member(of.starts, i / WARP);
    kept[i / WARP] = start < 0 ? 0 : ratios[start + shift];
  }
  __syncthreads();
#define RATIO(m) kept[m]
#undef LEFT_OUT
#define LEFT_OUT(m) (kept[m] == 0)
{% else %}
#define RATIO(m) ratios[of.starts[m] + shift]
{% endif %}
  for (long long n = begin + i; n < end; n += THREADS) {
    const Voxel near = unpacked(voxels[n]), far = mirrored(near, of);
    const float value = values[n];
#pragma unroll
    for (int m = 0; m < LINES; ++m) {
      if (LEFT_OUT(m)) continue;
      const Voxel one = in_image(near, of, of.turns[m], r, c), other = in_image(far, of, of.turns[m], r, c);
      if (inside(one)) atomicAdd(image + index(one), value * RATIO(m));
      if (far.p != near.p && inside(other)) atomicAdd(image + index(other), value * RATIO(m));
    }
  }
}
