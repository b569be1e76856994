// Voxel-driven back projection on the GPU: the detector value at the projection of each voxel.
//
//   out(x) (+)= sum over views of y_view(a, b) / tau^2,   (tau a, tau b, tau) = M_view (x, 1)
//
// The twin is cone_back.py. As in Graas et al., "ASTRA KernelKit", Algorithm 1, threads cover a face of the
// volume. Each thread processes a run of RUN voxels in all views of a launch, sums in registers, and adds to
// `out` once. Views are in constant memory. With SPLIT > 1, this number of blocks share the views of the same
// voxels, and `gather` adds their partial sums in order.
//
// Points are in voxels from the centre of the volume, a and b in pixels from the centre of the detector: float32
// then holds a and b to about 1e-7 of half a detector. Along the run each row of M changes by one column of M per
// voxel. It is computed as one multiplication and addition from the same start for any box, so that a box of the
// volume has the bits of the whole.
//
// Paths:
//   general   any detector
//   upright   detector columns are parallel to the run: a and tau are the same for all its voxels
//   columns   upright; a warp processes 32 RUN voxels of a line. It interpolates the two columns next to a once
//             into shared memory, and interpolates linearly along them with float32 fractions. Projections are
//             best in the order view, column, row, with a multiple of 4 rows, because four rows are read at a
//             time. Counted, not measured: in runs of 16, 32 voxels take 21 issue slots per view, and 8.5 cache
//             lines and shared-memory wavefronts. Texture fetches take 8 clock cycles of a multiprocessor.
//
// y falls linearly to zero from the centre of the last pixel to half a pixel outside the detector.

constexpr int VIEWS = {{ views }}, RUN = {{ run }}, SPLIT = {{ split }}, BLOCK_X = {{ block_x }}, BLOCK_Y = {{ block_y }};
// Axes of space (0 x, 1 y, 2 z): across and down for threads, along for runs, and the axes of `out` from slow to fast.
constexpr int ACROSS = {{ across }}, DOWN = {{ down }}, ALONG = {{ along }};
constexpr int SLOW = {{ slow }}, MIDDLE = {{ middle }}, FAST = {{ fast }};
// Positions of views, rows and columns in the shape of the projections, 0 slow to 2 fast.
constexpr int OF_VIEWS = {{ of_views }}, OF_ROWS = {{ of_rows }}, OF_COLUMNS = {{ of_columns }};

__constant__ float4 views[3 * VIEWS];

{% if texture == "memory" %}
typedef const float* __restrict__ projections_t;
{% elif texture in ("list", "pitched") %}
typedef const cudaTextureObject_t* __restrict__ projections_t;
{% else %}
typedef cudaTextureObject_t projections_t;
{% endif %}

// The projections of a launch: number of the first view, and numbers of all views, rows and columns.
struct Detector {
  int first, n_views, n_rows, n_columns;
};

template <int axis>
__device__ __forceinline__ float part(float4 row) {
  return axis == 0 ? row.x : axis == 1 ? row.y : row.z;
}

// 1 / x to about the last bit, in one instruction. x is never so small that it would be flushed to zero.
__device__ __forceinline__ float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float found;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(found) : "f"(x));
  return found;
#else
  return 1.0f / x;
#endif
}

// The same number, hidden from the compiler. It then adds it last, in an address, which is free.
__device__ __forceinline__ int hidden_from_compiler(int x) {
#ifdef __CUDA_ARCH__
  asm("" : "+r"(x));
#endif
  return x;
}

// The part of an entry that does not change along the run.
__device__ __forceinline__ float start(float4 row, float across, float down) {
  return fmaf(part<DOWN>(row), down, fmaf(part<ACROSS>(row), across, row.w));
}

{% if texture == "memory" %}
{% if of_views == "0" %}
typedef int offset_t;  // within a projection
{% else %}
typedef long long offset_t;
{% endif %}

__device__ __forceinline__ offset_t stride(Detector d, int of) {
  const offset_t n[3] = {OF_VIEWS == 0 ? d.n_views : OF_ROWS == 0 ? d.n_rows : d.n_columns,
                         OF_VIEWS == 1 ? d.n_views : OF_ROWS == 1 ? d.n_rows : d.n_columns,
                         OF_VIEWS == 2 ? d.n_views : OF_ROWS == 2 ? d.n_rows : d.n_columns};
  return of == 2 ? 1 : of == 1 ? n[2] : n[1] * n[2];
}

