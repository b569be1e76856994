// Joseph's line integrals on the GPU and their exact adjoint, ray by ray. This text follows joseph_view.cu. The
// formula is at the top of the twin, joseph.py.
//
// The main axis is chosen for each ray. Axes are picked by selects, which cost a few instructions per ray and none
// per layer. Rays of a warp with different main axes do not wait for each other. A thread processes a ray, or
// several rows of a column one after another. It crosses all layers, or some layers per launch.
//
// `volume` can be a slab, or any box, of the whole: it adds the contribution of its own voxels. Taps outside are
// skipped, so no volume needs a border. A texture interpolates with fractions of 1/256, memory reads with float32.
// Adjacent rays along x cross a layer next to each other in y. From memory they read `turned`, the same box with y
// fastest, so that a warp loads a few cache lines instead of one for each ray.
typedef {{ sum }} sum_t;
constexpr bool FIXED = {{ fixed }};
constexpr int RUN = {{ run }};
constexpr float FLAT = 1e-20f;
constexpr float MARGIN = 0.0625f;  // voxels; rounding errors of positions are far smaller
{% set scene = "int nx, int ny, int nz, float first_x, float first_y, float first_z, float voxel_x, float voxel_y,
    float voxel_z, int first_layer, int n_layers, int n_columns, int n_rows" %}
{% set box_values = "{nx, first_x, voxel_x, 1}, {ny, first_y, voxel_y, nx}, {nz, first_z, voxel_z, nx * ny}" %}

// An axis of the box: number of voxels, centre of the first one, edge of one [mm], stride in memory.
struct Side {
  int n;
  float first, voxel_mm;
  int stride;
};

// A ray in the frame of its main axis: its position in layer 0 and its change per layer, in voxels from the centre of
// the first one; the layers that it crosses; mm between two layers.
struct Ray {
  float u, v, slope_u, slope_v, mm;
  int main, start, stop, n_u, n_v, stride, stride_u, stride_v;
};

struct Range {
  float low, high;
};

// Layers for which `at` + layer * `slope` is between two bounds.
__device__ __forceinline__ Range within(float at, float slope, float above, float below) {
  const float per_slope = 1 / copysignf(fmaxf(fabsf(slope), FLAT), slope);
  const float one = (above - at) * per_slope, other = (below - at) * per_slope;
  return {fminf(one, other), fmaxf(one, other)};
}

// An integer from `first` to `last`; a layer outside becomes the nearest.
__device__ __forceinline__ int clamped(float layer, int first, int last) {
  return (int)fminf(fmaxf(layer, (float)first), (float)last);
}

__device__ __forceinline__ Ray ray_at(
    const View& view, float column, float row, Side side_x, Side side_y, Side side_z, int first_layer, int n_layers) {
  float q[3], m[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    q[i] = along(view, i, column, row);
    m[i] = view.moment[i] + column * view.moment_column[i] + row * view.moment_row[i];
  }
  const int main = main_axis(q[0], q[1], q[2]);
  const Side k = pick(main, side_x, side_y, side_z), u = pick(main, side_y, side_z, side_x),
             v = pick(main, side_z, side_x, side_y);
  const float q_k = pick(main, q[0], q[1], q[2]), per_layer = 1 / q_k;
  const float x_mm = q[0] * side_x.voxel_mm, y_mm = q[1] * side_y.voxel_mm, z_mm = q[2] * side_z.voxel_mm;

  Ray ray;
  ray.main = main;
  ray.slope_u = pick(main, q[1], q[2], q[0]) * per_layer;
  ray.slope_v = pick(main, q[2], q[0], q[1]) * per_layer;
  ray.u = k.first * ray.slope_u - pick(main, m[2], m[0], m[1]) * per_layer - u.first;
  ray.v = k.first * ray.slope_v + pick(main, m[1], m[2], m[0]) * per_layer - v.first;
  ray.mm = sqrtf(x_mm * x_mm + y_mm * y_mm + z_mm * z_mm) / fabsf(q_k);
  const Range in_u = within(ray.u, ray.slope_u, -1, u.n), in_v = within(ray.v, ray.slope_v, -1, v.n);
  // Rounded outward: taps outside are skipped anyway.
  const float low = fmaxf(in_u.low, in_v.low), high = fminf(in_u.high, in_v.high);
  const int stop = min(k.n, first_layer + n_layers);
  ray.start = max(first_layer, clamped(floorf(low), 0, stop));
  ray.stop = min(stop, clamped(ceilf(high) + 1, 0, stop));
  ray.n_u = u.n;
  ray.n_v = v.n;
  ray.stride = k.stride;
  ray.stride_u = u.stride;
  ray.stride_v = v.stride;
  return ray;
}

// Call work(place, weight) for each of the four voxels around the ray in a layer that is inside.
template <class Work>
__device__ __forceinline__ void each_tap(const Ray& ray, int layer, Work work) {
  const float u = ray.u + layer * ray.slope_u, v = ray.v + layer * ray.slope_v;
  const float low_u = below(u), low_v = below(v);
  const float far_u = u - low_u, far_v = v - low_v, near_u = 1 - far_u, near_v = 1 - far_v;
  const int i = integer(low_u), j = integer(low_v);
  const bool has_near_u = (unsigned)i < (unsigned)ray.n_u, has_far_u = (unsigned)(i + 1) < (unsigned)ray.n_u;
  const bool has_near_v = (unsigned)j < (unsigned)ray.n_v, has_far_v = (unsigned)(j + 1) < (unsigned)ray.n_v;
  const int at = layer * ray.stride + i * ray.stride_u + j * ray.stride_v;
  if (has_near_u && has_near_v) work(at, near_u * near_v);
  if (has_far_u && has_near_v) work(at + ray.stride_u, far_u * near_v);
  if (has_near_u && has_far_v) work(at + ray.stride_v, near_u * far_v);
  if (has_far_u && has_far_v) work(at + ray.stride_u + ray.stride_v, far_u * far_v);
}

// Layers of a ray in which all four voxels around it are inside, with a margin for rounding.
struct Layers {
  int start, stop;
};

__device__ __forceinline__ Layers inner(const Ray& ray) {
  if (min(ray.n_u, ray.n_v) < 2) return {ray.start, ray.start};
  const Range in_u = within(ray.u, ray.slope_u, MARGIN, ray.n_u - 1 - MARGIN),
              in_v = within(ray.v, ray.slope_v, MARGIN, ray.n_v - 1 - MARGIN);
  const int start = clamped(ceilf(fmaxf(in_u.low, in_v.low)), ray.start, ray.stop);
  return {start, clamped(floorf(fminf(in_u.high, in_v.high)), start, ray.stop)};
}

// The sum over such layers.
__device__ __forceinline__ float sum_of(const Ray& ray, Layers layers, const float* __restrict__ from) {
  const float* far_u_from = from + ray.stride_u;
  const float *far_v_from = from + ray.stride_v, *far_from = far_v_from + ray.stride_u;
  // Integers stay in the format of `rounded_down`. Their common offset is subtracted once, modulo 2^32.
  unsigned base = layers.start * ray.stride - SHIFT_BITS * (unsigned)(ray.stride_u + ray.stride_v);
  float layer = layers.start, total = 0;
#pragma unroll 4
  for (int i = layers.start; i < layers.stop; ++i, ++layer, base += ray.stride) {
    const float u = ray.u + layer * ray.slope_u, v = ray.v + layer * ray.slope_v;
    const float whole_u = rounded_down(u), whole_v = rounded_down(v);
    const float far_u = u - (whole_u - SHIFT), far_v = v - (whole_v - SHIFT);
    const int at = base + bits(whole_u) * ray.stride_u + bits(whole_v) * ray.stride_v;
    const float near_near = __ldg(from + at), far_near = __ldg(far_u_from + at), near_far = __ldg(far_v_from + at),
                far_far = __ldg(far_from + at);
    const float near = near_near + far_u * (far_near - near_near), far = near_far + far_u * (far_far - near_far);
    total += near + far_v * (far - near);
  }
  return total;
}

// Call work(ray, pixel) for the rays of a thread; pixels count through the views of the launch.
template <class Work>
__device__ __forceinline__ void each_ray(
    Side side_x, Side side_y, Side side_z, int first_layer, int n_layers, int n_columns, int n_rows, Work work) {
  const int column = blockIdx.x * COLUMNS + threadIdx.x, first_row = blockIdx.y * ROWS * RUN + threadIdx.y;
  if (column >= n_columns) return;
  const float from_middle = column - 0.5f * (n_columns - 1);
  for (int i = 0, row = first_row; i < RUN && row < n_rows; ++i, row += ROWS) {
    const Ray ray = ray_at(
        views[blockIdx.z], from_middle, row - 0.5f * (n_rows - 1), side_x, side_y, side_z, first_layer, n_layers);
    work(ray, ((size_t)blockIdx.z * n_rows + row) * n_columns + column);
  }
}

// Launch bounds: with a minimum of one block per multiprocessor the compiler uses all registers it needs.
extern "C" __global__ void __launch_bounds__({{ threads }}, 1) forward(
    {% if texture == "true" %}cudaTextureObject_t volume{% else %}const float* __restrict__ volume, const float* __restrict__ turned{% endif %},
    {{ scene }}, int adds, float* __restrict__ out) {
  each_ray({{ box_values }}, first_layer, n_layers, n_columns, n_rows, [&](const Ray& ray, size_t pixel) {
    float total = 0;
{% if texture == "true" %}
    // Texels are centred at + 1/2.
    const float u = ray.u + 0.5f, v = ray.v + 0.5f;
    const float x = pick(ray.main, 0.5f, v, u), step_x = pick(ray.main, 1.0f, ray.slope_v, ray.slope_u);
    const float y = pick(ray.main, u, 0.5f, v), step_y = pick(ray.main, ray.slope_u, 1.0f, ray.slope_v);
    const float z = pick(ray.main, v, u, 0.5f), step_z = pick(ray.main, ray.slope_v, ray.slope_u, 1.0f);
#pragma unroll 4
    for (int layer = ray.start; layer < ray.stop; ++layer)
      total += tex3D<float>(volume, x + layer * step_x, y + layer * step_y, z + layer * step_z);
{% else %}
    const bool is_along_x = ray.main == 0;
    const float* from = is_along_x ? turned : volume;
    Ray there = ray;
    if (is_along_x) there.stride = ny, there.stride_u = 1;
    const Layers all_inside = inner(there);
    const auto add_tap = [&](int at, float weight) { total += weight * __ldg(from + at); };
    for (int layer = ray.start; layer < all_inside.start; ++layer) each_tap(there, layer, add_tap);
    total += sum_of(there, all_inside, from);
    for (int layer = all_inside.stop; layer < ray.stop; ++layer) each_tap(there, layer, add_tap);
{% endif %}
    out[pixel] = adds ? out[pixel] + total * ray.mm : total * ray.mm;
  });
}

__device__ __forceinline__ void add(sum_t* sums, int at, float share) {
{% if fixed == "true" %}
  const long long whole = (long long)(share + copysignf(0.5f, share));
  if (whole) atomicAdd((unsigned long long*)sums + at, (unsigned long long)whole);
{% else %}
  atomicAdd(sums + at, share);
{% endif %}
}

extern "C" __global__ void __launch_bounds__({{ threads }}, 1) back(
    const float* __restrict__ values, {{ scene }}, double unit, sum_t* __restrict__ sums) {
  each_ray({{ box_values }}, first_layer, n_layers, n_columns, n_rows, [&](const Ray& ray, size_t pixel) {
    const float value = values[pixel] * ray.mm * (FIXED ? (float)unit : 1.0f);
    if (value == 0) return;
    for (int layer = ray.start; layer < ray.stop; ++layer)
      each_tap(ray, layer, [&](int at, float weight) { add(sums, at, weight * value); });
  });
}

// Convert sums in units of 1 / unit to values times mm.
extern "C" __global__ void __launch_bounds__({{ threads }}, 1) collect(
    const sum_t* __restrict__ sums, double per_unit, size_t n, float* __restrict__ out) {
  const size_t step = (size_t)gridDim.x * {{ threads }};
  for (size_t i = (size_t)blockIdx.x * {{ threads }} + threadIdx.x; i < n; i += step)
    out[i] = (float)((double)sums[i] * per_unit);
}
