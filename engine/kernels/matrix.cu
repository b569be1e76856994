// Projection with a stored response, in correlation form; the formula is at the top of the twin, matrix/correlation.py.
//
// Non-zeros are stored in strips of STRIP values, with a distance of one pitch along the first axis of the stored row.
// A thread has RUN values in registers, consecutive along this axis. Neighbours along the other axis belong to
// neighbouring threads. For a strip a thread reads two or three words from shared memory and RUN + STRIP - 1 values
// through the L1 cache, at distances known at compile time, for RUN * STRIP multiply-adds. Threads are distributed over
// the existing values, not over a rectangle, because rows of values have different lengths.
//
//   forward   a block has values of one orientation. It processes the whole stored row, STAGED strips at a time, each
//             for its plane and for the mirror image across the panels.
//   back      a block has voxels of one plane and one phase. It processes the groups of all orientations, concatenated.
//             A warp skips a strip that moves no value onto its voxels.
//
// If a symmetry exchanges rows and columns, strips are along the rows of an image of shifts. Such orientations have
// their own kernels, TURNED, which read all images transposed.
//
// Each sum has one order, without atomics: the bits are always the same.

{% if half == "true" %}
typedef ushort4 values_t;
{% else %}
typedef float4 values_t;
{% endif %}
constexpr int THREADS = {{ threads }}, RUN = {{ run }}, STAGED = {{ staged }}, STRIP = 4;
constexpr int ROWS = {{ rows }}, COLUMNS = {{ columns }}, PLANES = {{ planes }}, EDGE = {{ edge }}, MARGIN = {{ margin }};
constexpr int STORED = (PLANES + 1) / 2, PHASES = EDGE * EDGE, GROUPS = STORED * PHASES;
constexpr int IMAGE = (ROWS + 2 * MARGIN) * (COLUMNS + 2 * MARGIN);
constexpr int ACROSS = 6;  // both mirrors
// Rows of zeros before and after the values of an orientation: a thread crosses their edge without a test.
constexpr int BEYOND = RUN - 1 + STRIP - 1;

// Images of a phase as the kernels read them: LENGTH rows of WIDTH, which are the rows of the panel or its columns.
template <bool TURNED>
struct Layout {
  static constexpr int LENGTH = TURNED ? COLUMNS : ROWS, WIDTH = TURNED ? ROWS : COLUMNS;
  static constexpr int PITCH = WIDTH + 2 * MARGIN;
  static constexpr int FRONT = (STRIP - 1) * PITCH;  // zeros before the first image: a mirrored strip can begin there
  static constexpr int PLANE = PHASES * IMAGE + (RUN + STRIP) * PITCH;  // threads can read after the last rows
  // Distances start this far before the first padded image, so that none is negative.
  static constexpr int BEFORE = 256 * (WIDTH + 1);
};

// row: row among those on the device. turn: symmetry that leads from it, 1 for the exchange, + 2 and + 4 for the
// mirrors of rows and of columns after it. a, b: absolute values. start: start of its values; padded: start of its
// padded image.
struct __align__(16) Orientation {
  int row, turn, a, b, n_rows, n_columns, start, padded;
};

__device__ __forceinline__ Orientation at(const int* orientations, int i) {
  return reinterpret_cast<const Orientation*>(orientations)[i];
}

// Number of values of an orientation along the runs of threads, and across them.
template <bool TURNED>
__device__ __forceinline__ int n_along(const Orientation& o) {
  return TURNED ? o.n_columns : o.n_rows;
}
template <bool TURNED>
__device__ __forceinline__ int n_across(const Orientation& o) {
  return TURNED ? o.n_rows : o.n_columns;
}