__device__ __forceinline__ bool within(int i, int n) { return (unsigned)i < (unsigned)n; }

__device__ __forceinline__ float pixel(projections_t projection, offset_t column, Detector d, int row) {
  return within(row, d.n_rows) ? __ldg(projection + (column + row * stride(d, OF_ROWS))) : 0.0f;
}

// Two columns of a projection and the weights of a position between them; weight 0 for missing columns.
struct Columns {
  const float* projection;
  offset_t left, right;
  float of_left, of_right;
};

__device__ __forceinline__ Columns columns_at(projections_t projections, Detector d, int view, float a, float weight) {
  const float at = a - 0.5f, whole = floorf(at);
  const int i = (int)whole;
  const bool has_left = within(i, d.n_columns), has_right = within(i + 1, d.n_columns);
  const float* projection = projections + (d.first + view) * (long long)stride(d, OF_VIEWS);
  const float of_right = weight * (at - whole), of_left = weight - of_right;
  return {projection, (has_left ? i : 0) * stride(d, OF_COLUMNS), (has_right ? i + 1 : 0) * stride(d, OF_COLUMNS),
          has_left ? of_left : 0.0f, has_right ? of_right : 0.0f};
}

__device__ __forceinline__ float mixed(const Columns& at, float left, float right) {
  return fmaf(at.of_right, right, at.of_left * left);
}

__device__ __forceinline__ float blended(const Columns& at, Detector d, int row) {
  return mixed(at, pixel(at.projection, at.left, d, row), pixel(at.projection, at.right, d, row));
}

// True if a position can be on the detector. It then also fits an int.
__device__ __forceinline__ bool near(float at, int n) { return at > -1.0f && at < (float)n + 1.0f; }

__device__ __forceinline__ float between(const Columns& at, Detector d, float b) {
  if (!near(b, d.n_rows)) return 0.0f;
  const float whole = floorf(b - 0.5f), low = blended(at, d, (int)whole);
  return fmaf(b - 0.5f - whole, blended(at, d, (int)whole + 1) - low, low);
}

__device__ __forceinline__ float sampled(projections_t projections, Detector d, int view, float a, float b) {
  return near(a, d.n_columns) ? between(columns_at(projections, d, view, a, 1.0f), d, b) : 0.0f;
}
{% else %}
__device__ __forceinline__ float sampled(projections_t projections, Detector d, int view, float a, float b) {
{% if texture == "array" %}
  const float v = (float)(d.first + view) + 0.5f;
  const float x = OF_VIEWS == 2 ? v : OF_ROWS == 2 ? b : a, y = OF_VIEWS == 1 ? v : OF_ROWS == 1 ? b : a;
  return tex3D<float>(projections, x, y, OF_VIEWS == 0 ? v : OF_ROWS == 0 ? b : a);
{% elif texture == "layered" %}
  return tex2DLayered<float>(projections, OF_ROWS == 2 ? b : a, OF_ROWS == 2 ? a : b, d.first + view);
{% else %}
  return tex2D<float>(projections[d.first + view], OF_ROWS == 2 ? b : a, OF_ROWS == 2 ? a : b);
{% endif %}
}
{% endif %}

