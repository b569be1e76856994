"""Tests of valleys between rods: zero in the true image, shallow after blur."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.quality.compare import smoothed
from engine.analysis.quality.derenzo import RESOLVED_BELOW, valley_to_peak, valleys
from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.simulate import derenzo
from engine.simulate.phantoms import RodSector, derenzo_sectors

GRID = ImageGrid((6, 220, 220), (0.2, 0.2, 2.0))
SECTORS = derenzo_sectors()


def test_true_image_has_empty_valleys() -> None:
    truth = derenzo().rasterise(GRID)
    for sector in SECTORS:
        assert valley_to_peak(truth, sector) == pytest.approx(0, abs=1e-6)


def test_background_fills_the_valleys_to_its_level() -> None:
    filled = derenzo(background=0.25).rasterise(GRID)
    assert valley_to_peak(filled, SECTORS[0]) == pytest.approx(0.25, abs=1e-6)


def test_blur_fills_small_valleys_first() -> None:
    blurred = smoothed(derenzo().rasterise(GRID), 1.6)
    ratios = [valley_to_peak(blurred, sector) for sector in SECTORS]
    assert ratios == sorted(ratios)
    assert ratios[0] < RESOLVED_BELOW < ratios[-1]


def test_only_the_middle_slices_count() -> None:
    truth = derenzo().rasterise(ImageGrid((12, 220, 220), (0.2, 0.2, 2.0)))
    values = truth.values.copy()
    values[np.abs(truth.grid.centres_mm(2)) > 5] = values.max()
    blind = replace(truth, values=values)
    assert valley_to_peak(blind, SECTORS[0]) == pytest.approx(0, abs=1e-6)
    assert valley_to_peak(blind, SECTORS[0], length_mm=24.0) == pytest.approx(0.5, abs=1e-6)


def test_single_rod_has_no_valley() -> None:
    with pytest.raises(GeometryError, match="has 1 rods but no neighbouring pair"):
        valley_to_peak(derenzo().rasterise(GRID), RodSector(2.0, ((4.0, 0.0),)))


def test_rods_along_y_have_the_valleys_of_rods_along_z() -> None:
    grid = ImageGrid((220, 6, 220), (0.2, 2.0, 0.2))
    lying = smoothed(derenzo(along="y").rasterise(grid), 1.6)
    upright = smoothed(derenzo().rasterise(GRID), 1.6)
    found = valleys(lying, SECTORS, along="y")
    assert found == pytest.approx(valleys(upright, SECTORS), abs=1e-3)
    assert list(found) == [sector.diameter_mm for sector in SECTORS]
