"""Tests of phantom sizes against their standards, and of scatter fractions of studies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.judge.cells import MIXED
from tests.judge.materials import AIR, LUNG, PMMA, WATER
from tests.judge.phantoms import Phantom, Region, searched_top, top
from tests.judge.solids import cylinder, tube
from tests.judge.studies import (
    NEMA_RADII_MM,
    PANELS,
    SAFIR,
    mouse_phantom,
    nema_body,
    nema_places_mm,
    panel_balls,
    points,
    safir_cylinder,
    scattering_cylinder,
)

pytestmark = pytest.mark.slow


def slice_of(phantom: Phantom, z: float, half_mm: float, step_mm: float) -> tuple[np.ndarray, ...]:
    """Return activity and attenuation of a transaxial slice, [y, x]."""
    at = np.arange(-half_mm + step_mm / 2, half_mm, step_mm)
    x, y = np.meshgrid(at, at)
    activity, mu = phantom.at(np.stack([x, y, np.full_like(x, z)], axis=-1).reshape(-1, 3))
    return activity.reshape(x.shape), mu.reshape(x.shape)


def test_nema_body_has_its_cross_section() -> None:
    activity, mu = slice_of(nema_body(), 50.0, 160.0, 0.5)
    # half a disc of 147 mm, a box of 140 x 77 mm, two quarter discs of 77 mm
    body = math.pi * 147**2 / 2 + 140 * 77 + math.pi * 77**2 / 2
    assert (mu > 0).sum() * 0.25 == pytest.approx(body, rel=2e-3)
    assert (activity > 0).sum() * 0.25 == pytest.approx(body - math.pi * 25**2, rel=2e-3)
    assert mu[320, 320] == pytest.approx(LUNG.total(511))
    rows = np.flatnonzero((mu > 0).any(axis=1)) * 0.5 - 160
    assert (rows.min(), rows.max()) == pytest.approx((-147, 77), abs=1)  # the back is at +y


def test_nema_spheres_are_hot_in_their_plane() -> None:
    activity, mu = slice_of(nema_body(hot=8.0, cold=(4, 5)), 0.0, 160.0, 0.5)
    hot = sum(math.pi * r * r for r in NEMA_RADII_MM[:4])
    assert (activity == 8).sum() * 0.25 == pytest.approx(hot, rel=0.01)
    phantom = nema_body(hot=8.0, cold=(4, 5))
    assert phantom.at(np.array(nema_places_mm()))[0].tolist() == [8, 8, 8, 8, 0, 0]
    assert set(np.round(mu[mu > 0], 6)) == {round(m.total(511), 6) for m in (WATER, LUNG)}


def test_nema_mouse_has_rods_chambers_and_walls() -> None:
    phantom = mouse_phantom()
    activity, mu = slice_of(phantom, -15.0, 17.0, 0.1)
    rods = sum(math.pi * (d / 2) ** 2 for d in range(1, 6))
    assert (activity > 0).sum() * 0.01 == pytest.approx(rods, rel=0.02)
    at = [[-7.5, 0, 17], [7.5, 0, 17], [0, 0, 5], [0, 0, 17], [16, 0, 0], [7.5, 4.5, 17]]
    activity, mu = phantom.at(np.array(at, float))
    assert activity.tolist() == [0, 0, 1, 1, 0, 0]
    materials = [WATER, AIR, WATER, WATER, PMMA, PMMA]
    assert mu == pytest.approx([m.total(511) for m in materials])


def test_scanners_have_their_stated_length_and_width() -> None:
    assert (SAFIR.n_rows, SAFIR.n_crystals) == (91, 91 * 180)
    assert SAFIR.size_mm[1] == pytest.approx(200.2)
    assert (PANELS.n_rows, PANELS.n_across, PANELS.n_modules) == (24, 16, 2)
    low, high = PANELS.places_mm(0.0).min(axis=0), PANELS.places_mm(0.0).max(axis=0)
    assert high == pytest.approx([7.5 * 2.4, 30.0, 11.5 * 2.4])
    assert low == pytest.approx(-high)


def test_twenty_centimetres_of_water_scatter_a_third() -> None:
    small = scattering_cylinder().pairs(4_000).scatter_fraction
    large = scattering_cylinder(150.0).pairs(4_000).scatter_fraction
    assert 0.26 < small < 0.33
    assert 0.35 < large < 0.42


def test_studies_are_distinguished_by_their_content() -> None:
    studies = [safir_cylinder(), panel_balls(), scattering_cylinder(), scattering_cylinder(90.0)]
    assert len({study.digest() for study in studies}) == 4
    assert safir_cylinder().digest() == safir_cylinder().digest()
    assert points((1, 2, 3)) == points((1, 2, 3))


def test_cells_and_direct_search_find_the_same_solids() -> None:
    solids = nema_body().world.solids
    tilted = cylinder(3, 12, at=(1, 2, 3), axis=(1, 1, 0))
    regions = (*nema_body().regions, Region(tilted, AIR), Region(tube(2, 4, 9, at=(0, 9, 0)), AIR))
    world = Phantom("all kinds", regions).world
    points = np.random.default_rng(1).uniform(-160, 160, (20_000, 3))
    points[::4] = points[::4] / 20 + [0, 5, 0]
    points[1::2] *= [0.5, 0.5, 0.1]
    found = [(top(world, *p), searched_top(world.solids, *p)) for p in points]
    assert all(one == other for one, other in found)
    assert len({one for one, _ in found}) == len(solids) + 3
    assert np.mean(world.cells == MIXED) < 0.3
