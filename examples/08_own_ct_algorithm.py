"""An algorithm of your own, whole: Landweber iteration, x ← max(0, x + Aᵀ(y − A x) / L), L ≥ ‖A‖².

In a file of its own under engine/recon/algorithms, and with its name in LINEAR_ALGORITHMS, it is
also in the window, in protocol files and on the command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np

import engine
from engine.core.settings import setting
from engine.recon.algorithms import Algorithm, Iterate, Sirt, solve
from engine.simulate import shepp_logan


class Landweber(Algorithm):
    """Steepest descent with a fixed step, clipped at zero."""

    title: ClassVar[str] = "Landweber"
    kind: Literal["landweber"] = "landweber"
    iterations: int = setting(40, "Passes over all the data", label="Iterations", ge=1, le=1000)

    def run(self, model: engine.LinearModel, x: Any) -> Iterator[Iterate]:
        """Yield the image after each update."""
        step = 1 / model.A.norm() ** 2
        while True:
            x = np.maximum(0, x + step * (model.A.T @ (model.y - model.A @ x)))
            yield Iterate(x)


orbit = engine.circular_cone(
    np.linspace(0, 2 * np.pi, 40, endpoint=False),
    source_axis_mm=1000,
    source_detector_mm=1500,
    shape=(4, 64),
    pixel_mm=6,
)
phantom = shepp_logan(per_mm=0.02)
scan = engine.simulate_integrals(phantom, orbit)
grid = engine.ImageGrid(shape=(6, 50, 50), voxel_mm=(5.0, 5.0, 5.0))
model = engine.LinearModel(engine.XrayTransform(orbit, grid, on=engine.cpu()), scan.values)
truth = phantom.rasterise(grid, "mu").values
SEEN = slice(2, 4)  # slices that every view sees whole

errors = {}
for algorithm in (Landweber(), Sirt(iterations=40, subsets=1)):
    *_, last = solve(algorithm, model, np.zeros(grid.shape, np.float32))
    difference = (last.image - truth)[SEEN]
    errors[algorithm.kind] = float(np.linalg.norm(difference) / np.linalg.norm(truth[SEEN]))
    error = 100 * errors[algorithm.kind]
    print(f"{algorithm.describe()}: residual {last.residual:.3f}, error {error:.0f} %")

if max(errors.values()) > 0.4:
    raise SystemExit("both must come near the truth")
