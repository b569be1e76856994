"""Compare live slices with slices of the stored scan, and with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core import backend
from engine.core.errors import GeometryError
from engine.corrections.preprocess import BadPixels, Binning, FlatField, Logarithm, Rings, Roll
from engine.data.projections import Projections
from engine.geometry.orbits import circle, helical, parallel
from engine.geometry.plane import orthogonal
from engine.live.ct.settings import LiveSettings
from engine.live.ct.slices import LiveSlices
from engine.operators.xray.slices import Slices
from engine.recon.filtering.projections import filtered, planned
from engine.recon.filtering.settings import FilterSettings
from tests.engine.live.ct.running_scan import (
    MU,
    RADIUS_MM,
    N,
    cone,
    counts_of,
    frames_of,
    references,
)

ON = backend.cpu(2)
STEPS = (FlatField(), Logarithm())
PLANES = orthogonal((36, 40), 1.0)
INSIDE = slice(14, 22)


def live_of(geometry, *, planes=PLANES, steps=STEPS, filter=None, **settings):
    live = LiveSlices(
        geometry, planes, steps=steps, filter=filter, settings=LiveSettings(**settings), on=ON
    )
    live.add(references(geometry.shape))
    return live


def stored(geometry, counts, planes=PLANES, settings=None):
    settings = settings or FilterSettings()
    dark, flat = (frame.values[None] for frame in references(geometry.shape))
    scan = Projections(counts, geometry, kind="counts", flats=flat, darks=dark)
    for step in STEPS:
        scan = step.apply(scan, on=ON)
    values = scan.values
    plan = planned(values, geometry, settings)
    slices = Slices(plan.geometry, planes, on=ON)
    slices.update(filtered(values, plan, settings, on=ON))
    return slices.values()


def expect_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def expect_near(found, expected, rtol=1e-6):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=rtol * np.abs(other).max())


GEOMETRIES = {
    "cone": cone(),
    "half fan": cone(axis_column=16.0),
    "short scan": cone(N, turn=np.pi + 0.6),
    "parallel": parallel(circle(N, range_rad=np.pi), shape=(32, 48), pixel_mm=1.0),
}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_complete_live_scan_has_the_slices_of_the_stored_scan(name):
    geometry = GEOMETRIES[name]
    counts, live = counts_of(geometry), live_of(geometry)
    for start in range(0, N, 9):
        live.add(frames_of(geometry, counts, range(start, min(start + 9, N))))
        moving = live.refresh(is_idle=False)

    expected = stored(geometry, counts)
    if moving.weights == "exact":
        expect_near(moving.values, expected)
    expect_equal(live.refresh().values, expected)


@pytest.mark.parametrize("n", [1, 3, 8, 20, N])
def test_cylinder_has_its_attenuation_from_the_first_view(n):
    geometry = cone()
    counts, live = counts_of(geometry), live_of(geometry)

    live.add(frames_of(geometry, counts, range(n)))
    picture = live.refresh(is_idle=False)

    middle = [values[INSIDE, 16:24].mean() for values in picture.values]
    np.testing.assert_allclose(middle, MU, rtol=2e-3)
    assert picture.n_views == n
    assert picture.covered_rad == pytest.approx(0 if n == 1 else 2 * np.pi * n / N)


@pytest.mark.parametrize("turn", ["half", "full"])
def test_sliding_views_forget_the_earlier_object(turn):
    geometry, planes = cone(), PLANES[:1]
    before, after = counts_of(geometry, (8.0, 0.0)), counts_of(geometry, (-8.0, 4.0))
    live = live_of(geometry, planes=planes, mode="sliding", turn=turn)
    live.add(frames_of(geometry, before, range(N)))
    live.refresh(is_idle=False)
    for start in range(N, 2 * N, 7):
        live.add(frames_of(geometry, after, range(start, min(start + 7, 2 * N))))
        picture = live.refresh(is_idle=False)

    live.refresh()
    alone = live_of(geometry, planes=planes, mode="sliding", turn=turn)
    alone.add(frames_of(geometry, after, range(2 * N - picture.n_views, 2 * N)))
    expect_equal(live.refresh().values, alone.refresh().values)


def test_rounding_errors_do_not_grow_over_many_turns():
    geometry, planes = cone(), PLANES[:1]
    counts = counts_of(geometry)
    live = live_of(geometry, planes=planes, mode="sliding")
    for start in range(0, 12 * N, 5):
        live.add(frames_of(geometry, counts, range(start, start + 5)))
        picture = live.refresh(is_idle=False)

    expect_near(picture.values, stored(geometry, counts, planes))


def test_planes_axis_roll_and_filter_apply_at_the_next_refresh():
    geometry = cone(axis_column=24.6)
    stated = geometry.shifted(columns=1.1)  # detector position of the file
    counts = counts_of(geometry)
    live = live_of(stated)
    live.add(frames_of(stated, counts, range(N)))
    live.refresh()

    live.set_axis(24.6)
    expect_equal(live.refresh().values, stored(geometry, counts))

    hann = FilterSettings(window="hann")
    live.filter(hann)
    moved = orthogonal((20, 24), 1.3, (3.0, -2.0, 1.0))
    live.place(moved)
    picture = live.refresh()
    assert picture.planes == list(moved)
    expect_equal(picture.values, stored(geometry, counts, moved, hann))

    live.roll(2.0)
    live.set_axis(24.6)
    rolled = stated.rolled(np.radians(2.0))
    rolled = rolled.shifted(columns=float(rolled.axis_column.mean()) - 24.6)
    expect_equal(live.refresh().values, stored(rolled, counts, moved, hann))


def test_oblique_slice_of_a_cylinder_is_an_ellipse():
    geometry, angle = cone(2 * N), np.radians(30)
    turned = orthogonal((48, 48), 1.0)[0].turned((1.0, 0.0, 0.0), angle)
    live = live_of(geometry)
    live.add(frames_of(geometry, counts_of(geometry), range(2 * N)))
    live.place([turned])
    (values,) = live.refresh().values

    at = np.arange(48) - 23.5
    away = np.hypot(at[None, :], at[:, None] * np.cos(angle)) / RADIUS_MM
    visible = np.abs(at[:, None] * np.sin(angle)) < 10  # the part that all views see
    inside, outside = visible & (away < 0.85), visible & (away > 1.2)
    assert inside.sum() > 400 and outside.sum() > 150
    assert np.abs(values[inside] - MU).mean() < 0.03 * MU
    assert np.abs(values[outside]).mean() < 0.06 * MU
    rows, columns = np.nonzero(values > MU / 2)
    tall, wide = np.ptp(rows) + 1, np.ptp(columns) + 1
    assert wide == pytest.approx(2 * RADIUS_MM, abs=1.5)
    assert tall == pytest.approx(2 * RADIUS_MM / np.cos(angle), abs=1.5)


def test_views_without_flats_wait_and_report_this():
    geometry = cone()
    live = LiveSlices(geometry, PLANES, steps=STEPS, on=ON)

    stated = live.add(frames_of(geometry, counts_of(geometry), range(3)))

    assert "flat" in live.waits_for and stated == [live.waits_for]
    assert live.refresh() is None
    live.add(references(geometry.shape))
    assert live.waits_for is None


def test_next_scan_does_not_mix_with_the_last_one():
    geometry = cone()
    one, other = counts_of(geometry, (8.0, 0.0)), counts_of(geometry, (-8.0, 0.0))
    live = live_of(geometry)
    live.add(frames_of(geometry, one, range(N)))
    live.refresh()

    stated = live.add(frames_of(geometry, other, range(5)))

    assert "another scan starts" in stated[0]
    alone = live_of(geometry)
    alone.add(frames_of(geometry, other, range(5)))
    expect_equal(live.refresh().values, alone.refresh().values)


def test_missing_views_do_not_change_the_level_and_late_ones_are_added():
    geometry = cone()
    counts, live = counts_of(geometry), live_of(geometry)
    missing = [k for k in range(N) if k not in (7, 8, 19)]
    live.add(frames_of(geometry, counts, missing))

    some = live.refresh()
    np.testing.assert_allclose(some.values[0][INSIDE, 16:24].mean(), MU, rtol=5e-3)

    live.add(frames_of(geometry, counts, (8, 7, 19)))
    expect_equal(live.refresh().values, stored(geometry, counts))


def test_steps_state_if_they_accept_single_views():
    assert Binning(pixels=2).takes_single_views
    assert not Binning(views=2).takes_single_views
    assert not Rings().takes_single_views

    geometry = cone()
    steps = (*STEPS[:1], BadPixels(), Binning(pixels=2), STEPS[1], Rings(), Roll(degrees=0.0))
    live = live_of(geometry, steps=steps)
    live.add(frames_of(geometry, counts_of(geometry), range(N)))
    assert live.preparation.left_out == (Rings.title,)
    assert live.geometry.shape == (16, 24)
    middle = live.refresh().values[0][INSIDE, 16:24].mean()
    np.testing.assert_allclose(middle, MU, rtol=5e-3)


def test_helical_scan_is_refused():
    climbing = helical(
        circle(N), pitch_mm=40, source_axis_mm=200, source_detector_mm=400, shape=(8, 48),
        pixel_mm=2.0,
    )  # fmt: skip
    with pytest.raises(GeometryError, match="moves along the axis of rotation"):
        LiveSlices(climbing, PLANES, on=ON)
