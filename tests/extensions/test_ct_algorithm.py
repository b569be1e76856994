"""Tests of the X-ray algorithm in the guide, copied into one file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from engine.core.backend import cpu
from engine.io import read_projections, read_volume
from engine.modalities.xray_ct import model as xray_ct
from tests.extensions.trial import ROOT, Trial


def example() -> str:
    """Return the algorithm from the page on extensions."""
    text = Path(ROOT, "docs/contributing/adding.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (shown,) = (block for block in blocks if "class Landweber" in block)
    return str(shown)


def test_algorithm_of_the_guide_works(trial: Trial, ct_scan: list[str]) -> None:
    trial.add_file("engine/recon/algorithms/landweber.py", example())
    trial.register(
        "engine/recon/algorithms/for_line_integrals.py",
        "LINEAR_ALGORITHMS",
        "engine.recon.algorithms.landweber.Landweber",
    )
    settings = ["--set", "algorithm.kind=landweber", "--set", "algorithm.iterations=3"]
    settings += ["--set", "adjoint=matched", *GRID]

    answers = trial.run(
        ct_scan,
        ["reconstruct", "scan.h5", "-o", "image.h5", *settings],
        ["reconstruct", "scan.h5", "-o", "filtered.h5", *settings,
         "--set", 'between=[{kind="median"}]'],
        ask={"offered_texts": {}},
    )  # fmt: skip

    image, filtered = (read_volume(trial.work / f"{name}.h5") for name in ("image", "filtered"))
    np.testing.assert_allclose(image.values, landweber(trial, 3), atol=1e-6)
    assert image.values.max() > 1e-3
    assert np.abs(filtered.values - image.values).max() > 1e-4
    residuals = image.info["relative_residuals"]
    assert len(residuals) == 3 and residuals == sorted(residuals, reverse=True)
    assert image.info["protocol"]["algorithm"]["kind"] == "landweber"
    assert (
        "Landweber" in answers["offered_texts"]["ct"]
        and "Landweber" not in answers["offered_texts"]["pet"]
    )


GRID = ["--set", "grid.voxel_mm=[4, 4, 4]", "--set", "steps.centre.use=off"]


def landweber(trial: Trial, n: int) -> np.ndarray:
    """Compute Landweber's formula on the grid of the run, which is a part of the whole volume."""
    volume = read_volume(trial.work / "image.h5")
    scan = read_projections(trial.work / "scan.h5")
    A = xray_ct.projector(scan, volume.grid, on=cpu(2))
    x = np.zeros(A.in_shape, np.float32)
    step = 1 / (A.T(A(np.ones_like(x)))).max()
    for _ in range(n):
        x = np.maximum(0, x + step * A.T(scan.values - A(x)))
    return x
