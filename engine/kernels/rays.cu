// Exact ray tracing through voxels on the GPU: line integrals, back projection, EM numerator.
//
//   forward  out_j  = sum_n A_jn image_n                      A_jn = integral of the time bin's weight over the chord [mm]
//   back     sums_n += sum_j A_jn values_j
//   update   sums_n += sum_j A_jn / q_j,  q_j = sum_n A_jn image_n + background_j     (floating sums)
//            sums_n += sum_j round(2^k image_n A_jn / q_j)                            (fixed-point sums)
//
// Slice tracing follows Gao, Med. Phys. 39 (2012) 7110, as in the twin, rays/slice_tracing.py: a slab one voxel
// thick perpendicular to the main axis contains at most three voxels of a ray. GROUP threads share an event, and
// each takes every GROUP-th slab. A group is one thread, a warp, or a block (Van Gendt et al., "Productively
// Accelerating PET Image Reconstruction on GPUs with Julia", their Figure 2). A warp sets up 32 events at a time,
// one in each lane, so the set-up in double costs 1/32 per event.
//
// A ray along the face between voxels adds half of its length to each side, a ray along an edge a quarter to each
// of four voxels. It is traced once on every side.
//
// Images have a border of one voxel on every side, so a tap outside the box needs no test. They are linear, x
// fastest, or in tiles of 4 x 4 x 4 voxels (the paper's tile-major order).
//
// Fixed-point sums do not depend on the order of any addition: the integral of a ray is also summed in integers,
// and the compiler must not fuse multiplications into additions. Every variant and the twin return the same bits.