{% if path == "general" %}
__device__ __forceinline__ void add_view(
    projections_t projections, Detector d, float a_middle, float b_middle, int view, float across, float down,
    float along, float* sums) {
  const float4 a_row = views[3 * view], b_row = views[3 * view + 1], tau_row = views[3 * view + 2];
  const float a_0 = start(a_row, across, down), b_0 = start(b_row, across, down);
  const float tau_0 = start(tau_row, across, down);
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    const float at = along + (float)k, tau = fmaf(part<ALONG>(tau_row), at, tau_0);
    const float per_tau = tau > 0.0f ? reciprocal(tau) : 0.0f;
    const float a = fmaf(fmaf(part<ALONG>(a_row), at, a_0), per_tau, a_middle);
    const float b = fmaf(fmaf(part<ALONG>(b_row), at, b_0), per_tau, b_middle);
    sums[k] = fmaf(per_tau * per_tau, sampled(projections, d, view, a, b), sums[k]);
  }
}
{% elif path == "upright" %}
__device__ __forceinline__ void add_view(
    projections_t projections, Detector d, float a_middle, float b_middle, int view, float across, float down,
    float along, float* sums) {
  const float4 b_row = views[3 * view + 1];
  const float tau = start(views[3 * view + 2], across, down);
  const float per_tau = tau > 0.0f ? reciprocal(tau) : 0.0f;
  const float a = fmaf(start(views[3 * view], across, down), per_tau, a_middle);
  const float b_0 = fmaf(start(b_row, across, down), per_tau, b_middle), step = part<ALONG>(b_row) * per_tau;
  const float weight = per_tau * per_tau;
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    const float b = fmaf(along + (float)k, step, b_0);
    sums[k] = fmaf(weight, sampled(projections, d, view, a, b), sums[k]);
  }
}
{% else %}
constexpr int ROWS = {{ rows }}, LINES_ACROSS = {{ lines_across }};
constexpr float ROUND = 12582912.0f;  // 1.5 2^23: adding it rounds a number to an integer

// Interpolate rows low ... low + n - 1 between two columns, and some more rows; low is a multiple of 4. Usually all
// rows are on the detector: then four at a time, without tests.
__device__ __forceinline__ void fill(const Columns& columns, Detector d, int low, int n, float* blend) {
  const int n_by_four = OF_ROWS == 2 && d.n_rows % 4 == 0 ? d.n_rows : -1;
  const int first = low + 4 * (int)threadIdx.x;
  const float4* from_left = reinterpret_cast<const float4*>(columns.projection + (columns.left + first));
  const float4* from_right = reinterpret_cast<const float4*>(columns.projection + (columns.right + first));
  float4* to = reinterpret_cast<float4*>(blend) + threadIdx.x;
  const auto four = [&](int block) {
    const float4 left = __ldg(from_left + block / 4), right = __ldg(from_right + block / 4);
    to[block / 4] = {
        mixed(columns, left.x, right.x), mixed(columns, left.y, right.y), mixed(columns, left.z, right.z),
        mixed(columns, left.w, right.w)};
  };
  if (low >= 0 && low + (n + 127 & ~127) <= n_by_four) {
#pragma unroll
    for (int block = 0; block < ROWS; block += 128) {
      if (block > 0 && block >= n) break;
      four(block);
    }
  } else if (n_by_four >= 0) {
#pragma unroll 1
    for (int block = 0; block < n; block += 128) {
      if (within(first + block, d.n_rows)) four(block);
      else to[block / 4] = {};
    }
  } else {
#pragma unroll 1
    for (int row = threadIdx.x; row < n; row += 32) blend[row] = blended(columns, d, low + row);
  }
}

// Here the lanes are along the run: voxel k of a lane is 32 k voxels after its first.
__device__ __forceinline__ void add_view(
    projections_t projections, Detector d, float a_middle, float b_middle, int view, float across, float down,
    float along, float* sums) {
  __shared__ float4 blends[BLOCK_Y][ROWS / 4];
  float* blend = &blends[threadIdx.y][0].x;
  const float4 b_row = views[3 * view + 1];
  const float tau = start(views[3 * view + 2], across, down);
  const float per_tau = reciprocal(tau);
  const float a = fmaf(start(views[3 * view], across, down), per_tau, a_middle);
  const float b_0 = fmaf(start(b_row, across, down), per_tau, b_middle), step = part<ALONG>(b_row) * per_tau;
  const float lane = (float)threadIdx.x;
  const float one_end = fmaf(along - lane, step, b_0), other_end = fmaf(along - lane + (32 * RUN - 1), step, b_0);
  const float least = fminf(one_end, other_end), most = fmaxf(one_end, other_end);
  const bool is_seen = tau > 0.0f && near(a, d.n_columns) && most > -1.0f && least < (float)d.n_rows + 1.0f;
  if (!is_seen) return;  // the same for the whole warp, like all values but b
  const Columns columns = columns_at(projections, d, view, a, per_tau * per_tau);
  if (fabsf(step) * (float)(32 * RUN - 1) < (float)(ROWS - 8)) {
    const int low = ((int)floorf(least) - 2) & ~3;
    fill(columns, d, low, (int)floorf(most) + 2 - low, blend);
    __syncwarp();
    const int from = hidden_from_compiler(4 * ((int)threadIdx.y * ROWS - __float_as_int(ROUND) - low));
    const float b_lower = b_0 - 0.5f;
#pragma unroll
    for (int k = 0; k < RUN; ++k) {
      const float b = fmaf(along + (float)(32 * k), step, b_lower), whole = __fadd_rd(b, ROUND);
      const float* row = reinterpret_cast<const float*>(
          reinterpret_cast<const char*>(blends) + (4 * __float_as_int(whole) + from));
      sums[k] += fmaf(b - (whole - ROUND), row[1] - row[0], row[0]);
    }
    __syncwarp();
  } else {
#pragma unroll
    for (int k = 0; k < RUN; ++k) sums[k] += between(columns, d, fmaf(along + (float)(32 * k), step, b_0));
  }
}
{% endif %}

