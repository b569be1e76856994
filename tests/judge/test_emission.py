"""Tests that positions and directions of decays have the moments of their distributions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.judge.emission import FLUORINE_18, FWHM_IN_SIGMA, gaussian_range
from tests.judge.interactions import DX, DZ, NUMBERS
from tests.judge.materials import WATER
from tests.judge.phantoms import Phantom, Region, VoxelPhantom
from tests.judge.probes import draw_emissions
from tests.judge.readout import Physics
from tests.judge.solids import Solid, box, cylinder, ellipsoid, frame_of, sphere, tube

pytestmark = pytest.mark.slow

N = 100_000
ERROR = 4 / math.sqrt(N)


def emitted(phantom: Phantom | VoxelPhantom, physics: Physics) -> tuple[np.ndarray, ...]:
    places, ends, photons = np.empty((N, 3)), np.empty((N, 3)), np.empty((N, 2, NUMBERS))
    draw_emissions(phantom.world, physics.numbers(), 7, places, ends, photons)
    return places, ends, photons[:, :, DX : DZ + 1]


def test_directions_are_isotropic_and_opposite() -> None:
    still = Physics(acollinearity_deg=0.0)
    _, _, directions = emitted(Phantom("point", (Region(sphere(1e-6), activity=1.0),)), still)
    assert np.abs(directions[:, 0] + directions[:, 1]).max() < 1e-12
    first = directions[:, 0]
    assert np.abs(np.linalg.norm(first, axis=1) - 1).max() < 1e-12
    assert np.abs(first.mean(axis=0)).max() < ERROR / math.sqrt(3)
    second = first.T @ first / N
    assert np.abs(second - np.eye(3) / 3).max() < ERROR * math.sqrt(4 / 45)
    assert np.abs((first**4).mean(axis=0) - 1 / 5).max() < ERROR * math.sqrt(1 / 9 - 1 / 25)


def test_acollinearity_has_its_width_in_every_plane() -> None:
    _, _, directions = emitted(Phantom("point", (Region(sphere(1e-6), activity=1.0),)), Physics())
    one, other = directions[:, 0], directions[:, 1]
    frames = np.array([frame_of(tuple(w)) for w in one[:5_000]])
    off = np.einsum("ikd,id->ik", frames[:, :2], other[:5_000])
    fwhm = np.degrees(off.std(axis=0)) * FWHM_IN_SIGMA
    assert fwhm == pytest.approx([0.5, 0.5], rel=4 / math.sqrt(10_000))


def test_restricted_directions_stay_within_their_cosine() -> None:
    physics = Physics(max_cosine=0.3, follows_scatter=False, acollinearity_deg=0.0)
    _, _, directions = emitted(Phantom("point", (Region(sphere(1e-6), activity=1.0),)), physics)
    cosine = directions[:, 0, 2]
    assert np.abs(cosine).max() <= 0.3
    assert cosine.std() == pytest.approx(0.3 / math.sqrt(3), rel=ERROR)


def test_restricted_directions_are_refused_with_scatter() -> None:
    with pytest.raises(ValueError, match="scatter"):
        Physics(max_cosine=0.5)


SOLIDS: list[tuple[Callable[..., Solid], tuple[float, ...], tuple[float, ...]]] = [
    (ellipsoid, (10, 20, 30), (20, 80, 180)),  # a²/5
    (cylinder, (10, 60), (25, 25, 300)),  # r²/4, l²/12
    (tube, (6, 10, 60), (34, 34, 300)),  # (r1² + r2²)/4
    (box, (12, 24, 36), (12, 48, 108)),  # a²/12
]


@pytest.mark.parametrize(
    ("make", "sizes", "variances"), SOLIDS, ids=lambda v: getattr(v, "__name__", "")
)
def test_decays_fill_solids_uniformly(make, sizes, variances) -> None:
    axis = (1.0, -2.0, 0.5)
    solid = make(*sizes, at=(5, -7, 11), axis=axis)
    places, _, _ = emitted(Phantom("one", (Region(solid, activity=1.0),)), Physics())
    own = (places - [5, -7, 11]) @ frame_of(axis).T
    assert np.abs(own.mean(axis=0) / np.sqrt(variances)).max() < ERROR
    assert own.var(axis=0) == pytest.approx(variances, rel=ERROR)
    low, high = solid.reach_mm()
    assert (places >= low).all()
    assert (places <= high).all()


def test_solid_volumes_equal_textbook_formulas() -> None:
    assert sphere(3).volume_mm3 == pytest.approx(36 * math.pi)
    assert tube(1, 2, 5).volume_mm3 == pytest.approx(15 * math.pi)
    assert box(2, 3, 4).volume_mm3 == 24


def test_overlapping_region_replaces_the_one_below() -> None:
    inner = sphere(10, at=(5, 0, 0))
    phantom = Phantom(
        "hot and cold",
        (Region(sphere(20), WATER, 1.0), Region(inner, WATER, 4.0), Region(sphere(5), WATER, 0.0)),
    )
    places, _, _ = emitted(phantom, Physics())
    cold = np.linalg.norm(places, axis=1) < 5
    hot = (np.linalg.norm(places - [5, 0, 0], axis=1) < 10) & ~cold
    assert not cold.any()
    # 5 mm around the origin are completely in the hot ball
    share = 4 * (1000 - 125) / (4 * (1000 - 125) + 8000 - 1000)
    assert hot.mean() == pytest.approx(share, abs=ERROR * 0.5)
    activity, mu = phantom.at(np.array([[0, 0, 0], [12, 0, 0], [-12, 0, 0], [30, 0, 0]], float))
    assert activity.tolist() == [0, 4, 1, 0]
    assert mu == pytest.approx([*[WATER.total(511)] * 3, 0])


def test_decays_of_voxels_follow_the_activity() -> None:
    activity = np.zeros((4, 3, 2))
    activity[3, 1, 0], activity[0, 2, 1] = 3.0, 1.0
    labels = np.zeros(activity.shape, np.uint8)
    phantom = VoxelPhantom("two", labels, (WATER,), activity, (10, 20, 30), (1, 2, 3))
    places, _, _ = emitted(phantom, Physics())
    upper = places[:, 2] > 3
    assert upper.mean() == pytest.approx(0.75, abs=ERROR * 0.5)
    assert places[upper].mean(axis=0) == pytest.approx([-4, 2, 48], abs=0.2)
    assert places[~upper].mean(axis=0) == pytest.approx([6, 22, -42], abs=0.4)


def test_positron_ranges_equal_levin_and_hoffman() -> None:
    point = Phantom("point", (Region(sphere(1e-6), activity=1.0),))
    _, ends, _ = emitted(point, Physics(positron=FLUORINE_18))
    # variance of the mixture of two Laplace distributions, with the constants of their table
    a, b = 0.516 / 37.9, 0.484 / 3.10
    variance = 2 * (a / 37.9**2 + b / 3.10**2) / (a + b)
    assert ends.var(axis=0) == pytest.approx(variance, rel=0.05)
    beyond = (np.abs(ends) > 0.5).mean()
    tail = (a * math.exp(-37.9 / 2) + b * math.exp(-3.10 / 2)) / (a + b)
    assert beyond == pytest.approx(tail, abs=ERROR * 0.5)
    _, ends, _ = emitted(point, Physics(positron=gaussian_range(2.0)))
    assert ends.std(axis=0) * FWHM_IN_SIGMA == pytest.approx([2.0] * 3, rel=ERROR)