typedef {{ real }} real;
typedef {{ sum }} sum_t;
constexpr bool FIXED = {{ fixed }}, TILES = {{ tiles }}, TOF = {{ tof }};
constexpr int BLOCK = {{ block }}, GROUP = {{ group }}, BATCH = {{ batch }}, KEPT = {{ kept }};
constexpr int MAX_SIDES = 4;
constexpr double MARGIN = 1e-6, FLAT = 1e-20, ON_FACE = 1e-4, MIN_EXPECTED = 1e-24;
{% if entries %}
__constant__ real entries[] = { {{ entries }} };
{% endif %}
{% set scene = "const double* __restrict__ points, const int* __restrict__ ends,
    const short* __restrict__ bins, const real* __restrict__ table, int n_parts, int n_bins, double bin_mm,
    double part_mm, double voxel_x, double voxel_y, double voxel_z, int nx, int ny, int nz, int first, int step,
    int n_rows" %}
{% set scene_values = "points, ends, bins, table, n_parts, n_bins, bin_mm, part_mm,
                       {voxel_x, voxel_y, voxel_z}, nx, ny, nz, first, step, n_rows" %}

// The list of rays and the image that they cross; sizes include the border.
struct Scene {
  const double* points;
  const int* ends;
  const short* bins;
  const real* table;
  int n_parts, n_bins;
  double bin_mm, part_mm, voxel_mm[3];
  int nx, ny, nz, first, step, n_rows;
};

// Memory layout along one axis: neighbouring voxels have the distance `step`, plus `jump` after
// every fourth.
struct Axis {
  int step, jump;
};

// One ray in the image: its slabs, and its coordinates where it enters the first one. Bit 0 of
// `faces` is set if it runs along a face perpendicular to u, bit 1 for v. Aligned, so that four
// words are read at once.
struct alignas(16) Line {
  real u, slope_u, per_u, v, slope_v, per_v, start, stop, scale, part_at, parts_per_slab, slabs_per_part;
  int slab, n_slabs, top_u, top_v, faces;
  Axis main, across_u, across_v;
};

// The voxels of one slab, and the length of the ray in each [slabs].
struct Taps {
  int at[3];
  real length[3];
};

struct Range {
  double low, high;
};

__device__ __forceinline__ int place(Axis axis, int i) {
  return TILES ? i * axis.step + (i >> 2) * axis.jump : i * axis.step;
}

__device__ __forceinline__ void axes(const Scene& scene, Axis* axis) {
  if (TILES) {
    const int tiles_x = (scene.nx + 3) >> 2, tiles_y = (scene.ny + 3) >> 2;
    axis[0] = {1, 64 - 4};
    axis[1] = {4, 64 * tiles_x - 16};
    axis[2] = {16, 64 * tiles_x * tiles_y - 64};
  } else {
    axis[0] = {1, 0};
    axis[1] = {scene.nx, 0};
    axis[2] = {scene.nx * scene.ny, 0};
  }
}

// Limit a range of the main axis to where another coordinate is in [0, size].
__device__ __forceinline__ Range shorten(Range range, double main, double across, double slope, double size) {
  if (fabs(slope) < FLAT) return 0.0 <= across && across <= size ? range : Range{0.0, -1.0};
  const double one = main - across / slope, other = main + (size - across) / slope;
  return {fmax(range.low, fmin(one, other) - MARGIN), fmin(range.high, fmax(one, other) + MARGIN)};
}

// True if a ray runs along a face perpendicular to an axis; the ray is then snapped to it.
__device__ __forceinline__ bool snapped_to_face(double& start, double& along) {
  const double middle = start + 0.5 * along, face = rint(middle);
  if (!(fabs(along) < ON_FACE && fabs(middle - face) < ON_FACE)) return false;
  start = face;
  along = 0.0;
  return true;
}

// Set up one row: clip the ray to the box in double, then convert to the dtype of the image.
__device__ Line line_of(const Scene& scene, int row) {
  const size_t i = (size_t)scene.first + (size_t)row * scene.step;
  const double* p = scene.points + 3 * (size_t)scene.ends[2 * i];
  const double* q = scene.points + 3 * (size_t)scene.ends[2 * i + 1];
  const double start[3] = {p[0], p[1], p[2]};
  const double along[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  const double size[3] = {scene.nx - 2.0, scene.ny - 2.0, scene.nz - 2.0};
  const double x = fabs(along[0]), y = fabs(along[1]), z = fabs(along[2]);
  const int m = x >= y && x >= z ? 0 : y >= z ? 1 : 2, u = m == 0 ? 1 : 0, v = m == 2 ? 1 : 2;
  const double start_m = m == 0 ? start[0] : m == 1 ? start[1] : start[2];
  const double along_m = m == 0 ? along[0] : m == 1 ? along[1] : along[2];
  const double size_m = m == 0 ? size[0] : m == 1 ? size[1] : size[2];
  double start_u = u == 0 ? start[0] : start[1], along_u = u == 0 ? along[0] : along[1];
  double start_v = v == 1 ? start[1] : start[2], along_v = v == 1 ? along[1] : along[2];
  const double size_u = u == 0 ? size[0] : size[1], size_v = v == 1 ? size[1] : size[2];
  const bool on_u = snapped_to_face(start_u, along_u), on_v = snapped_to_face(start_v, along_v);

  double low = 0.0, high = 0.0, slope_u = 0.0, slope_v = 0.0;
  Range seen = {0.0, 0.0};
  if (along_m != 0.0) {
    slope_u = along_u / along_m;
    slope_v = along_v / along_m;
    low = fmax(0.0, fmin(start_m, start_m + along_m));
    high = fmin(size_m, fmax(start_m, start_m + along_m));
    seen = shorten({low, high}, start_m, start_u, slope_u, size_u);
    seen = shorten(seen, start_m, start_v, slope_v, size_v);
  }
  const double x_mm = along[0] * scene.voxel_mm[0], y_mm = along[1] * scene.voxel_mm[1],
               z_mm = along[2] * scene.voxel_mm[2];
  const double scale = sqrt(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm) / fmax(fabs(along_m), FLAT);
  const double mm_per_slab = copysign(scale, along_m), middle = start_m + 0.5 * along_m;
  double from = floor(seen.low), to = seen.low < seen.high ? ceil(seen.high) : -1.0, centre_mm = 0.0;
  if (TOF) {
    centre_mm = (scene.bins[i] - 0.5 * (scene.n_bins - 1)) * scene.bin_mm;
    const double reach = (scene.n_parts - 1) * scene.part_mm / scale;
    const double source = middle + centre_mm / mm_per_slab;
    from = fmax(from, floor(source - reach));
    to = fmin(to, ceil(source + reach));
  }
  if (!(from < to)) from = to = 0.0;

  Line line;
  const double ahead = from - start_m;
  line.u = (real)(start_u + slope_u * ahead + 1.0);
  line.v = (real)(start_v + slope_v * ahead + 1.0);
  line.slope_u = (real)slope_u;
  line.slope_v = (real)slope_v;
  line.per_u = fabs(line.slope_u) > (real)FLAT ? (real)1 / line.slope_u : (real)0;
  line.per_v = fabs(line.slope_v) > (real)FLAT ? (real)1 / line.slope_v : (real)0;
  line.start = (real)(low - from);
  line.stop = (real)(high - from);
  line.scale = (real)(scale * (on_u ? 0.5 : 1.0) * (on_v ? 0.5 : 1.0));
  line.faces = (on_u ? 1 : 0) + (on_v ? 2 : 0);
  line.slab = (int)from + 1;
  line.n_slabs = (int)(to - from);
  line.top_u = (int)size_u + 1;
  line.top_v = (int)size_v + 1;
  Axis axis[3];
  axes(scene, axis);
  line.main = m == 0 ? axis[0] : m == 1 ? axis[1] : axis[2];
  line.across_u = u == 0 ? axis[0] : axis[1];
  line.across_v = v == 1 ? axis[1] : axis[2];
  if (TOF) {
    line.part_at = (real)(((from - middle) * mm_per_slab - centre_mm) / scene.part_mm);
    line.parts_per_slab = (real)(mm_per_slab / scene.part_mm);
    line.slabs_per_part = (real)(scene.part_mm / mm_per_slab);
  }
  return line;
}

__device__ __forceinline__ real entry(const Scene& scene, int i) {
{% if entries %}
  return entries[i];
{% else %}
  return __ldg(scene.table + i);
{% endif %}
}

__device__ __forceinline__ float least(float a, float b) { return fminf(a, b); }
__device__ __forceinline__ float most(float a, float b) { return fmaxf(a, b); }
__device__ __forceinline__ double least(double a, double b) { return fmin(a, b); }
__device__ __forceinline__ double most(double a, double b) { return fmax(a, b); }

// Integral of the time bin's weight from its centre to a position on the line [slabs], in parts of
// the table.
__device__ __forceinline__ real bin_integral(const Scene& scene, const Line& line, real slabs) {
  const real at = line.part_at + slabs * line.parts_per_slab;
  const real away = least((real)fabs(at), (real)(scene.n_parts - 1));
  const int n = (int)away;
  const real t = away - (real)n;
  real value = entry(scene, 4 * n + 3);
  for (int power = 2; power >= 0; --power) value = value * t + entry(scene, 4 * n + power);
  return at < (real)0 ? -value : value;
}

// Length from a to the plane between voxels i and j, or all of it if they are the same [slabs].
__device__ __forceinline__ real crossing(int i, int j, real at, real per_slope, real whole) {
  const real t = ((real)(i > j ? i : j) - at) * per_slope;
  return i == j ? whole : least(most(t, (real)0), whole);
}

// Position in memory of the k-th slab of a line.
__device__ __forceinline__ int layer_of(const Line& line, int k) { return place(line.main, line.slab + k); }

// Position in memory of slab k + GROUP.
__device__ __forceinline__ int layer_after(const Line& line, int layer, int k) {
  if (GROUP % 4) return layer_of(line, k + GROUP);
  return layer + GROUP * line.main.step + (TILES ? GROUP / 4 * line.main.jump : 0);
}

// Taps of the k-th slab of a line with the coordinates u and v at the first slab.
__device__ __forceinline__ Taps trace(
    const Scene& scene, const Line& line, real u, real v, int k, int layer) {
  const real one = 1, nought = 0, slab = (real)k;
  const real top_u = (real)line.top_u, top_v = (real)line.top_v;
  const real a = most(slab, line.start), b = least(slab + one, line.stop), whole = b - a;
  const real u_a = u + line.slope_u * a, u_b = u + line.slope_u * b;
  const real v_a = v + line.slope_v * a, v_b = v + line.slope_v * b;
  // A slab starts and ends less than one voxel outside the image, above -1, and conversion
  // truncates this to 0.
  const int j_a = (int)least(u_a, top_u), j_b = (int)least(u_b, top_u);
  const int i_a = (int)least(v_a, top_v), i_b = (int)least(v_b, top_v);
  // The order of both crossings gives the voxel in between, not the signs of the slopes.
  const real t_u = crossing(j_a, j_b, u_a, line.per_u, whole), t_v = crossing(i_a, i_b, v_a, line.per_v, whole);
  const real near = least(t_u, t_v), far = most(t_u, t_v);
  const int at_ja = place(line.across_u, j_a), at_jb = place(line.across_u, j_b);
  const int at_ia = layer + place(line.across_v, i_a), at_ib = layer + place(line.across_v, i_b);
  Taps taps = {{ '{{' }}at_ja + at_ia, t_u < t_v ? at_jb + at_ia : at_ja + at_ib, at_jb + at_ib},
               {near, far - near, whole - far}};
  if (TOF) {
    // Differences of the table over each chord. In spite of rounding, a chord without length stays
    // 0 and none is negative.
    const real crossed = a + taps.length[0], left = crossed + taps.length[1];
    const real at_a = bin_integral(scene, line, a), at_crossed = bin_integral(scene, line, crossed);
    const real at_left = bin_integral(scene, line, left), at_b = bin_integral(scene, line, b);
    taps.length[0] = most((at_crossed - at_a) * line.slabs_per_part, nought);
    taps.length[1] = most((at_left - at_crossed) * line.slabs_per_part, nought);
    taps.length[2] = taps.length[2] > nought ? most((at_b - at_left) * line.slabs_per_part, nought) : nought;
  }
  return taps;
}

__device__ __forceinline__ void sync_group() {
  if (GROUP == 32) __syncwarp();
  if (GROUP > 32) __syncthreads();
}

// Sum over the threads of a group, in all of them.
template <class T>
__device__ __forceinline__ T group_sum(T value) {
  if constexpr (GROUP == 1) return value;
  for (int mask = 16; mask; mask >>= 1) value += __shfl_xor_sync(0xffffffffu, value, mask);
  if (GROUP == 32) return value;
  __shared__ T parts[GROUP / 32 + 1];
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (int warp = 0; warp < GROUP / 32; ++warp) value += parts[warp];
  return value;
}

__device__ __forceinline__ long long rounded(real value) {
  return (long long)(value + (real)copysign((real)0.5, value));
}

// Exponent of the fixed-point unit: the sum of a row of slabs with values up to `peak` fits 63
// bits.
__device__ __forceinline__ int row_bits(const Scene& scene, real peak) {
  int exponent = 0, slabs = 0;
  frexp(peak, &exponent);
  const int longest = MAX_SIDES * max(scene.nx, max(scene.ny, scene.nz));
  while ((1 << slabs) < longest) ++slabs;
  return min(62 - exponent - slabs, 96);
}

// Call work(taps) for the slabs of a thread, from number `first` on, and for all slabs on the other
// sides of faces that the line runs along.
template <class Work>
__device__ __forceinline__ void each_slab(const Scene& scene, const Line& line, int lane, int first, Work work) {
  // All threads of a group leave together if no slab is left, as for most lines.
  if (first * GROUP >= line.n_slabs && !line.faces) return;
  int k = lane + first * GROUP, side = 0;
  do {
    const real u = line.u - (real)(side & 1), v = line.v - (real)(side >> 1);
    for (int layer = layer_of(line, k); k < line.n_slabs; k += GROUP) {
      Taps taps = trace(scene, line, u, v, k, layer);
      work(taps);
      layer = layer_after(line, layer, k);
    }
    k = lane;
    // Enumerate all subsets of the bits of `faces`: 0 to 3 if both are set, then 0 again.
    side = (side - line.faces) & line.faces;
  } while (side);
}

// Contribution of a slab to the line integral. With fixed-point sums the lengths become the
// contributions of the voxels. Taps without length are not read, except the first: this saves a
// quarter of the cache lines.
__device__ __forceinline__ real seen(Taps& taps, const real* __restrict__ image) {
  real given[3];
  for (int tap = 0; tap < 3; ++tap) {
    const real length = taps.length[tap];
    given[tap] = tap == 0 || length != (real)0 ? length * __ldg(image + taps.at[tap]) : (real)0;
    if (FIXED) taps.length[tap] = given[tap];
  }
  return given[0] + given[1] + given[2];
}

// Line integral of a group's ray, in all its threads [mm times image]. The first N slabs of each
// thread stay in registers, because forward and back projection use the same taps.
template <int N>
__device__ __forceinline__ real integral(
    const Scene& scene, const Line& line, const real* __restrict__ image, int bits, int lane, Taps* kept) {
  const real unit = FIXED ? (real)ldexp(1.0, bits) : (real)1;
  {% if fixed == "true" %}long long{% else %}real{% endif %} total = 0;
  const auto count = [&](Taps& taps) {
    const real value = seen(taps, image);
    total += {% if fixed == "true" %}rounded(value * unit){% else %}value{% endif %};
  };
  const int start = layer_of(line, lane);
#pragma unroll
  for (int i = 0, layer = start; i < N; ++i) {
    if (lane + i * GROUP < line.n_slabs) {
      kept[i] = trace(scene, line, line.u, line.v, lane + i * GROUP, layer);
      count(kept[i]);
    }
    layer = layer_after(line, layer, lane + i * GROUP);
  }
  each_slab(scene, line, lane, N, count);
  return FIXED ? (real)group_sum(total) * (real)ldexp(1.0, -bits) * line.scale : (real)group_sum(total) * line.scale;
}

__device__ __forceinline__ void add(sum_t* sums, int at, real share) {
{% if fixed == "true" %}
  const long long whole = rounded(share);
  if (whole) atomicAdd((unsigned long long*)sums + at, (unsigned long long)whole);
{% else %}
  if (share != (real)0) atomicAdd(sums + at, share);
{% endif %}
}

__device__ __forceinline__ void add_all(sum_t* sums, const Taps& taps, real value) {
  for (int tap = 0; tap < 3; ++tap) add(sums, taps.at[tap], value * taps.length[tap]);
}

// Call work(line, row, lane) for every ray, in all threads of its group.
template <class Work>
__device__ __forceinline__ void each_row(const Scene& scene, Work work) {
  if (GROUP == 1) {
    const int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row < scene.n_rows) work(line_of(scene, row), row, 0);
    return;
  }
  __shared__ Line lines[BLOCK / GROUP * BATCH];
  const int group = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
  const int start = (blockIdx.x * (BLOCK / GROUP) + group) * BATCH;
  if (lane < BATCH && start + lane < scene.n_rows) lines[group * BATCH + lane] = line_of(scene, start + lane);
  sync_group();
  const int n = min(BATCH, scene.n_rows - start);
  for (int i = 0; i < n; ++i) work(lines[group * BATCH + i], start + i, lane);
}

