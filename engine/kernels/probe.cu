// What the self-test of a card asks of the card itself: textures, atomic sums, and work that takes a while.
// What it must answer is in engine/selftest.

typedef unsigned long long count_t;

// Values of a 3D array, of one layer and of one picture, at (x, y, picture) in texels.
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

// Thread i adds i % 7 + 1 to place i % n_places, as a float and as an integer of 64 bits.
extern "C" __global__ void __launch_bounds__({{ block }}) add_up(
    int n, int n_places, float* __restrict__ sums, count_t* __restrict__ counts) {
  const int i = blockIdx.x * {{ block }} + threadIdx.x;
  if (i >= n) return;
  atomicAdd(sums + i % n_places, float(i % 7 + 1));
  // with bits beyond 32, so that a sum of half the width shows
  atomicAdd(counts + i % n_places, count_t(i % 7 + 1) << 33);
}

// y = x + n_turns, one by one: work of a chosen length.
extern "C" __global__ void __launch_bounds__({{ block }}) count_on(
    const float* __restrict__ x, int n, int n_turns, float* __restrict__ y) {
  const int i = blockIdx.x * {{ block }} + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int turn = 0; turn < n_turns; ++turn) value += 1;
  y[i] = value;
}
