"""Textures: interpolation in closed form, on the emulated GPU and on a real one."""

import gc

import numpy as np
import pytest

from engine.core.errors import DeviceError, DeviceMemoryError
from tests.emulator import EmulatedGpu, nvrtc
from tests.emulator.kernels import KernelError
from tests.emulator.registers import ARCHITECTURES
from tests.engine.kernels.texture_cases import KERNELS, KINDS, SOURCE, read, texture_of

ALL_KINDS = pytest.mark.parametrize("kind", KINDS)
SHAPE = (4, 6, 7)
MAX_EDGE = {"array": 16384, "layered": 32768, "list": 65536, "pitched": 65000}


def slopes(x, y, z):
    """Return values that are linear along each axis, which interpolation reproduces."""
    return 3 * x - 2 * y + 10 * z + 1


def linear_images(shape=SHAPE):
    z, y, x = np.indices(shape) + 0.5
    return slopes(x, y, z).astype(np.float32)


def points_inside(rng, n=200, shape=SHAPE):
    """Return points between texel centres, at image centres, in steps of 1/256."""
    n_images, n_rows, n_columns = shape
    x, y = (rng.integers(128, 256 * size - 127, n) / 256 for size in (n_columns, n_rows))
    return np.stack([x, y, rng.integers(0, n_images, n) + 0.5], 1)


@ALL_KINDS
def test_linear_image_is_reproduced(on_gpu, rng, kind):
    gpu, points = on_gpu.gpu, points_inside(rng)

    actual = read(gpu, texture_of(gpu, kind, linear_images()), points)

    np.testing.assert_allclose(actual, slopes(*points.T), rtol=1e-6, atol=1e-5)


def test_three_dimensional_array_is_linear_between_images(on_gpu, rng):
    gpu, points = on_gpu.gpu, points_inside(rng)
    points[:, 2] = rng.integers(128, 256 * SHAPE[0] - 127, len(points)) / 256

    actual = read(gpu, texture_of(gpu, "array", linear_images()), points)

    # A GPU stores products of three fractions with fewer bits: along rows or columns the error
    # grows by 1/256.
    more = 0.0 if isinstance(gpu, EmulatedGpu) else (3 + 2) / 256
    np.testing.assert_allclose(actual, slopes(*points.T), rtol=1e-6, atol=1e-5 + more)


@ALL_KINDS
def test_values_fall_to_zero_over_the_edge(on_gpu, kind):
    """The value is 1 half a texel inside the edge, 1/2 at the edge, 0 half a texel outside."""
    gpu, far = on_gpu.gpu, 1e30
    texture = texture_of(gpu, kind, np.full((2, 5, 9), 8, np.float32))
    points = [
        (0.5, 2.5), (0, 2.5), (-0.25, 2.5), (-0.5, 2.5), (9, 2.5), (9.5, 2.5),
        (4.5, 0), (4.5, -0.5), (4.5, 5), (4.5, 5.25), (0, 0), (9, 5), (far, 2.5), (4.5, -far),
    ]  # fmt: skip

    actual = read(gpu, texture, [(x, y, 1.5) for x, y in points])

    assert actual.tolist() == [8, 4, 2, 0, 4, 0, 4, 0, 4, 2, 2, 2, 0, 0]


def test_three_dimensional_array_falls_to_zero_outside_the_images(on_gpu):
    texture = texture_of(on_gpu.gpu, "array", np.full((2, 3, 3), 8, np.float32))

    actual = read(on_gpu.gpu, texture, [(1.5, 1.5, z) for z in (-0.5, 0, 0.25, 0.5, 1, 2, 2.5, 9)])

    assert actual.tolist() == [0, 4, 6, 8, 8, 4, 0, 0]


@ALL_KINDS
def test_weight_of_a_neighbour_is_rounded_to_a_256th(on_gpu, rng, kind):
    """Between values 0 and 1, a texture returns the weight itself, which has 9 bits on a GPU."""
    gpu = on_gpu.gpu
    texture = texture_of(gpu, kind, np.tile(np.float32([0, 1]), (1, 2, 1)))
    nearest = rng.integers(0, 257, 500)
    weight = np.clip((nearest + rng.uniform(-0.49, 0.49, 500)) / 256, 0, 1)
    points = np.stack([weight + 0.5, np.ones(500), np.full(500, 0.5)], 1)

    actual = read(gpu, texture, points)

    np.testing.assert_array_equal(actual * 256, nearest)


def test_exact_fractions_can_be_requested(rng):
    gpu = EmulatedGpu(exact_textures=True)
    points = points_inside(rng) + rng.uniform(-0.4, 0.4, (200, 3))
    points = np.clip(points, 0.5, np.array(SHAPE)[::-1] - 0.5)

    actual = read(gpu, texture_of(gpu, "array", linear_images()), points)

    np.testing.assert_allclose(actual, slopes(*points.T), rtol=1e-5)


@ALL_KINDS
def test_new_texture_is_zero(on_gpu, rng, kind):
    assert not read(on_gpu.gpu, on_gpu.gpu.texture(kind, SHAPE), points_inside(rng)).any()


@ALL_KINDS
def test_some_images_can_be_replaced(on_gpu, rng, kind):
    gpu, images = on_gpu.gpu, rng.random(SHAPE, np.float32)
    texture = texture_of(gpu, kind, images)
    new = rng.random((2, *SHAPE[1:]), np.float32)

    texture.update(gpu.upload(new), first=1)

    z, y, x = (index.ravel() + 0.5 for index in np.indices(SHAPE))
    images[1:3] = new
    np.testing.assert_array_equal(read(gpu, texture, np.stack([x, y, z], 1)), images.ravel())


