"""A mirror-symmetric image is restored from its first octant."""

from __future__ import annotations

import numpy as np
import pytest

from engine.operators.matrix.symmetry_fold import first_octant, folded, mirrored


@pytest.mark.parametrize("shape", [(4, 6, 2), (5, 3, 7), (1, 2, 3)])
def test_mirror_images_are_stored_once(shape: tuple[int, int, int]) -> None:
    image = np.random.default_rng(1).random(shape)
    for axis in range(3):
        image = image + np.flip(image, axis)
    octant = first_octant(image)
    assert octant.shape == tuple((n + 1) // 2 for n in shape)
    assert np.array_equal(mirrored(octant, shape), image)


def test_only_symmetric_images_are_folded() -> None:
    image = np.random.default_rng(1).random((4, 5, 6)) + 1
    for axis in range(3):
        image = image + np.flip(image, axis)
    rounded = image * (1 + 1e-6 * np.random.default_rng(2).standard_normal(image.shape))
    np.testing.assert_array_equal(folded(rounded), first_octant(rounded))
    image[3, 1, 2] *= 1.01
    assert folded(image) is image
