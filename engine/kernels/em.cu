// Image updates of expectation maximisation on the GPU, in the layout of rays.cu.
//
//   advance   x_n <- max(shares_n / s_n, least x_n)  where s_n > 0, else 0;   shares = x sums (floating) or sums 2^-k (fixed point)
//             also: sums <- 0, peak <- max x, parts <- sum of s x (old x), fault <- 1 if x is not finite
//   log_sum   parts <- sum of log q_j, skipped <- number of rows with q_j = 0
//   pack, unpack, collect   between [z, y, x] and the layout with a border
//
// Each block stores its own partial sum. The host adds them in order, so that the bits are reproducible.

typedef {{ real }} real;
typedef {{ sum }} sum_t;
constexpr bool FIXED = {{ fixed }}, TILES = {{ tiles }};
constexpr int BLOCK = {{ block }};

struct Voxel {
  int x, y, z;
};

__device__ __forceinline__ int place(Voxel voxel, int nx, int ny) {
  if (!TILES) return (voxel.z * ny + voxel.y) * nx + voxel.x;
  const int tiles_x = (nx + 3) >> 2, tiles_y = (ny + 3) >> 2;
  const int tile = ((voxel.z >> 2) * tiles_y + (voxel.y >> 2)) * tiles_x + (voxel.x >> 2);
  return 64 * tile + 16 * (voxel.z & 3) + 4 * (voxel.y & 3) + (voxel.x & 3);
}

__device__ __forceinline__ Voxel voxel_at(int i, int nx, int ny) {
  if (!TILES) return {i % nx, i / nx % ny, i / nx / ny};
  const int tiles_x = (nx + 3) >> 2, tiles_y = (ny + 3) >> 2, tile = i >> 6;
  return {4 * (tile % tiles_x) + (i & 3), 4 * (tile / tiles_x % tiles_y) + (i >> 2 & 3),
          4 * (tile / tiles_x / tiles_y) + (i >> 4 & 3)};
}

// Sizes include the border here and below; `n` is the number of values of the larger layout.
extern "C" __global__ void __launch_bounds__({{ block }}) pack(
    const real* __restrict__ image, int nx, int ny, int nz, int n, real* __restrict__ packed) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const Voxel at = voxel_at(i, nx, ny);
  const bool inside = at.x > 0 && at.y > 0 && at.z > 0 && at.x < nx - 1 && at.y < ny - 1 && at.z < nz - 1;
  packed[i] = inside ? image[((at.z - 1) * (ny - 2) + at.y - 1) * (nx - 2) + at.x - 1] : (real)0;
}

__device__ __forceinline__ int packed_place(int i, int nx, int ny) {
  const int inner_x = nx - 2, inner_y = ny - 2;
  return place({i % inner_x + 1, i / inner_x % inner_y + 1, i / inner_x / inner_y + 1}, nx, ny);
}

extern "C" __global__ void __launch_bounds__({{ block }}) unpack(
    const real* __restrict__ packed, int nx, int ny, int n, real* __restrict__ image) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) image[i] = packed[packed_place(i, nx, ny)];
}

__device__ __forceinline__ real share(sum_t sum, real x, double per_unit) {
  return FIXED ? (real)((double)sum * per_unit) : x * (real)sum;
}

// Sums in [z, y, x], unchanged or as numerator of the image.
extern "C" __global__ void __launch_bounds__({{ block }}) collect(
    const sum_t* __restrict__ sums, const real* __restrict__ packed, int as_shares, double per_unit, int nx, int ny,
    int n, real* __restrict__ image) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const int at = packed_place(i, nx, ny);
  image[i] = share(sums[at], as_shares ? packed[at] : (real)1, per_unit);
}

// The sum over a block, valid in its first thread.
template <class T>
__device__ T block_sum(T value) {
  __shared__ T parts[BLOCK];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (int half = BLOCK / 2; half; half >>= 1) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  return parts[0];
}

// Bit patterns of non-negative numbers have the same order as the numbers.
__device__ __forceinline__ void raise(float* peak, float value) { atomicMax((int*)peak, __float_as_int(value)); }
__device__ __forceinline__ void raise(double* peak, double value) {
  atomicMax((long long*)peak, __double_as_longlong(value));
}

extern "C" __global__ void __launch_bounds__({{ block }}) advance(
    sum_t* __restrict__ sums, const real* __restrict__ sensitivity, int n_subsets, float least, double per_unit, int n,
    real* __restrict__ image, real* __restrict__ peak, int* __restrict__ fault, double* __restrict__ parts) {
  double mass = 0;
  real highest = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
    const real s = sensitivity[i] / (real)n_subsets, old = image[i];
    real x = s > 0 ? share(sums[i], old, per_unit) / s : (real)0;
    if (s > 0 && x < (real)least * old) x = (real)least * old;
    mass += (double)s * (double)old;
    image[i] = x;
    sums[i] = 0;
    if (!isfinite(x)) *fault = 1;
    highest = x > highest ? x : highest;
  }
  if (highest > 0) raise(peak, highest);
  mass = block_sum(mass);
  if (threadIdx.x == 0) parts[blockIdx.x] = mass;
}

extern "C" __global__ void __launch_bounds__({{ block }}) log_sum(
    const real* __restrict__ expected, int n, double* __restrict__ parts, int* __restrict__ skipped) {
  double total = 0;
  int n_skipped = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
    if (expected[i] > 0)
      total += log(expected[i]);
    else
      ++n_skipped;
  }
  total = block_sum(total);
  __syncthreads();
  n_skipped = block_sum(n_skipped);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = total;
    skipped[blockIdx.x] = n_skipped;
  }
}