@pytest.mark.parametrize("shape", [(3, 5, 7), (2, 16, 64), (1, 1, 1)])
def test_pitched_memory_is_read_without_an_update(on_gpu, rng, shape):
    gpu, images = on_gpu.gpu, rng.random(shape, np.float32)
    texture = gpu.texture("pitched", shape)

    texture.memory[...] = gpu.upload(images)

    z, y, x = (index.ravel() + 0.5 for index in np.indices(shape))
    np.testing.assert_array_equal(read(gpu, texture, np.stack([x, y, z], 1)), images.ravel())


@ALL_KINDS
def test_update_can_be_recorded(on_gpu, rng, kind):
    gpu, texture = on_gpu.gpu, on_gpu.gpu.texture(kind, SHAPE)
    values = gpu.upload(np.ones(SHAPE, np.float32))
    points = points_inside(rng)
    graph = gpu.record(lambda: texture.update(values))
    assert not read(gpu, texture, points).any()

    values += 4
    graph.launch()

    assert read(gpu, texture, points).tolist() == [5] * len(points)


@pytest.mark.parametrize(
    ("values", "first", "words"),
    [
        (np.ones((1, 6, 7)), 0, "float32"),
        (np.ones((6, 7), np.float32), 0, "float32"),
        (np.ones((1, 7, 6), np.float32), 0, r"\(1, 7, 6\) do not fit .* image 0"),
        (np.ones((2, 6, 7), np.float32), 3, "starting at image 3"),
        (np.ones((1, 6, 7), np.float32), -1, "starting at image -1"),
    ],
)
def test_update_of_another_shape_is_refused(on_gpu, values, first, words):
    texture, on_device = on_gpu.gpu.texture("layered", SHAPE), on_gpu.gpu.upload(values)

    with pytest.raises(ValueError, match=words):
        texture.update(on_device, first)


def test_update_needs_contiguous_device_arrays(on_gpu):
    texture = on_gpu.gpu.texture("layered", SHAPE)
    wide = on_gpu.gpu.upload(np.ones((4, 6, 14), np.float32))

    with pytest.raises(ValueError, match="contiguous"):
        texture.update(wide[:, :, ::2])
    with pytest.raises((TypeError, AttributeError)):
        texture.update(np.ones(SHAPE, np.float32))


@ALL_KINDS
def test_too_large_texture_is_refused(on_gpu, kind):
    with pytest.raises(DeviceError, match=rf"{kind}.* 2 images of {MAX_EDGE[kind] + 1} × 2 pixels"):
        on_gpu.gpu.texture(kind, (2, MAX_EDGE[kind] + 1, 2))
    with pytest.raises(DeviceError, match="another kind"):
        on_gpu.gpu.texture(kind, (0, 2, 2))
    with pytest.raises(DeviceError, match="2049 images"):
        on_gpu.gpu.texture("layered", (2049, 1, 1))


@ALL_KINDS
def test_textures_allocate_and_free_memory(kind):
    gpu = EmulatedGpu(memory_limit=4 << 20)
    texture = gpu.texture(kind, (8, 256, 256))
    assert gpu.memory.used_bytes >= 2 << 20

    with pytest.raises(DeviceMemoryError):
        gpu.texture(kind, (9, 256, 256))
    del texture
    gc.collect()

    assert gpu.memory.used_bytes == 0


@pytest.mark.parametrize(
    ("kind", "read_as", "point", "words"),
    [
        ("array", "layered", (1, 1, 0), "a texture of another kind, line 12"),
        ("layered", "array", (1, 1, 0), "a texture of another kind, line 5"),
        ("layered", "layered", (1, 1, 4), "layer 4 of 4"),
        ("layered", "layered", (1, 1, -1), "layer -1 of 4"),
        ("array", "array", (1, np.nan, 0), "read at NaN, line 5"),
    ],
)
def test_silent_misread_of_a_real_gpu_is_an_error(kind, read_as, point, words):
    gpu = EmulatedGpu()
    texture = gpu.texture(kind, SHAPE)
    texture.kind = read_as

    with pytest.raises(KernelError, match=words):
        read(gpu, texture, point)


def test_invalid_handle_is_an_error():
    gpu = EmulatedGpu()
    kernel = gpu.load(SOURCE, ()).function("read_layered")
    points, out = gpu.upload(np.zeros(3, np.float32)), gpu.empty((1,), np.float32)
    texture = gpu.texture("layered", SHAPE)
    handle = texture.argument

    kernel(1, 1, handle, points, np.int32(1), out)
    with pytest.raises(TypeError, match="argument 1: int32, needs uint64"):
        kernel(1, 1, np.int32(handle), points, np.int32(1), out)
    with pytest.raises(KernelError, match="a texture that there is not"):
        kernel(1, 1, np.uint64(99), points, np.int32(1), out)
    del texture
    with pytest.raises(KernelError, match="a texture that is no more"):
        kernel(1, 1, handle, points, np.int32(1), out)


@pytest.mark.skipif(not nvrtc.is_installed(), reason="the wheel nvidia-cuda-nvrtc is not installed")
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_nvrtc_compiles_the_same_text(arch):
    assert set(nvrtc.compile_for(SOURCE, arch).kernels) == set(KERNELS.values())