// Launch bounds: with a minimum of one block per multiprocessor the compiler uses all registers it
// needs. Without a minimum it spills some to allow more blocks.
extern "C" __global__ void __launch_bounds__({{ block }}, 1) forward(
    {{ scene }}, const real* __restrict__ image, const real* __restrict__ peak, real* __restrict__ out) {
  const Scene scene = { {{- scene_values -}} };
  const int bits = FIXED ? row_bits(scene, *peak) : 0;
  each_row(scene, [&](const Line& line, int row, int lane) {
    const real total = integral<0>(scene, line, image, bits, lane, nullptr);
    if (lane == 0) out[row] = total;
  });
}

extern "C" __global__ void __launch_bounds__({{ block }}, 1) back(
    {{ scene }}, const real* __restrict__ values, double unit, sum_t* __restrict__ sums) {
  const Scene scene = { {{- scene_values -}} };
  each_row(scene, [&](const Line& line, int row, int lane) {
    const real value = values[row] * line.scale * (real)unit;
    each_slab(scene, line, lane, 0, [&](const Taps& taps) { add_all(sums, taps, value); });
  });
}

extern "C" __global__ void __launch_bounds__({{ block }}, 1) update(
    {{ scene }}, const real* __restrict__ image, const real* __restrict__ peak,
    const real* __restrict__ background, int has_background, double unit, real* __restrict__ expected,
    sum_t* __restrict__ sums) {
  const Scene scene = { {{- scene_values -}} };
  const int bits = FIXED ? row_bits(scene, *peak) : 0;
  each_row(scene, [&](const Line& line, int row, int lane) {
    Taps kept[KEPT + 1];
    real q = integral<KEPT>(scene, line, image, bits, lane, kept);
    if (has_background) q += background[row];
    const bool is_seen = q > (real)MIN_EXPECTED;
    if (lane == 0) expected[row] = is_seen ? q : (real)0;
    if (!is_seen) return;
    const real value = line.scale / q * (real)unit;
#pragma unroll
    for (int i = 0; i < KEPT; ++i) {
      if (lane + i * GROUP < line.n_slabs) add_all(sums, kept[i], value);
    }
    each_slab(scene, line, lane, KEPT, [&](Taps& taps) {
      if (FIXED) seen(taps, image);
      add_all(sums, taps, value);
    });
  });
}

// Number of voxels that each ray touches, which the other kernels read or add to.
extern "C" __global__ void __launch_bounds__({{ block }}, 1) touched({{ scene }}, int* __restrict__ out) {
  const Scene scene = { {{- scene_values -}} };
  each_row(scene, [&](const Line& line, int row, int lane) {
    int n = 0;
    each_slab(scene, line, lane, 0, [&](const Taps& taps) {
      for (int tap = 0; tap < 3; ++tap) n += taps.length[tap] != (real)0;
    });
    n = group_sum(n);
    if (lane == 0) out[row] = n;
  });
}