// Stored rows: start of each row, starts of its groups relative to the row, and its strips: (u + MARGIN) * 256 + v +
// MARGIN of the first non-zero, and the values in units of `scales`.
{% set stored = "const long long* row_starts, const int* groups, const unsigned short* codes, const values_t* values,
    const float* scales" %}

__device__ __forceinline__ const float* moved(const float* from, unsigned bytes) {
  return reinterpret_cast<const float*>(reinterpret_cast<const char*>(from) + bytes);
}

// Positions to read [bytes from the thread's own position], for the stored plane and for its mirror image, and weights.
struct __align__(16) Both {
  float4 weights, far_weights;
  unsigned near, far;
};

// Position to read [bytes from the thread's own position], and the range of voxels: first and number along the run
// (from RUN - 1 before) and across it.
struct __align__(16) Reach {
  float4 weights;
  unsigned from;
  short along, n_along, across, n_across;
};

// Half precision from its bits: exact for all finite numbers.
__device__ __forceinline__ float decoded(unsigned short bits) {
  return __uint_as_float((bits & 0x8000u) << 16 | (bits & 0x7fffu) << 13) * 5.192296858534828e33f;  // 2^112
}
__device__ __forceinline__ float decoded(float value) { return value; }

// A strip after a symmetry: position of its first value along the run, and its values in this direction.
struct Strip {
  int along, across;
  float4 weights;
};

template <bool TURNED>
__device__ __forceinline__ Strip turned(int code, values_t values, float scale, const Orientation& o, int turn) {
  const int first = (code >> 8) - MARGIN, second = (code & 255) - MARGIN;
  const bool back = turn & (TURNED ? 4 : 2), other = turn & (TURNED ? 2 : 4);
  const float4 w = {decoded(values.x) * scale, decoded(values.y) * scale, decoded(values.z) * scale, decoded(values.w) * scale};
  return {back ? (TURNED ? o.b : o.a) - first - (STRIP - 1) : first, other ? (TURNED ? o.a : o.b) - second : second,
          back ? float4{w.w, w.z, w.y, w.x} : w};
}

// Number of the image to which a symmetry maps `phase`; transposed images are in transposed order.
template <bool TURNED>
__device__ __forceinline__ int turned_phase(int phase, int turn) {
  const int first = phase / EDGE, second = phase % EDGE;
  const bool back = turn & (TURNED ? 4 : 2), other = turn & (TURNED ? 2 : 4);
  return (back ? EDGE - 1 - first : first) * EDGE + (other ? EDGE - 1 - second : second);
}

// The group that a symmetry maps to `phase`.
__device__ __forceinline__ int phase_before(int phase, int turn) {
  const int first = phase / EDGE, second = phase % EDGE;
  const int j = turn & 2 ? EDGE - 1 - first : first, k = turn & 4 ? EDGE - 1 - second : second;
  return turn & 1 ? k * EDGE + j : j * EDGE + k;
}

// The last i of 0 ... n - 1 with starts[i] <= at; starts[0] must fulfil it.
__device__ __forceinline__ int found(const int* starts, int n, int at) {
  int low = 0;
  while (n > 1) {
    const int half = n >> 1;
    low = starts[low + half] <= at ? low + half : low;
    n -= half;
  }
  return low;
}

template <bool TURNED>
__device__ __forceinline__ unsigned place(const Strip& strip, int plane, int phase, int turn) {
  using L = Layout<TURNED>;
  const int row = strip.along + MARGIN, column = strip.across + MARGIN;
  return 4u * (L::FRONT + plane * L::PLANE + turned_phase<TURNED>(phase, turn) * IMAGE + row * L::PITCH + column);
}

template <bool TURNED>
__device__ __forceinline__ Both staged_both(int group, const Orientation& o, int code, values_t values, float scale) {
  const int plane = group / PHASES, phase = group % PHASES, opposite = PLANES - 1 - plane;
  const Strip near = turned<TURNED>(code, values, scale, o, o.turn);
  // The middle plane is its own mirror image, and counts once.
  const Strip far = turned<TURNED>(code, values, opposite == plane ? 0.0f : scale, o, o.turn ^ ACROSS);
  return {near.weights, far.weights, place<TURNED>(near, plane, phase, o.turn),
          place<TURNED>(far, opposite, phase, o.turn ^ ACROSS)};
}

// sums[k] += weights of a strip times RUN + STRIP - 1 numbers, with a stride of `STRIDE`.
template <int STRIDE>
__device__ __forceinline__ void add_strip(float* sums, float4 weights, const float* __restrict__ from) {
  float read[RUN + STRIP - 1];
#pragma unroll
  for (int k = 0; k < RUN + STRIP - 1; ++k) read[k] = from[k * STRIDE];
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    sums[k] += weights.x * read[k];
    sums[k] += weights.y * read[k + 1];
    sums[k] += weights.z * read[k + 2];
    sums[k] += weights.w * read[k + 3];
  }
}

