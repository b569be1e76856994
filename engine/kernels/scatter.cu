// Single scatter between detector samples. The formulas are in engine.corrections.scatter_estimation.simulation. The
// twins are scatter/paths.py and scatter/single_scatter.py, with the same order of sums.
//
//   trace   a thread computes one path from a scatter point to a sample: its detection factor and the integrals along
//           it. With time of flight it adds the activity to steps of the path, `cells`
//   blur    a thread computes one edge of the steps of one path: the blurred activity up to it
//   pairs   a thread computes one pair of samples, the lower number first, and adds the contribution of each scatter
//           point, point by point
//
// Each sum has one order, without atomics, so the bits are always the same. Sums are double. The twin traces paths and
// adds pairs in float32 vectors, so both agree to 1e-5.

constexpr int THREADS = {{ threads }};  // minimum of one block per multiprocessor: more registers, no spills

constexpr int AT_ONCE = 16;  // steps of an integral are a multiple of it, as in the vectors of the twin

// Values in space: centre of the first voxel and edges of a voxel, x y z [mm], and numbers of voxels.
struct Field {
  const float* values;
  double lower[3], voxel[3];
  int n_z, n_y, n_x;
};

__device__ __forceinline__ Field field_of(const float* values, const double* box, int n_z, int n_y, int n_x) {
  return {values, {box[0], box[1], box[2]}, {box[3], box[4], box[5]}, n_z, n_y, n_x};
}

__device__ __forceinline__ double least_edge(const Field& field) {
  return min(min(field.voxel[0], field.voxel[1]), field.voxel[2]);
}

__device__ __forceinline__ double corner(const Field& f, int k, int j, int i) {
  const bool inside = 0 <= k && k < f.n_z && 0 <= j && j < f.n_y && 0 <= i && i < f.n_x;
  return inside ? double(f.values[((long long)k * f.n_y + j) * f.n_x + i]) : 0.0;
}

// Value at a position in voxels, by trilinear interpolation; 0 outside.
__device__ double value_at(const Field& f, double x, double y, double z) {
  if (!(-1.0 < x && x < f.n_x && -1.0 < y && y < f.n_y && -1.0 < z && z < f.n_z)) return 0.0;
  const int i = int(floor(x)), j = int(floor(y)), k = int(floor(z));
  x -= i;
  y -= j;
  z -= k;
  double low = (1 - y) * ((1 - x) * corner(f, k, j, i) + x * corner(f, k, j, i + 1));
  low += y * ((1 - x) * corner(f, k, j + 1, i) + x * corner(f, k, j + 1, i + 1));
  double high = (1 - y) * ((1 - x) * corner(f, k + 1, j, i) + x * corner(f, k + 1, j, i + 1));
  high += y * ((1 - x) * corner(f, k + 1, j + 1, i) + x * corner(f, k + 1, j + 1, i + 1));
  return (1 - z) * low + z * high;
}

// A path from a scatter point, and its range inside a field [mm from the point].
struct Segment {
  double from[3], direction[3], length;
};

struct Reach {
  double near, far;
};

__device__ Reach reach(const Field& f, const Segment& segment) {
  const int sizes[3] = {f.n_x, f.n_y, f.n_z};
  Reach found = {0.0, segment.length};
  #pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const double low = f.lower[axis] - f.voxel[axis] - segment.from[axis];
    const double high = low + (sizes[axis] + 1) * f.voxel[axis];
    const double slope = segment.direction[axis];
    if (fabs(slope) < 1e-12) {
      if (low > 0.0 || high < 0.0) return {0.0, 0.0};
    } else {
      const double one = low / slope, other = high / slope;
      found.near = max(found.near, min(one, other));
      found.far = min(found.far, max(one, other));
    }
  }
  found.far = max(found.near, found.far);
  return found;
}

// Value of a field at a distance from the point.
struct Sampled {
  const Field& field;
  double at[3], per_mm[3];

