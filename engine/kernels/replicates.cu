// EM numerators of bootstrap replicates on the GPU, with the bits of replicates.py for fixed-point sums.
// This text is appended to rays.cu, with 32 threads for a ray.
//
//   sums_cn += sum_j w_cj A_jn / q_cj,   q_cj = sum_n A_jn image_cn + background_j      (floating sums)
//   sums_cn += sum_j w_cj round(2^k image_cn A_jn / q_cj)                               (fixed-point sums)
//
// w_cj: sum of the weights of row j in replicate c, with the bits of event_weights.py.
//
// A warp processes a ray. Its threads trace 32 slabs at a time, one each, into shared memory. Then each thread
// processes all these slabs in the image of its own replicate. For up to 16 replicates, parts of the warp process
// every 2nd, 4th, ... slab. Images are interleaved: the values of all replicates at a voxel are adjacent in memory,
// so a warp reads and adds whole sectors.

static_assert(GROUP == 32 && BATCH == 32, "a warp for each ray");
constexpr unsigned long long GAMMA = {{ gamma }}ull, DELTA = {{ delta }}ull, FIRST = {{ mix_first }}ull,
                             SECOND = {{ mix_second }}ull;
constexpr int PAIR_BITS = {{ pair_bits }}, N_THRESHOLDS = {{ n_thresholds }};

// Poisson number with mean 1 of 32 random bits.
__device__ __forceinline__ int poisson_of(unsigned u) {
  const unsigned thresholds[N_THRESHOLDS] = { {{- thresholds -}} };
  int n = 0;
#pragma unroll
  for (int j = 0; j < N_THRESHOLDS; ++j) n += u >= thresholds[j];
  return n;
}

// Sum of the weights of a row's events in one replicate; the fractional part of a count has the
// weight 1.
__device__ __forceinline__ real weight_of(
    unsigned long long key, unsigned long long number, int replicate, real count) {
  const int whole = (int)count;
  unsigned long long at = key + GAMMA * (number << PAIR_BITS | (unsigned long long)(replicate / 2));
  int n = 0;
  for (int event = 0; event < whole; ++event, at += DELTA) {
    unsigned long long z = (at ^ at >> 30) * FIRST;
    z = (z ^ z >> 27) * SECOND;
    z ^= z >> 31;
    // Two replicates share the 64 bits: the even one takes the low half.
    n += poisson_of((unsigned)(replicate % 2 ? z >> 32 : z));
  }
  return (real)n + (count - (real)whole);
}

// Call work(taps) for the slabs `first`, `first + step`, ... of each 32 slabs of a line, on all sides of
// its faces. `chunk` is shared memory for 32 slabs. If it contains all slabs already, they are not
// traced again.
template <class Work>
__device__ __forceinline__ void each_shared_slab(
    const Scene& scene, const Line& line, int lane, Taps* chunk, bool is_traced, int first, int step, Work work) {
  int side = 0;
  do {
    const real u = line.u - (real)(side & 1), v = line.v - (real)(side >> 1);
    for (int start = 0; start < line.n_slabs; start += GROUP) {
      if (!is_traced) {
        const int k = start + lane;
        __syncwarp();  // wait until all threads have read the previous slabs
        if (k < line.n_slabs) chunk[lane] = trace(scene, line, u, v, k, layer_of(line, k));
        __syncwarp();
      }
      const int n = min(GROUP, line.n_slabs - start);
      for (int i = first; i < n; i += step) work(chunk[i]);
    }
    side = (side - line.faces) & line.faces;
  } while (side);
}

// `images` and `sums` have n values for each voxel, those of replicates first_replicate to
// first_replicate + n - 1. Row r of the launch has the number number + r number_step in the random
// generator.
extern "C" __global__ void __launch_bounds__({{ block }}, 1) replicates(
    {{ scene }}, const real* __restrict__ images, const real* __restrict__ peaks,
    const real* __restrict__ background, int has_background, const real* __restrict__ counts, int has_counts,
    unsigned long long key, unsigned long long number, unsigned long long number_step, int first_replicate, int n,
    double unit, sum_t* __restrict__ sums) {
  const Scene scene = { {{- scene_values -}} };
  __shared__ Taps traced[BLOCK];
  Taps* chunk = traced + threadIdx.x / GROUP * GROUP;
  int width = GROUP;  // threads of a part of the warp
  while (width >= 2 * n) width /= 2;
  const int parts = GROUP / width, part = threadIdx.x % GROUP / width, c = threadIdx.x % width;
  const bool has_replicate = c < n;
  const int bits = FIXED && has_replicate ? row_bits(scene, peaks[c]) : 0;
  const real per_row = FIXED ? (real)ldexp(1.0, bits) : (real)1, of_row = FIXED ? (real)ldexp(1.0, -bits) : (real)1;
  each_row(scene, [&](const Line& line, int row, int lane) {
    if (!line.n_slabs) return;  // in all threads of the warp
    const unsigned long long own = number + (unsigned long long)row * number_step;
    const real weight =
        has_replicate ? weight_of(key, own, first_replicate + c, has_counts ? counts[row] : (real)1) : (real)0;
    const bool is_drawn = weight != (real)0;
    {% if fixed == "true" %}long long{% else %}real{% endif %} total = 0;
    each_shared_slab(scene, line, lane, chunk, false, part, parts, [&](const Taps& taps) {
      if (!is_drawn) return;
      real value = 0;
      for (int tap = 0; tap < 3; ++tap) {
        const real length = taps.length[tap];
        if (length != (real)0) value += length * __ldg(images + (size_t)taps.at[tap] * n + c);
      }
      total += {% if fixed == "true" %}rounded(value * per_row){% else %}value{% endif %};
    });
    for (int offset = width; offset < GROUP; offset *= 2) total += __shfl_xor_sync(0xffffffffu, total, offset);
    real q = FIXED ? (real)total * of_row * line.scale : (real)total * line.scale;
    if (has_background) q += background[row];
    const bool is_seen = is_drawn && q > (real)MIN_EXPECTED;
    {% if fixed == "true" %}
    const real value = is_seen ? line.scale / q * (real)unit : (real)0;
    {% else %}
    const real value = is_seen ? line.scale * weight / q : (real)0;
    {% endif %}
    const bool is_traced = line.n_slabs <= GROUP && !line.faces;
    each_shared_slab(scene, line, lane, chunk, is_traced, part, parts, [&](const Taps& taps) {
      if (!is_seen) return;
      for (int tap = 0; tap < 3; ++tap) {
        const real length = taps.length[tap];
        if (length == (real)0) continue;
        const size_t at = (size_t)taps.at[tap] * n + c;
        {% if fixed == "true" %}
        const long long whole = (long long)weight * rounded(value * (length * __ldg(images + at)));
        if (whole) atomicAdd((unsigned long long*)sums + at, (unsigned long long)whole);
        {% else %}
        atomicAdd(sums + at, value * length);
        {% endif %}
      }
    });
  });
}
