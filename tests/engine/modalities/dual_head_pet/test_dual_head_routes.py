"""Events of two panels in both methods: rays, and a histogram with the response."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from engine.core.backend import cpu
from engine.data.histogram import with_settings as on_panels
from engine.data.runs.events import Finished
from engine.data.volume import Volume
from engine.io import read_scanner, write_listmode
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, point, simulate_listmode

pytestmark = pytest.mark.slow

SOURCES_MM = np.array([[-5.0, 2.0, 4.0], [5.0, -1.0, -6.0]])


def image(path: Path, protocol: ListModeProtocol | DualHeadProtocol) -> Volume:
    *_, last = run(Study(data=path, protocol=protocol), on=cpu(2))
    assert isinstance(last, Finished)
    return last.volume


def test_rays_and_response_show_the_same_sources(tmp_path: Path) -> None:
    """List mode of two panels with rays, and its histogram with the response."""
    scanner = on_panels(  # thin crystals, because the simulated lines have no depth of interaction
        read_scanner("test-panels"), n_rows=12, n_columns=10, separation_mm=24.0, n_planes=23,
        thickness_mm=5.0,
    )  # fmt: skip
    balls = [point(x, y, z, diameter_mm=2.0).shapes[0] for x, y, z in SOURCES_MM]
    phantom = ShapePhantom("two sources", tuple(balls))
    scan = simulate_listmode(
        phantom, scanner, n_prompts=60_000, seed=4, randoms_fraction=0.2, attenuation=False
    )
    write_listmode(replace(scan, mu_map=None), tmp_path / "scan.h5")
    em = ("algorithm.iterations=4", "algorithm.subsets=4", "finishing=[]")
    rays, lines = (
        image(tmp_path / "scan.h5", with_settings(protocol, em))
        for protocol in (
            ListModeProtocol(),
            DualHeadProtocol(response=AnalyticResponse(n_points=512)),
        )
    )
    assert rays.grid == lines.grid
    for volume in (rays, lines):
        away_mm = np.abs(peaks_mm(volume) - SOURCES_MM)
        assert (away_mm <= [0.9, 2.5, 0.9]).all()
    smoothed = [ndimage.gaussian_filter(volume.values, 1.5).ravel() for volume in (rays, lines)]
    correlation = np.corrcoef(*smoothed)[0, 1]
    assert correlation > 0.9


def peaks_mm(volume: Volume) -> np.ndarray:
    """Return the (2, 3) positions of the two hottest spots, from left to right."""
    values, found = ndimage.gaussian_filter(volume.values, 1.5), []
    for _ in range(2):
        z, y, x = np.unravel_index(values.argmax(), values.shape)
        found.append([volume.grid.centres_mm(a)[i] for a, i in enumerate((x, y, z))])
        values[max(z - 6, 0) : z + 7, :, max(x - 6, 0) : x + 7] = 0
    return np.array(sorted(found))