template <bool TURNED>
__device__ __forceinline__ void forward_of(
    const int* orientations, {{ stored }},
    const float* __restrict__ image, float* __restrict__ out) {
  using L = Layout<TURNED>;
  __shared__ Both staged[STAGED];
  const Orientation o = at(orientations, blockIdx.y);
  const int length = n_along<TURNED>(o), width = n_across<TURNED>(o);
  const int n_threads = (length + RUN - 1) / RUN * width, first = blockIdx.x * THREADS;
  if (first >= n_threads) return;
  const int mine = min(first + (int)threadIdx.x, n_threads - 1);
  const bool is_idle = first + (int)threadIdx.x / 32 * 32 >= n_threads;  // a whole warp that only stages strips
  const int along = mine / width * RUN, across = mine % width;
  const float* __restrict__ const from = image + along * L::PITCH + across;
  const long long begin = row_starts[o.row];
  const int n = (int)(row_starts[o.row + 1] - begin);
  const float scale = scales[o.row];
  groups += o.row * (GROUPS + 1);

  float sums[RUN] = {};
  for (int start = 0; start < n; start += STAGED) {
    const int n_here = min(STAGED, n - start);
    for (int i = threadIdx.x; i < n_here; i += THREADS) {
      const int group = found(groups, GROUPS, start + i);
      staged[i] = staged_both<TURNED>(group, o, codes[begin + start + i], values[begin + start + i], scale);
    }
    __syncthreads();
    for (int i = 0; i < (is_idle ? 0 : n_here); ++i) {
      const Both both = staged[i];
      add_strip<L::PITCH>(sums, both.weights, moved(from, both.near));
      add_strip<L::PITCH>(sums, both.far_weights, moved(from, both.far));
    }
    __syncthreads();
  }
  if (first + threadIdx.x >= n_threads) return;
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    const int row = TURNED ? across : along + k, column = TURNED ? along + k : across;
    if (along + k < length) out[o.start + row * o.n_columns + column] = sums[k];
  }
}

// Copy values of the lines to images with rows as long as the panel's, and BEYOND rows of zeros before and after each.
template <bool TURNED>
__device__ __forceinline__ void pad_of(
    const int* orientations, const float* __restrict__ values, float* __restrict__ padded) {
  constexpr int WIDTH = Layout<TURNED>::WIDTH;
  const Orientation o = at(orientations, blockIdx.y);
  const int length = n_along<TURNED>(o), width = n_across<TURNED>(o), n = (length + 2 * BEYOND) * WIDTH;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    const int along = i / WIDTH - BEYOND, across = i % WIDTH;
    const int row = TURNED ? across : along, column = TURNED ? along : across;
    const bool inside = along >= 0 && along < length && across < width;
    padded[o.padded + i] = inside ? values[o.start + row * o.n_columns + column] : 0;
  }
}

template <bool TURNED>
__device__ __forceinline__ Reach staged_reach(int code, values_t values, float scale, const Orientation& o, int turn) {
  using L = Layout<TURNED>;
  const Strip strip = turned<TURNED>(code, values, scale, o, turn);
  const int from = L::BEFORE + o.padded + (BEYOND - (STRIP - 1) - strip.along) * L::WIDTH - strip.across;
  // A voxel further along the run reads an earlier value, so the weights are in reverse order.
  const float4 w = strip.weights;
  return {{ '{{' }}w.w, w.z, w.y, w.x}, 4u * from, (short)(strip.along - (RUN - 1)),
          (short)(n_along<TURNED>(o) + BEYOND), (short)strip.across, (short)n_across<TURNED>(o)};
}

// Replace the counts of a block by their exclusive prefix sums; the total is last.
__device__ __forceinline__ void add_up(int* starts, int count) {
  const int i = threadIdx.x;
  starts[i + 1] = count;
  if (i == 0) starts[0] = 0;
  for (int offset = 1; offset < THREADS; offset *= 2) {
    __syncthreads();
    const int before = i >= offset ? starts[i + 1 - offset] : 0;
    __syncthreads();
    starts[i + 1] += before;
  }
  __syncthreads();
}

