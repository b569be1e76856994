// Projection with a stored response, in correlation form; the formula is at the head of the twin, matrix.py.
//
// A thread keeps RUN values in registers, one below the other, and neighbours along a row belong to
// neighbouring threads: a non-zero costs a thread one read from shared memory, and each of its values one
// read through the first cache, at a distance that is known when this is compiled, and one product and sum.
// Rows of values are as short as they are: threads are dealt out over what there is, not over a rectangle.
//
//   forward   a block has values of one orientation and walks its whole row, STAGED non-zeros at a time, each
//             for its plane and for the mirror image across the panels
//   back      a block has voxels of one plane and one phase, and walks the groups of all orientations, laid
//             end to end; a warp passes over a non-zero that moves no value onto its voxels
//
// Each sum has one order: no atomics, the same bits always.

{% if half == "true" %}
typedef unsigned short value_t;
{% else %}
typedef float value_t;
{% endif %}
constexpr int THREADS = {{ threads }}, RUN = {{ run }}, STAGED = {{ staged }};
constexpr int ROWS = {{ rows }}, COLUMNS = {{ columns }}, PLANES = {{ planes }}, EDGE = {{ edge }}, MARGIN = {{ margin }};
constexpr int STORED = (PLANES + 1) / 2, PHASES = EDGE * EDGE, GROUPS = STORED * PHASES;
constexpr int PITCH = COLUMNS + 2 * MARGIN, PICTURE = (ROWS + 2 * MARGIN) * PITCH;
constexpr int PLANE = PHASES * PICTURE + RUN * PITCH;  // the last rows may be read beyond their end
constexpr int ACROSS = 6;  // both mirrors

// row: among those on the card. turn: that leads from it, 1 for the interchange, + 2 and + 4 for the mirrors of
// rows and of columns after it. a, b: without sign. start: of its values; padded: of its padded image.
struct __align__(16) Orientation {
  int row, turn, a, b, n_rows, n_columns, start, padded;
};

__device__ __forceinline__ Orientation at(const int* orientations, int i) {
  return reinterpret_cast<const Orientation*>(orientations)[i];
}

// Stored rows: where each begins, where its groups begin (from there), and its non-zeros: (u + MARGIN) * 256 +
// v + MARGIN, and the value, of which `scales` is the unit.
{% set stored = "const long long* row_starts, const int* groups, const unsigned short* codes, const value_t* values,
    const float* scales" %}

// Before the first padded image by so much: no distance from there is negative.
constexpr int BEFORE = 256 * (COLUMNS + 1);

__device__ __forceinline__ const float* moved(const float* from, unsigned bytes) {
  return reinterpret_cast<const float*>(reinterpret_cast<const char*>(from) + bytes);
}

struct Shift {
  int u, v;
};

// Where to read [bytes from the thread's own place], for the stored plane and for its mirror image, and with what
// weight.
struct __align__(16) Both {
  unsigned near, far;
  float weight, far_weight;
};

// Where to read [bytes from the thread's own place], and for which of the thread's voxels: first and number of rows
// (RUN - 1 above too) and columns.
struct __align__(16) Reach {
  unsigned from;
  float weight;
  short row, n_rows, column, n_columns;
};

__device__ __forceinline__ float decoded(float value) { return value; }

// Half precision, by its bits: exact for all that is finite.
__device__ __forceinline__ float decoded(unsigned short bits) {
  return __uint_as_float((bits & 0x8000u) << 16 | (bits & 0x7fffu) << 13) * 5.192296858534828e33f;  // 2^112
}

__device__ __forceinline__ Shift turned(int code, int turn, int a, int b) {
  const int first = (code >> 8) - MARGIN, second = (code & 255) - MARGIN;
  const int u = turn & 1 ? second : first, v = turn & 1 ? first : second;
  return {turn & 2 ? a - u : u, turn & 4 ? b - v : v};
}

__device__ __forceinline__ int turned_phase(int phase, int turn) {
  const int first = phase / EDGE, second = phase % EDGE;
  const int j = turn & 1 ? second : first, k = turn & 1 ? first : second;
  return (turn & 2 ? EDGE - 1 - j : j) * EDGE + (turn & 4 ? EDGE - 1 - k : k);
}

// The group that a turn makes `phase` of.
__device__ __forceinline__ int phase_before(int phase, int turn) {
  const int first = phase / EDGE, second = phase % EDGE;
  const int j = turn & 2 ? EDGE - 1 - first : first, k = turn & 4 ? EDGE - 1 - second : second;
  return turn & 1 ? k * EDGE + j : j * EDGE + k;
}

// The last i of 0 ... n - 1 with starts[i] <= at, where starts[0] does.
__device__ __forceinline__ int found(const int* starts, int n, int at) {
  int low = 0;
  while (n > 1) {
    const int half = n >> 1;
    low = starts[low + half] <= at ? low + half : low;
    n -= half;
  }
  return low;
}

__device__ __forceinline__ unsigned place(int code, int plane, int phase, const Orientation& o, int turn) {
  const Shift shift = turned(code, turn, o.a, o.b);
  const int row = shift.u + MARGIN, column = shift.v + MARGIN;
  return 4u * (plane * PLANE + turned_phase(phase, turn) * PICTURE + row * PITCH + column);
}

__device__ __forceinline__ Both staged_both(
    int at, const Orientation& o, const int* groups, const unsigned short* codes, const value_t* values, float scale) {
  const int group = found(groups, GROUPS, at), plane = group / PHASES, phase = group % PHASES;
  const int opposite = PLANES - 1 - plane, code = codes[at];
  const float weight = decoded(values[at]) * scale;
  const unsigned far = place(code, opposite, phase, o, o.turn ^ ACROSS);
  return {place(code, plane, phase, o, o.turn), far, weight, opposite == plane ? 0 : weight};
}

// image: of each plane (PHASES, ROWS + 2 MARGIN, PITCH), and RUN rows of zeros. out: values of all lines.
extern "C" __global__ void __launch_bounds__({{ threads }}, {{ blocks }}) forward(
    const int* orientations, {{ stored }},
    const float* __restrict__ image, float* __restrict__ out) {
  __shared__ Both staged[STAGED];
  const Orientation o = at(orientations, blockIdx.y);
  const int n_threads = (o.n_rows + RUN - 1) / RUN * o.n_columns, first = blockIdx.x * THREADS;
  if (first >= n_threads) return;
  const int mine = min(first + (int)threadIdx.x, n_threads - 1);
  const int row = mine / o.n_columns * RUN, column = mine % o.n_columns;
  const float* __restrict__ const from = image + row * PITCH + column;
  const long long begin = row_starts[o.row];
  const int n = (int)(row_starts[o.row + 1] - begin);
  const float scale = scales[o.row];
  groups += o.row * (GROUPS + 1);

  float sums[RUN] = {};
  for (int start = 0; start < n; start += STAGED) {
    const int n_here = min(STAGED, n - start);
    for (int i = threadIdx.x; i < n_here; i += THREADS) {
      staged[i] = staged_both(start + i, o, groups, codes + begin, values + begin, scale);
    }
    __syncthreads();
#pragma unroll 2
    for (int i = 0; i < n_here; ++i) {
      const Both both = staged[i];
      const float *const near = moved(from, both.near), *const far = moved(from, both.far);
#pragma unroll
      for (int k = 0; k < RUN; ++k) {
        sums[k] += both.weight * near[k * PITCH];
        sums[k] += both.far_weight * far[k * PITCH];
      }
    }
    __syncthreads();
  }
  if (first + threadIdx.x >= n_threads) return;
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    if (row + k < o.n_rows) out[o.start + (row + k) * o.n_columns + column] = sums[k];
  }
}

