"""Dual-head PET: the stored response of two panels, a simulated histogram, OSEM."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import engine
from engine.io.hdf5.response import write_response
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.recon.algorithms import Osem
from engine.simulate import point

on = engine.cpu()
panels = engine.DualHead(
    engine.DualHeadSettings(
        name="Two small panels",
        n_rows=16,
        n_columns=16,
        pitch_mm=2.4,
        crystal_mm=2.1,
        thickness_mm=20,
        separation_mm=40,
        voxels_per_pitch=2,
        n_planes=19,
        plane_mm=2,
    )
)
response = build_analytic(panels, AnalyticResponse(n_points=1 << 9))
write_response(response, Path("response.h5"))
print(f"{len(response.orientations)} orientations stored, {response.n_nonzero:,} values")

phantom = point(4.0, 6.0, -3.0, diameter_mm=4)
data = engine.simulate_histogram(phantom, response, n_prompts=50_000, seed=1, on=on)
engine.save(data, "panels.h5")

protocol = engine.DualHeadProtocol(algorithm=Osem(iterations=3, subsets=6))
study = engine.Study(data="panels.h5", response="response.h5", protocol=protocol)
volume = engine.reconstruct(study, on=on)
engine.save(volume, "panels.nii.gz")

k, j, i = np.unravel_index(volume.values.argmax(), volume.values.shape)
found = [float(volume.grid.centres_mm(axis)[n]) for axis, n in enumerate((i, j, k))]
print(f"hottest voxel at x, y, z = {found} mm; the source is at 4, 6, -3 mm")
if max(abs(a - b) for a, b in zip(found, (4, 6, -3), strict=True)) > 2.5:
    raise SystemExit("the source is not where it should be")
