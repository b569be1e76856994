// Textures of floats: linear interpolation between texels, zero outside.
//
// T[i] has its centre at i + 1/2, so with x' = x - 1/2, i = floor(x') and a = x' - i
//   tex(x) = (1 - a) T[i] + a T[i + 1]
// and likewise along y and, in a 3D array, along z. As on a GPU, a is rounded to a multiple of
// 1/256, unless `exact`. Unlike on a GPU, NaN coordinates, missing layers, invalid handles and
// handles of another kind are errors.
#pragma once

typedef unsigned long long cudaTextureObject_t;

namespace cpu {

inline const Texture& texture_of(cudaTextureObject_t handle, TextureKind kind, int line) {
  const char* fault = nullptr;
  if (handle == 0 || handle > textures->n) fault = "reads a texture that there is not";
  else if (!textures->all[handle - 1].data) fault = "reads a texture that is no more";
  else if (textures->all[handle - 1].kind != kind) fault = "reads a texture of another kind";
  if (fault) fail("%s, line %d", fault, line);
  return textures->all[handle - 1];
}

inline float texel(const Texture& of, int64_t x, int64_t y, int64_t z) {
  const bool inside =
      x >= 0 && x < of.width && y >= 0 && y < of.height && z >= 0 && z < of.depth;
  return inside ? of.data[z * of.slice + y * of.row + x] : 0.0f;
}

// Position between two texels: index of the lower texel, weight of the upper one.
struct Between {
  int64_t lower;
  float weight;

  Between(float at, int line) {
    if (at != at) fail("a texture is read at NaN, line %d", line);
    const float shifted = fminf(fmaxf(at - 0.5f, -1e9f), 1e9f), whole = floorf(shifted);
    lower = static_cast<int64_t>(whole);
    weight = shifted - whole;
    if (!textures->exact) weight = floorf(weight * 256.0f + 0.5f) / 256.0f;
  }

  float mix(float below, float above) const { return (1.0f - weight) * below + weight * above; }
};

inline float interpolated(const Texture& of, const Between& x, const Between& y, int64_t z) {
  const auto row = [&](int64_t i) {
    return x.mix(texel(of, x.lower, i, z), texel(of, x.lower + 1, i, z));
  };
  return y.mix(row(y.lower), row(y.lower + 1));
}

}  // namespace cpu

template <class T>
inline T tex2D(cudaTextureObject_t handle, float x, float y, int line = __builtin_LINE()) {
  static_assert(__is_same(T, float));
  const cpu::Texture& of = cpu::texture_of(handle, cpu::TextureKind::plane, line);
  return cpu::interpolated(of, {x, line}, {y, line}, 0);
}

template <class T>
inline T tex2DLayered(
    cudaTextureObject_t handle, float x, float y, int layer, int line = __builtin_LINE()) {
  static_assert(__is_same(T, float));
  const cpu::Texture& of = cpu::texture_of(handle, cpu::TextureKind::layers, line);
  if (layer < 0 || layer >= of.depth) {
    cpu::fail("reads layer %d of %d, line %d", layer, int(of.depth), line);
  }
  return cpu::interpolated(of, {x, line}, {y, line}, layer);
}

template <class T>
inline T tex3D(cudaTextureObject_t handle, float x, float y, float z, int line = __builtin_LINE()) {
  static_assert(__is_same(T, float));
  const cpu::Texture& of = cpu::texture_of(handle, cpu::TextureKind::volume, line);
  const cpu::Between across(x, line), down(y, line), along(z, line);
  return along.mix(cpu::interpolated(of, across, down, along.lower),
                   cpu::interpolated(of, across, down, along.lower + 1));
}