// n_x, n_y, n_z : size of `out`; x, y, z : centre of its first voxel, from the centre of the volume; first_run : start
// of this launch along the runs; is_sum : 1 to add to `out`; out : SPLIT boxes, one after another.
// Launch bounds: with a minimum of one block per multiprocessor, the compiler does not spill registers of "columns".
// For the other paths it would use so many that fewer threads could wait for textures.
extern "C" __global__ void __launch_bounds__({{ block }}{{ ", 1" if path == "columns" }}) back(
    projections_t projections, int first, int n_all, int n_rows, int n_columns, int n_views, float x, float y, float z,
    int n_x, int n_y, int n_z, int first_run, int is_sum, float* __restrict__ out) {
  const float corner[3] = {x, y, z};
  const int n[3] = {n_x, n_y, n_z};
  const int share = (int)blockIdx.z % SPLIT, run = (int)blockIdx.z / SPLIT;
  int i[3];
{% if path == "columns" %}
  constexpr int STEP = 32;
  i[ACROSS] = blockIdx.x * LINES_ACROSS + threadIdx.y % LINES_ACROSS;
  i[DOWN] = blockIdx.y * (BLOCK_Y / LINES_ACROSS) + threadIdx.y / LINES_ACROSS;
  i[ALONG] = first_run + run * 32 * RUN + threadIdx.x;
{% else %}
  constexpr int STEP = 1;
  i[ACROSS] = blockIdx.x * BLOCK_X + threadIdx.x;
  i[DOWN] = blockIdx.y * BLOCK_Y + threadIdx.y;
  i[ALONG] = first_run + run * RUN;
{% endif %}
  if (i[ACROSS] >= n[ACROSS] || i[DOWN] >= n[DOWN]) return;
  const float across = corner[ACROSS] + (float)i[ACROSS], down = corner[DOWN] + (float)i[DOWN];
  const float along = corner[ALONG] + (float)i[ALONG];
  const Detector detector = {first, n_all, n_rows, n_columns};
  const float a_middle = 0.5f * (float)n_columns, b_middle = 0.5f * (float)n_rows;
  float sums[RUN] = {};
  for (int view = share; view < n_views; view += SPLIT) {
    add_view(projections, detector, a_middle, b_middle, view, across, down, along, sums);
  }
  out += (size_t)share * n[SLOW] * n[MIDDLE] * n[FAST];
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    if (i[ALONG] < n[ALONG]) {
      const size_t at = ((size_t)i[SLOW] * n[MIDDLE] + i[MIDDLE]) * n[FAST] + i[FAST];
      out[at] = is_sum ? out[at] + sums[k] : sums[k];
    }
    i[ALONG] += STEP;
  }
}

// Add the boxes of the blocks that share the views.
extern "C" __global__ void __launch_bounds__({{ gather_block }}) gather(
    const float* __restrict__ parts, long long n, int is_sum, float* __restrict__ out) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int share = 0; share < SPLIT; ++share) sum += parts[share * n + i];
  out[i] = is_sum ? out[i] + sum : sum;
}