// Values of the lines -> images with rows as long as the panel's, RUN - 1 rows of zeros above and below each.
extern "C" __global__ void __launch_bounds__({{ threads }}) pad(
    const int* orientations, const float* __restrict__ values, float* __restrict__ padded) {
  const Orientation o = at(orientations, blockIdx.y);
  const int n = (o.n_rows + 2 * (RUN - 1)) * COLUMNS;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    const int row = i / COLUMNS - (RUN - 1), column = i % COLUMNS;
    const bool inside = row >= 0 && row < o.n_rows && column < o.n_columns;
    padded[o.padded + i] = inside ? values[o.start + row * o.n_columns + column] : 0;
  }
}

__device__ __forceinline__ Reach staged_reach(int code, float weight, const Orientation& o, int turn) {
  const Shift shift = turned(code, turn, o.a, o.b);
  const int from = BEFORE + o.padded + (RUN - 1 - shift.u) * COLUMNS - shift.v;
  return {4u * from, weight, (short)(shift.u - (RUN - 1)), (short)(o.n_rows + RUN - 1), (short)shift.v, (short)o.n_columns};
}

// counts -> the sum of those before each, and of all at the end; of the whole block.
__device__ __forceinline__ void add_up(int* starts, int count) {
  const int i = threadIdx.x;
  starts[i + 1] = count;
  if (i == 0) starts[0] = 0;
  for (int apart = 1; apart < THREADS; apart *= 2) {
    __syncthreads();
    const int before = i >= apart ? starts[i + 1 - apart] : 0;
    __syncthreads();
    starts[i + 1] += before;
  }
  __syncthreads();
}

// image: (ROWS EDGE, PLANES, COLUMNS EDGE), to which the sums are added. Blocks: voxels, phases, planes.
extern "C" __global__ void __launch_bounds__({{ threads }}, {{ blocks }}) back(
    const int* orientations, int n_orientations, {{ stored }},
    const float* __restrict__ padded, float* __restrict__ image) {
  __shared__ Reach staged[STAGED];
  __shared__ int starts[THREADS + 1], firsts[THREADS];
  const int mine = blockIdx.x * THREADS + threadIdx.x, phase = blockIdx.y, plane = blockIdx.z;
  const int row = mine / COLUMNS * RUN, column = mine % COLUMNS;
  const int kept = min(plane, PLANES - 1 - plane), across = plane == kept ? 0 : ACROSS;
  const float* __restrict__ const from = padded + row * COLUMNS + column - BEFORE;

  float sums[RUN] = {};
  for (int first = 0; first < n_orientations; first += THREADS) {
    int count = 0;
    if (first + (int)threadIdx.x < n_orientations) {
      const Orientation o = at(orientations, first + threadIdx.x);
      const int group = kept * PHASES + phase_before(phase, o.turn ^ across);
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
        staged[i] = staged_reach(codes[n], decoded(values[n]) * scales[o.row], o, o.turn ^ across);
      }
      __syncthreads();
      for (int i = 0; i < n_here; ++i) {
        const Reach reach = staged[i];
        if ((unsigned)(row - reach.row) < (unsigned)reach.n_rows &&
            (unsigned)(column - reach.column) < (unsigned)reach.n_columns) {
          const float* const there = moved(from, reach.from);
#pragma unroll
          for (int k = 0; k < RUN; ++k) sums[k] += reach.weight * there[k * COLUMNS];
        }
      }
      __syncthreads();
    }
  }
  const int z = row * EDGE + phase / EDGE, x = column * EDGE + phase % EDGE;
#pragma unroll
  for (int k = 0; k < RUN; ++k) {
    if (row + k < ROWS) image[((z + k * EDGE) * PLANES + plane) * COLUMNS * EDGE + x] += sums[k];
  }
}
