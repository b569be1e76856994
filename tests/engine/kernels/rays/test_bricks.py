import numpy as np
import pytest

from engine.core.errors import ResourceError
from engine.geometry.grid import ImageGrid
from engine.kernels.rays import bricks as layout
from engine.kernels.rays.bricks import EDGE, Bricks, Pairs
from engine.operators.ray_checks import check_size

SHAPES = [
    (1, 1, 1),
    (2, 5, 6),
    (3, 6, 7),
    (2, 7, 8),
    (1, 14, 15),
    (2, 15, 14),
    (2, 22, 23),
    (1, 3, 40),
]


def place(bricks: Bricks, z: int, y: int, x: int) -> int:
    """Return the index of a voxel of the image with its border, in the order of bricks."""
    _, n_y, n_x = (n + 2 for n in bricks.shape)
    across, along = -(-n_x // EDGE), -(-n_y // EDGE)
    brick = (z * along + y // EDGE) * across + x // EDGE
    return ((brick * EDGE + y % EDGE) * EDGE + x % EDGE) * bricks.stride


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_voxel_is_in_its_brick_and_the_rest_is_zero(shape, stride):
    bricks = Bricks(shape, np.float64, stride)
    image = 1.0 + np.arange(np.prod(shape)).reshape(shape)

    arranged = bricks.arranged(image)

    assert arranged.size == bricks.n_values and arranged.nbytes == bricks.n_bytes
    for z, y, x in np.ndindex(shape):
        assert arranged[place(bricks, z + 1, y + 1, x + 1)] == image[z, y, x]
    assert np.count_nonzero(arranged) == image.size


@pytest.mark.parametrize("shape", SHAPES)
def test_threads_write_the_same_bricks(rng, shape, monkeypatch):
    monkeypatch.setattr(layout, "VOXELS_OF_A_THREAD", 0)
    bricks, image = Bricks(shape, np.float32), rng.random(shape)
    np.testing.assert_array_equal(bricks.arranged(image, threads=3), bricks.arranged(image))


@pytest.mark.parametrize("of_a_thread", [0, layout.VOXELS_OF_A_THREAD])
@pytest.mark.parametrize("shape", SHAPES)
def test_total_is_the_sum_of_the_parts_without_the_border(rng, shape, of_a_thread, monkeypatch):
    monkeypatch.setattr(layout, "VOXELS_OF_A_THREAD", of_a_thread)
    bricks = Bricks(shape, np.int64)
    images = [rng.integers(-9, 9, shape) for _ in range(3)]
    parts = [bricks.arranged(image) for image in images]
    for part in parts:
        part[bricks.arranged(np.ones(shape)) == 0] = 7  # sums of rays outside the image

    assert np.array_equal(bricks.total(parts, threads=2), sum(images))
    assert not bricks.total([], threads=2).any()


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_next_to_an_image_follow_its_values(rng, shape):
    image = rng.random(shape).astype(np.float32)
    interleaved = Pairs(image, np.float32)

    pairs = interleaved.empty()
    pairs[1::2] = 3 * pairs[::2]

    assert np.array_equal(pairs[::2], Bricks(shape, np.float32).arranged(image))
    np.testing.assert_allclose(interleaved.total([pairs, pairs], threads=2), 6 * image, rtol=1e-6)


def test_padding_of_bricks_counts_towards_the_32_bit_limit():
    """9 × 9 voxels with their border fill four bricks of 64 numbers."""
    fits, too_long = ((n, 7, 7) for n in (8_388_600, 8_388_608))

    check_size(ImageGrid(fits, (1.0, 1.0, 1.0)))
    assert Bricks(fits, np.float32).n_values < 1 << 31 <= Bricks(too_long, np.float32).n_values
    with pytest.raises(ResourceError, match="choose larger voxels"):
        check_size(ImageGrid(too_long, (1.0, 1.0, 1.0)))