  __device__ Sampled(const Field& f, const Segment& segment) : field(f) {
    #pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const double voxels = 1.0 / f.voxel[axis];
      at[axis] = (segment.from[axis] - f.lower[axis]) * voxels;
      per_mm[axis] = segment.direction[axis] * voxels;
    }
  }

  __device__ double operator()(double far) const {
    return value_at(field, at[0] + far * per_mm[0], at[1] + far * per_mm[1], at[2] + far * per_mm[2]);
  }
};

// Number of steps of the integral over a range of a path; no step is longer than a voxel.
__device__ int steps_along(const Field& f, const Reach& part) {
  return AT_ONCE * int(ceil((part.far - part.near) / (AT_ONCE * least_edge(f))));
}

__device__ double integral(const Field& f, const Segment& segment) {
  const Reach part = reach(f, segment);
  const int n = steps_along(f, part);
  if (n <= 0) return 0.0;
  const double step = (part.far - part.near) / n;
  const Sampled value(f, segment);
  double total = 0.0;
  for (int k = 0; k < n; ++k) total += value(part.near + (k + 0.5) * step);
  return total * step;
}

// Add activity to steps of the path, from the point backwards; the cells are initially 0.
__device__ void fill_cells(const Field& f, const Segment& segment, double first_mm, double step_mm, int n, double* cells) {
  const Reach part = reach(f, segment);
  const int count = steps_along(f, part);
  if (count <= 0) return;
  const double fine = (part.far - part.near) / count;
  const Sampled value(f, segment);
  for (int k = 0; k < count; ++k) {
    const double at = part.near + (k + 0.5) * fine;
    const int cell = int((-at - first_mm) / step_mm);
    cells[min(max(cell, 0), n - 1)] += value(at) * fine;
  }
}

// points: (n_points, 3); places, normals: (n_samples, 3); boxes: centre of the first voxel and edges of a voxel, of
// activity and of attenuation; paths: for each point and sample the direction, (3, n), then length, detection factor
// and attenuation, (n) each; activity: (n, n_steps + 1), cells: (n, n_steps), both by path.
extern "C" __global__ void __launch_bounds__({{ threads }}, 1) trace(
    const double* points, int n_points, const double* places, const double* normals, int n_samples, double depth_mm,
    double removal, const double* boxes, const float* active, int a_z, int a_y, int a_x, const float* mu, int m_z,
    int m_y, int m_x, double first_mm, double step_mm, int n_steps, double* paths, float* activity, double* cells) {
  const int n = n_points * n_samples, path = blockIdx.x * THREADS + threadIdx.x;
  if (path >= n) return;
  const int s = path / n_samples, d = path - s * n_samples;
  Segment segment;
  double length2 = 0.0, cosine = 0.0;
  #pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    segment.from[axis] = points[3 * s + axis];
    segment.direction[axis] = places[3 * d + axis] - segment.from[axis];
    length2 += segment.direction[axis] * segment.direction[axis];
  }
  segment.length = sqrt(length2);
  #pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    segment.direction[axis] /= segment.length;
    cosine += segment.direction[axis] * normals[3 * d + axis];
    paths[(long long)axis * n + path] = segment.direction[axis];
  }
  double seen = 0.0;
  if (cosine > 1e-6) seen = -cosine * expm1(-removal * depth_mm / cosine) / -expm1(-removal * depth_mm);
  paths[3LL * n + path] = segment.length;
  paths[4LL * n + path] = seen / length2;
  const Field attenuating = field_of(mu, boxes + 6, m_z, m_y, m_x);
  paths[5LL * n + path] = integral(attenuating, segment);
  const Field source = field_of(active, boxes, a_z, a_y, a_x);
  if (n_steps > 0) {
    double* own = cells + (long long)path * n_steps;
    for (int k = 0; k < n_steps; ++k) own[k] = 0.0;
    fill_cells(source, segment, first_mm, step_mm, n_steps, own);
  } else {
    activity[path] = float(integral(source, segment));
  }
}

