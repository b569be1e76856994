"""Tests of draft previews: two of the four cone-beam readings are sharp, as mirror images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from engine.geometry.orbits import circle, circular_cone
from engine.raw_import import preview_of
from engine.simulate import Detector, simulate_xray
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder

PARTS = ((0, 0, 60, 0.02), (30, 20, 12, 0.03), (-35, 10, 8, -0.02))
"""Centre (x, y), radius and attenuation of rods."""


@pytest.mark.slow
def test_right_reading_and_its_mirror_image_are_sharp(tmp_path: Path) -> None:
    rods = tuple(Cylinder((x, y, 0), (r, r, 40), mu_per_mm=mu) for x, y, r, mu in PARTS)
    orbit = circular_cone(
        circle(180), source_axis_mm=300.0, source_detector_mm=450.0, shape=(9, 160), pixel_mm=1.6
    )
    scan = simulate_xray(
        ShapePhantom("rods", rods), orbit, seed=3, detector=Detector(photons=50_000.0)
    )
    np.savez(tmp_path / "scan.npz", proj=scan.values, flats=scan.flats, darks=scan.darks)
    reported: dict[str, object] = {"beam": "300,450", "pixel": "1.6"}
    found = preview_of(tmp_path, reported)
    assert found.fault == ""
    assert found.projection is not None
    assert found.sinogram is not None
    assert found.sinogram.shape == (180, 160)
    sharp = {(r.clockwise, r.mirrored): _edges(r.image) for r in found.readings}
    assert next(iter(sharp)) == (False, False)
    wrong = max(sharp[True, False], sharp[False, True])
    assert min(sharp[False, False], sharp[True, True]) > 1.1 * wrong
    pictures = {(r.clockwise, r.mirrored): r.image for r in found.readings}
    mirrored = pictures[True, True][::-1]
    difference = np.abs(pictures[False, False] - mirrored).mean()
    assert difference < 0.1 * np.abs(mirrored).mean()
    asked = preview_of(tmp_path, {"pixel": "1.6"})
    assert "Shown as parallel rays" in asked.note
    assert len(asked.readings) == 4


def _edges(image: np.ndarray) -> float:
    smooth = ndimage.gaussian_filter(image, 1.0)
    return float(np.square(np.diff(smooth, axis=0)).mean())
