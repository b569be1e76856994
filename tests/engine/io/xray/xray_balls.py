"""Check that a foreign scan of a ball gives the image of the same scan in our own format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.backend import cpu
from engine.io import read_projections, save_projections
from engine.jobs.reconstruction import reconstruct
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol


def assert_shows_ball(
    scan: Path,
    place_mm: tuple[float, ...],
    ours: Path,
    *,
    within_mm: float,
    of_peak: float = 1e-5,
) -> None:
    """Reconstruct a scan and its copy `ours` (.toml); both show the ball at the same place."""
    save_projections(read_projections(scan), ours)
    one, other = (
        reconstruct(Study(data=path, protocol=CtProtocol()), on=cpu(2)) for path in (scan, ours)
    )
    np.testing.assert_allclose(one.values, other.values, atol=of_peak * one.values.max())
    weight = np.where(one.values > one.values.max() / 2, one.values, 0)
    z, y, x = (np.arange(size) + 0.5 for size in weight.shape)
    centroid = [
        (weight.sum(axis=rest) * at).sum() / weight.sum()
        for at, rest in ((x, (0, 1)), (y, (0, 2)), (z, (1, 2)))
    ]
    found = one.grid.lower_mm + np.array(centroid) * one.grid.voxel_mm
    np.testing.assert_allclose(found, place_mm, atol=within_mm)
