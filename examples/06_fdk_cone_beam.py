"""Cone-beam CT: counts with flats and darks, prepared and reconstructed by FDK."""

from __future__ import annotations

import numpy as np

import engine
from engine.simulate import uniform_cylinder

orbit = engine.circular_cone(
    np.linspace(0, 2 * np.pi, 90, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=800,
    shape=(16, 72),
    pixel_mm=2.6,
)
scan = engine.simulate_xray(uniform_cylinder(diameter_mm=80), orbit, seed=1)
engine.save(scan, "water.h5")

volume = engine.reconstruct(engine.Study(data="water.h5", protocol=engine.CtProtocol()))
engine.save(volume, "water.nii.gz")

x, y = volume.grid.centres_mm(0), volume.grid.centres_mm(1)
inside = np.hypot(x, y[:, None]) < 30
mu = volume.values[volume.grid.shape[0] // 2][inside].mean()
print(f"{volume.grid.describe()}; water {mu:.5f} {volume.unit}, truth 0.00960")
if abs(mu / 0.0096 - 1) > 0.02:
    raise SystemExit("water is not water")
