"""A real scan of two panels, reconstructed with both methods: two sources at their positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from engine.core.backend import cpu
from engine.data.runs.events import Finished
from engine.data.volume import Volume
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings

SOURCES_MM = np.array([[255.0, 345.0, 280.0], [327.0, 189.0, 280.0]])
"""Positions (x, y, z) in the coordinates of the file."""
SHIPPED = ("algorithm.iterations=4", "algorithm.subsets=24")
"""Many subsets for the few counts of this scan, as in the protocol "dual-head"."""
EM = ("algorithm.iterations=3", "algorithm.subsets=8", "finishing=[]")
FEW_POINTS = "response.n_points=256"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def volumes() -> dict[str, Volume]:
    from tests.conftest import SHARED_DATA

    path = SHARED_DATA / "pet-listmode-adac-dualhead-2sources" / "sample_2p_static.csv"
    if not path.is_file():
        pytest.skip("the ADAC sample scan is not installed")
    return {
        "events": image(path, with_settings(ListModeProtocol(), EM)),
        "lines": image(path, with_settings(DualHeadProtocol(), (*EM, FEW_POINTS))),
        "shipped": image(path, with_settings(DualHeadProtocol(), (*SHIPPED, FEW_POINTS))),
    }


def image(path: Path, protocol: ListModeProtocol | DualHeadProtocol) -> Volume:
    *_, last = run(Study(data=path, protocol=protocol), on=cpu(2))
    assert isinstance(last, Finished)
    return last.volume


def hot_spots_mm(volume: Volume) -> np.ndarray:
    """Return (n, 3) centres of regions above a tenth of the maximum, in file coordinates."""
    values = volume.values
    spots, n = ndimage.label(values > 0.1 * values.max(), np.ones((3, 3, 3)))
    centres = ndimage.center_of_mass(values, spots, range(1, n + 1))
    zyx = np.array(centres) + 0.5
    x, y, z = (zyx[:, ::-1] * volume.grid.voxel_mm + volume.grid.lower_mm).T
    return np.stack([x + 300, 300 - z, y + 356], -1)


@pytest.mark.parametrize("route", ["events", "lines", "shipped"])
def test_exactly_two_sources_are_at_their_positions(volumes: dict[str, Volume], route: str) -> None:
    found = hot_spots_mm(volumes[route])
    assert len(found) == 2
    found = found[np.argsort(found[:, 0])]
    np.testing.assert_allclose(found[:, :2], SOURCES_MM[:, :2], atol=3.0)
    np.testing.assert_allclose(found[:, 2], SOURCES_MM[:, 2], atol=9.0)
    assert volumes[route].axes == "xyz"


def test_both_methods_agree(volumes: dict[str, Volume]) -> None:
    events, lines = volumes["events"], volumes["lines"]
    assert events.grid == lines.grid
    correlation = np.corrcoef(events.values.ravel(), lines.values.ravel())[0, 1]
    assert correlation > 0.95
    np.testing.assert_allclose(hot_spots_mm(events), hot_spots_mm(lines), atol=1.5)
