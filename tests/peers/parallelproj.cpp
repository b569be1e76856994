// Stands for the library of parallelproj 2 where it is not installed or there is no card: the
// functions of its header, by plain sums over points of a ray, and nothing of its text. Pointers are
// of the host.
#include <cmath>
#include <cstddef>

namespace {

constexpr int POINTS = 2000;

struct Times {
    float width, sigma, offset;
    const short *bins;
    short n_bins;
};

// Visits the voxel under every point of ray i with the length, times what its time bin sees of it.
template <typename Visit>
void along(std::size_t i, const float *start, const float *end, const float *origin,
           const float *voxel, const int *shape, const Times *times, Visit visit)
{
    const float *a = start + 3 * i, *b = end + 3 * i;
    double whole = std::sqrt(std::pow(b[0] - a[0], 2) + std::pow(b[1] - a[1], 2) + std::pow(b[2] - a[2], 2));
    for (int k = 0; k < POINTS; ++k) {
        double t = (k + 0.5) / POINTS, weight = whole / POINTS;
        long at[3];
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = std::lround((a[axis] + t * (b[axis] - a[axis]) - origin[axis]) / voxel[axis]);
            inside = inside && at[axis] >= 0 && at[axis] < shape[axis];
        }
        if (!inside) continue;
        if (times) {
            double middle = (times->bins[i] - (times->n_bins - 1) / 2.0) * times->width + times->offset;
            double s = (t - 0.5) * whole - middle, unit = std::sqrt(2.0) * times->sigma;
            weight *= 0.5 * (std::erf((s + times->width / 2) / unit) - std::erf((s - times->width / 2) / unit));
        }
        visit((at[0] * shape[1] + at[1]) * shape[2] + at[2], weight);
    }
}

void sums(const float *start, const float *end, const float *image, const float *origin,
          const float *voxel, float *values, std::size_t n, const int *shape, const Times *times)
{
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        bool hits = false;
        along(i, start, end, origin, voxel, shape, times, [&](long j, double w) { sum += w * image[j]; hits = true; });
        if (hits) values[i] = float(sum);  // else left as it is, as the real one does on a processor
    }
}

void shares(const float *start, const float *end, float *image, const float *origin,
            const float *voxel, const float *values, std::size_t n, const int *shape, const Times *times)
{
    for (std::size_t i = 0; i < n; ++i)
        along(i, start, end, origin, voxel, shape, times, [&](long j, double w) { image[j] += float(w * values[i]); });
}

}  // namespace

#ifndef CUDA_ENABLED
#define CUDA_ENABLED 1
#endif

static int threads = 0;

extern "C" {

// of OpenMP, which the real one is linked with; it says what it was told
void omp_set_num_threads(int n) { threads = n; }

int omp_get_max_threads(void) { return threads; }

int parallelproj_cuda_enabled(void) { return CUDA_ENABLED; }

const char *parallelproj_version(void) { return "2.0-stand-in"; }

void joseph3d_fwd(const float *start, const float *end, const float *image, const float *origin,
                  const float *voxel, float *values, std::size_t n, const int *shape, int, int)
{
#if defined THROWS
    throw 1;  // as where the library has no kernels for a card
#elif !defined SUMS_NOTHING
    sums(start, end, image, origin, voxel, values, n, shape, nullptr);
#endif
}

void joseph3d_back(const float *start, const float *end, float *image, const float *origin,
                   const float *voxel, const float *values, std::size_t n, const int *shape, int, int)
{
#ifndef IDLE
    shares(start, end, image, origin, voxel, values, n, shape, nullptr);
#endif
}

void joseph3d_tof_lm_fwd(const float *start, const float *end, const float *image,
                         const float *origin, const float *voxel, float *values, std::size_t n,
                         const int *shape, float width, const float *sigma, const float *offset,
                         float, const short *bins, short n_bins, unsigned char, unsigned char, int, int)
{
    Times times{width, *sigma, *offset, bins, n_bins};
    sums(start, end, image, origin, voxel, values, n, shape, &times);
}

void joseph3d_tof_lm_back(const float *start, const float *end, float *image, const float *origin,
                          const float *voxel, const float *values, std::size_t n, const int *shape,
                          float width, const float *sigma, const float *offset, float,
                          const short *bins, short n_bins, unsigned char, unsigned char, int, int)
{
    Times times{width, *sigma, *offset, bins, n_bins};
    shares(start, end, image, origin, voxel, values, n, shape, &times);
}

}