// edges: (2 n_steps + 1) values of the distribution function of the timing error.
extern "C" __global__ void __launch_bounds__({{ threads }}, 1) blur(
    const double* cells, const double* edges, int n_paths, int n_steps, float* activity) {
  const int n_edges = n_steps + 1, number = blockIdx.x * THREADS + threadIdx.x;
  if (number >= n_paths * n_edges) return;
  const int path = number / n_edges, edge = number - path * n_edges;
  const double* own = cells + (long long)path * n_steps;
  double total = 0.0;
  for (int k = 0; k < n_steps; ++k) total += own[k] * edges[n_steps + edge - k];
  activity[number] = float(total);
}

__device__ __forceinline__ double looked_up(const double* table, int size, double at) {
  const int k = min(int(at), size - 2);
  return table[k] + (at - k) * (table[k + 1] - table[k]);
}

// Add the differences between neighbouring edges; at: position of the first edge among those of the path.
__device__ __forceinline__ void add_bins(
    const float* blurred, int last, double weight, double at, int stride, int sign, int n_bins, long long bin_stride,
    double* out) {
  const int k = int(floor(at));
  const double part = at - k;
  double before = 0.0;
  for (int t = 0; t <= n_bins; ++t) {
    const int i = k + t * stride;
    const float low = blurred[min(max(i, 0), last)], high = blurred[min(max(i + 1, 0), last)];
    const double value = low + part * (high - low);
    if (t > 0) out[(sign > 0 ? t - 1 : n_bins - t) * bin_stride] += weight * (value - before);
    before = value;
  }
}

// partners: (n, n), 1 if two samples are a pair; weights: (n_points); tables: chance, then growth, of `n_angles`
// cosines from `least` to 1, `scale` for each unit; per_mm: steps of a path; sums: (n_bins, n, n), towards the second
// sample. No division here: its slow path would cost registers.
extern "C" __global__ void __launch_bounds__({{ threads }}, 1) pairs(
    const unsigned char* partners, int n_samples, const double* weights, int n_points, const double* paths,
    const float* activity, int n_steps, const double* tables, int n_angles, double least, double scale,
    double bins_mm, double first_mm, double per_mm, int stride, int n_bins, double* sums) {
  const int a = blockIdx.y, b = blockIdx.x * THREADS + threadIdx.x;
  if (b <= a || b >= n_samples || !partners[(long long)a * n_samples + b]) return;
  const long long n = (long long)n_points * n_samples, bin_stride = (long long)n_samples * n_samples;
  const double *directions = paths, *lengths = paths + 3 * n, *seen = paths + 4 * n, *mu = paths + 5 * n;
  double* out = sums + (long long)a * n_samples + b;
  double sum = n_steps == 0 ? *out : 0.0;
  for (int s = 0; s < n_points; ++s) {
    const long long to_a = (long long)s * n_samples + a, to_b = (long long)s * n_samples + b;
    const double weight_a = weights[s] * seen[to_a];
    if (weight_a == 0.0) continue;
    const double cosine = -(directions[to_a] * directions[to_b] + directions[n + to_a] * directions[n + to_b] +
                            directions[2 * n + to_a] * directions[2 * n + to_b]);
    if (cosine <= least) continue;
    const float *active_a = activity + to_a * (n_steps + 1), *active_b = activity + to_b * (n_steps + 1);
    const float total_a = active_a[n_steps], total_b = active_b[n_steps];
    if (total_a + total_b == 0.0f) continue;
    const double at = (cosine - least) * scale;
    const double growth = looked_up(tables + n_angles, n_angles, at), mu_a = mu[to_a], mu_b = mu[to_b];
    double common = weight_a * seen[to_b] * looked_up(tables, n_angles, at);
    common *= exp(-mu_a - mu_b);
    // Either photon of the pair can be the scattered one.
    const double one = common * exp(-growth * mu_b), other = common * exp(-growth * mu_a);
    if (n_steps == 0) {
      sum += one * total_a + other * total_b;
      continue;
    }
    const double half = 0.5 * (lengths[to_b] - lengths[to_a]);
    add_bins(active_a, n_steps, one, (bins_mm + half - first_mm) * per_mm, stride, 1, n_bins, bin_stride, out);
    add_bins(active_b, n_steps, other, (bins_mm - half - first_mm) * per_mm, stride, -1, n_bins, bin_stride, out);
  }
  if (n_steps == 0) *out = sum;
}
