"""Kernels that read textures of every kind, and the expected values."""

import numpy as np

KINDS = ("array", "layered", "list", "pitched")

SOURCE = """
extern "C" __global__ void read_array(
    cudaTextureObject_t pictures, const float* points, int n, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex3D<float>(pictures, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
}

extern "C" __global__ void read_layered(
    cudaTextureObject_t pictures, const float* points, int n, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = tex2DLayered<float>(
        pictures, points[3 * i], points[3 * i + 1], __float2int_rd(points[3 * i + 2]));
  }
}

extern "C" __global__ void read_each(
    const cudaTextureObject_t* pictures, const float* points, int n, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const cudaTextureObject_t picture = pictures[__float2int_rd(points[3 * i + 2])];
    out[i] = tex2D<float>(picture, points[3 * i], points[3 * i + 1]);
  }
}
"""
KERNELS = {
    "array": "read_array",
    "layered": "read_layered",
    "list": "read_each",
    "pitched": "read_each",
}


def texture_of(gpu, kind, images):
    """Return a texture with these images (n_images, n_rows, n_columns)."""
    texture = gpu.texture(kind, images.shape)
    texture.update(gpu.upload(np.asarray(images, np.float32)))
    return texture


def read(gpu, texture, points):
    """Read at points (n, 3): x and y in texels, and the image number + 1/2."""
    points = np.asarray(points, np.float32).reshape(-1, 3)
    out = gpu.empty((len(points),), np.float32)
    kernel = gpu.load(SOURCE, ()).function(KERNELS[texture.kind])
    n_blocks = -(-len(points) // 64)
    kernel(n_blocks, 64, texture.argument, gpu.upload(points), np.int32(len(points)), out)
    return gpu.download(out)
