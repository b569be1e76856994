"""Few views: filtered back projection streaks, iterative methods and total variation do not.

SIRT   x ← x + C Aᵀ R (y − A x);   CGLS   min ‖A x − y‖²;   TV   min ½‖A x − y‖² + λ TV(x), x ≥ 0
"""

from __future__ import annotations

from typing import Any

import numpy as np

import engine
from engine.simulate import shepp_logan

orbit = engine.circular_cone(
    np.linspace(0, 2 * np.pi, 24, endpoint=False),
    source_axis_mm=1000,
    source_detector_mm=1500,
    shape=(4, 72),
    pixel_mm=6.0,
)
phantom = shepp_logan(per_mm=0.02)
engine.save(engine.simulate_integrals(phantom, orbit), "few.h5")

GRID = {"voxel_mm": (5, 5, 4), "diameter_mm": 256, "length_mm": 4}
METHODS: dict[str, dict[str, Any]] = {
    "fdk": {"kind": "fdk"},
    "sirt": {"kind": "sirt", "iterations": 20, "subsets": 4},
    "cgls": {"kind": "cgls", "iterations": 10},
    "tv": {"kind": "fista_tv", "iterations": 80},
}
errors = {}
for name, algorithm in METHODS.items():
    protocol = engine.CtProtocol(grid=GRID, algorithm=algorithm)
    volume = engine.reconstruct(engine.Study(data="few.h5", protocol=protocol))
    truth = phantom.rasterise(volume.grid, "mu").values
    errors[name] = float(np.linalg.norm(volume.values - truth) / np.linalg.norm(truth))
    print(f"{name:5} error {100 * errors[name]:.0f} %")

if min(errors, key=errors.__getitem__) == "fdk":
    raise SystemExit("24 views are too few for filtered back projection to win")