template <bool TURNED>
__device__ __forceinline__ void back_of(
    const int* orientations, int n_orientations, {{ stored }},
    const float* __restrict__ padded, float* __restrict__ image) {
  using L = Layout<TURNED>;
  __shared__ Reach staged[STAGED];
  __shared__ int starts[THREADS + 1], firsts[THREADS];
  const int mine = blockIdx.x * THREADS + threadIdx.x, phase = blockIdx.y, plane = blockIdx.z;
  const int along = mine / L::WIDTH * RUN, across = mine % L::WIDTH;
  const int kept = min(plane, PLANES - 1 - plane), mirrors = plane == kept ? 0 : ACROSS;
  const float* __restrict__ const from = padded + along * L::WIDTH + across - L::BEFORE;

  float sums[RUN] = {};
  for (int first = 0; first < n_orientations; first += THREADS) {
    int count = 0;
    if (first + (int)threadIdx.x < n_orientations) {
      const Orientation o = at(orientations, first + threadIdx.x);
      const int group = kept * PHASES + phase_before(phase, o.turn ^ mirrors);
      const int* const begin = groups + o.row * (GROUPS + 1) + group;
      firsts[threadIdx.x] = begin[0];
      count = begin[1] - begin[0];
    }
    add_up(starts, count);
    const int n_all = starts[THREADS];
    __syncthreads();  // before `starts` is written again
    for (int start = 0; start < n_all; start += STAGED) {
      const int n_here = min(STAGED, n_all - start);
      for (int i = threadIdx.x; i < n_here; i += THREADS) {
        const int which = found(starts, THREADS, start + i);
        const Orientation o = at(orientations, first + which);
        const long long n = row_starts[o.row] + firsts[which] + start + i - starts[which];
        staged[i] = staged_reach<TURNED>(codes[n], values[n], scales[o.row], o, o.turn ^ mirrors);
      }
      __syncthreads();
      for (int i = 0; i < n_here; ++i) {
        const Reach reach = staged[i];
        if ((unsigned)(along - reach.along) < (unsigned)reach.n_along &&
            (unsigned)(across - reach.across) < (unsigned)reach.n_across) {
          add_strip<L::WIDTH>(sums, reach.weights, moved(from, reach.from));
        }
      }
      __syncthreads();
    }
  }
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    const int row = TURNED ? across : along + k, column = TURNED ? along + k : across;
    const int z = row * EDGE + phase / EDGE, x = column * EDGE + phase % EDGE;
    if (along + k < L::LENGTH) image[(z * PLANES + plane) * COLUMNS * EDGE + x] += sums[k];
  }
}

{% for name, turned in (("", "false"), ("_turned", "true")) %}
// image: FRONT zeros, then for each plane PHASES images of LENGTH + 2 MARGIN rows, and RUN + STRIP rows of zeros. out:
// values of all lines.
extern "C" __global__ void __launch_bounds__({{ threads }}, {{ blocks }}) forward{{ name }}(
    const int* orientations, {{ stored }},
    const float* __restrict__ image, float* __restrict__ out) {
  forward_of<{{ turned }}>(orientations, row_starts, groups, codes, values, scales, image, out);
}

extern "C" __global__ void __launch_bounds__({{ threads }}) pad{{ name }}(
    const int* orientations, const float* __restrict__ values, float* __restrict__ padded) {
  pad_of<{{ turned }}>(orientations, values, padded);
}

// image: (ROWS EDGE, PLANES, COLUMNS EDGE), which is added to. Blocks: voxels, phases, planes.
extern "C" __global__ void __launch_bounds__({{ threads }}, {{ blocks }}) back{{ name }}(
    const int* orientations, int n_orientations, {{ stored }},
    const float* __restrict__ padded, float* __restrict__ image) {
  back_of<{{ turned }}>(orientations, n_orientations, row_starts, groups, codes, values, scales, padded, image);
}
{% endfor %}
