"""Tests that no shipped ring protocol overshoots at the edge of a uniform object."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.physics.edge_objects import CASES, Case, Scans, written
from tests.physics.edge_profile import (
    DEPTHS_MM,
    edge_of,
    follows_scan,
    for_many_counts,
    profile,
    protocols,
    reconstructed,
)

BAR = 0.05
"""Largest overshoot from 2 to 20 mm inside the skin, and largest deviation from 8 mm inwards."""
SURE = 0.01
"""Largest standard error of a layer."""
RIM = DEPTHS_MM.index(5.0)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_profile_of_the_true_phantom_is_flat(case: Case) -> None:
    size = case.diameter_mm
    grid = ImageGrid((16, round(size / 3), round(size / 3)), (3.0, 3.0, 2.5))
    x, y = grid.centres_mm(axis=0)[None, :], grid.centres_mm(axis=1)[:, None]
    depth = case.depth(x, y)
    ramp = np.broadcast_to(np.where(depth > 30, 1.0, 1.0 + depth / 100), grid.shape)
    found = profile(Volume(ramp.astype(np.float32), grid, ""), case)
    middles = [(low + high) / 2 for low, high in pairwise(DEPTHS_MM)]
    # a voxel has one value over up to 4 mm of depth; the ramp ends inside the last layer's voxels
    assert found[:-1] == pytest.approx(1.0 + np.array(middles[:-1]) / 100, abs=0.01)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_depth_and_phantom_agree_about_the_skin(case: Case) -> None:
    at = np.linspace(-160, 160, 200)  # no point is on the skin
    x, y = (each.ravel() for each in np.meshgrid(at, at))
    activity, _ = case.phantom.at(np.stack([x, y, np.zeros_like(x)], axis=1))
    depth = case.depth(x, y)
    counts = case.counts_at(x, y, np.zeros_like(x))
    assert np.array_equal(activity[counts] == 1.0, depth[counts] > 0)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Scans:
    """Return a cylinder with few counts and time of flight."""
    return written(CASES["cylinder"], 1, tmp_path_factory.mktemp("few"), tof=True, n_pairs=100_000)


@pytest.mark.slow
@pytest.mark.parametrize(("with_filter", "low", "high"), [(False, 0.9, 1.1), (True, 1.12, 1.4)])
def test_modelled_filter_overshoots_and_whole_body_does_not(
    few: Scans, with_filter: bool, low: float, high: float
) -> None:
    """Test 5 to 8 mm inside the skin: the standard error of so few counts is about 3 %."""
    protocol = protocols()["whole-body"]
    assert isinstance(protocol, engine.ListModeProtocol)
    if with_filter:
        resolution = {"use": "on", "with_filter": True}
        values = protocol.model_dump() | {"corrections": {"resolution": resolution}}
        protocol = engine.ListModeProtocol.model_validate(values)
    volume = reconstructed(few, protocol)
    warned = [text for text in volume.info["warnings"] if "% too high" in text]
    assert len(warned) == with_filter
    assert low < profile(volume, CASES["cylinder"])[RIM] < high


@pytest.fixture(scope="module", params=[(n, t) for n in CASES for t in (True, False)], ids=str)
def seeds(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Case, list[Scans]]:
    """Return an object with an edge, with or without time of flight, five times."""
    name, tof = request.param
    folder: Path = tmp_path_factory.mktemp("seeds")
    case = CASES[name]
    return case, [written(case, seed, folder, tof=tof) for seed in range(1, 6)]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("many", [False, True], ids=["as scanned", "many counts"])
@pytest.mark.parametrize("key", protocols())
def test_no_shipped_protocol_overshoots_at_an_edge(
    seeds: tuple[Case, list[Scans]], key: str, many: bool
) -> None:
    case, scans = seeds
    protocol = protocols()[key]
    half_mm = (protocol.grid.diameter_mm or case.diameter_mm) / 2
    if case.depth(np.array(half_mm), np.array(0.0)) > 0:
        pytest.skip("the object is wider than the field of view of the protocol")
    if many:
        if not (isinstance(protocol, engine.ListModeProtocol) and follows_scan(protocol)):
            pytest.skip("the protocol does not depend on the counts")
        protocol = for_many_counts(protocol, scans[0])
    edge = edge_of(scans, case, protocol)
    assert edge.errors.max() <= SURE
    assert edge.overshoot <= BAR
    assert edge.deviation <= BAR
