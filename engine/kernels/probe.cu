// Kernels of the GPU self-test: textures, atomic sums, and work of a chosen duration. The expected answers are in
// engine/selftest.

typedef unsigned long long count_t;

// Values of a 3D array, of one layer, or of one 2D image of a stack, at (x, y, number of the image) in texels.
extern "C" __global__ void __launch_bounds__({{ block }}) sample_array(
    cudaTextureObject_t stack, const float* __restrict__ at, int n, float* __restrict__ out) {
  const int i = blockIdx.x * {{ block }} + threadIdx.x;
  if (i < n) out[i] = tex3D<float>(stack, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}

extern "C" __global__ void __launch_bounds__({{ block }}) sample_layered(
    cudaTextureObject_t stack, const float* __restrict__ at, int n, float* __restrict__ out) {
  const int i = blockIdx.x * {{ block }} + threadIdx.x;
  if (i < n) out[i] = tex2DLayered<float>(stack, at[3 * i], at[3 * i + 1], int(at[3 * i + 2]));
}

extern "C" __global__ void __launch_bounds__({{ block }}) sample_pictures(
    const cudaTextureObject_t* __restrict__ stack, const float* __restrict__ at, int n, float* __restrict__ out) {
  const int i = blockIdx.x * {{ block }} + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(stack[int(at[3 * i + 2])], at[3 * i], at[3 * i + 1]);
}

// Thread i adds i % 7 + 1 to element i % n_places, as float and as 64-bit integer.
extern "C" __global__ void __launch_bounds__({{ block }}) add_up(
    int n, int n_places, float* __restrict__ sums, count_t* __restrict__ counts) {
  const int i = blockIdx.x * {{ block }} + threadIdx.x;
  if (i >= n) return;
  atomicAdd(sums + i % n_places, float(i % 7 + 1));
  // With bits beyond 32, so that a sum in 32 bits shows.
  atomicAdd(counts + i % n_places, count_t(i % 7 + 1) << 33);
}

// y = x + n_turns, by adding 1 repeatedly: work of a chosen duration.
extern "C" __global__ void __launch_bounds__({{ block }}) count_on(
    const float* __restrict__ x, int n, int n_turns, float* __restrict__ y) {
  const int i = blockIdx.x * {{ block }} + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int turn = 0; turn < n_turns; ++turn) value += 1;
  y[i] = value;
}
