"""Tests of NEMA figures on images with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.quality.nema import (
    background_places_mm,
    background_variability,
    contrast_recovery,
    residual_error,
    sphere_quality,
)
from engine.core.errors import SettingsError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.simulate import cylinder_with_spheres
from engine.simulate.phantoms import NEMA_SPHERES_MM, sphere_centres_mm

GRID = ImageGrid((27, 125, 160), (2.0, 2.0, 2.0))
BACKGROUND = background_places_mm((115.0, 92.0))


@pytest.fixture(scope="module")
def truth() -> Volume:
    """Return the phantom in voxels."""
    return cylinder_with_spheres(contrast=4).rasterise(GRID)


def test_contrast_recovery_of_known_means_is_correct() -> None:
    assert contrast_recovery(4, 1, 4) == 100
    assert contrast_recovery(2.5, 1, 4) == 50
    assert contrast_recovery(0, 2, 0) == 100  # of a cold sphere
    assert contrast_recovery(1, 2, 0) == 50


def test_sphere_without_contrast_is_refused() -> None:
    with pytest.raises(SettingsError, match="no contrast"):
        contrast_recovery(1, 1, 1)


def test_variability_of_known_means_is_correct() -> None:
    assert background_variability([9, 10, 11]) == pytest.approx(10)
    assert residual_error(0.1, 2) == pytest.approx(5)


def test_background_has_sixty_discs() -> None:
    assert len(BACKGROUND) == 60
    assert {z for _, _, z in BACKGROUND} == {-20, -10, 0, 10, 20}


@pytest.mark.parametrize("k", range(6))
def test_true_image_has_full_recovery(k: int, truth: Volume) -> None:
    found = sphere_quality(
        truth,
        sphere_centres_mm()[k],
        NEMA_SPHERES_MM[k],
        true_contrast=4,
        background_mm=BACKGROUND if k < 4 else BACKGROUND[::2],
    )
    # The disc is one voxel thick, and voxels at its border are shared with the background.
    assert 100 - 330 / NEMA_SPHERES_MM[k] < found.recovery_percent <= 100.1
    if k < 3:
        assert found.variability_percent == pytest.approx(0, abs=1e-3)


def test_noise_increases_variability(rng: np.random.Generator) -> None:
    values = 10 + rng.standard_normal(GRID.shape).astype(np.float32)
    found = sphere_quality(
        Volume(values, GRID, "counts/mm"),
        (0.0, 0.0, 0.0),
        20.0,
        true_contrast=4,
        background_mm=BACKGROUND,
    )
    n_voxels = np.pi * 100 / 4
    assert found.variability_percent == pytest.approx(10 / np.sqrt(n_voxels), rel=0.35)
