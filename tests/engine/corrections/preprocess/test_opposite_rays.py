"""The axis of cone beams from rays measured twice: planted shifts, noise, refused scans."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.corrections.preprocess import BadPixels, CentreOfRotation, FlatField, Logarithm
from engine.corrections.preprocess.opposite_rays import by_opposite_rays
from engine.geometry.orbits import circle, circular_cone, helical
from engine.simulate import Detector, shepp_logan, simulate_integrals, simulate_xray, tooth
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder, sphere

ON = cpu(2)
PHANTOMS = {"head": shepp_logan(per_mm=0.02), "tooth": tooth(scale=8.0)}
MIDDLE = 63.5


def orbit(axis=None, *, turn=2 * np.pi, n_views=180, n_rows=5, n_columns=128, **more):
    """Return an orbit with pixels of 3 mm, magnified 1.5 times; the first view is at 0.3 rad."""
    return circular_cone(
        circle(n_views, first_rad=0.3, range_rad=turn), source_axis_mm=1000.0,
        source_detector_mm=1500.0, shape=(n_rows, n_columns), pixel_mm=3.0,
        axis_column=axis, **more,
    )  # fmt: skip


@lru_cache
def noisy_scan(name, axis, *, turn=2 * np.pi, photons=1000.0):
    """Return noisy integrals of a scan with a geometry that ignores the shift."""
    detector = Detector(photons=photons)
    data = simulate_xray(PHANTOMS[name], orbit(axis, turn=turn), seed=3, detector=detector)
    for step in (FlatField(), BadPixels(), Logarithm()):
        data = step.apply(data, on=ON)
    return replace(data, geometry=orbit(turn=turn))


@pytest.mark.parametrize("name", PHANTOMS)
@pytest.mark.parametrize("axis", [MIDDLE, 63.25, 66.37, 50.8])
def test_planted_axis_is_found_in_noise(name, axis):
    found = by_opposite_rays(noisy_scan(name, axis))
    assert found.value == pytest.approx(axis, abs=0.1)
    assert found.best.score == pytest.approx(min(one.score for one in found.candidates), rel=0.05)


@pytest.mark.parametrize("name", PHANTOMS)
def test_axis_is_found_in_a_short_scan(name):
    turn = np.pi + 2 * np.arctan(192 / 1500)
    assert by_opposite_rays(noisy_scan(name, 66.37, turn=turn)).value == pytest.approx(
        66.37, abs=0.1
    )


def test_axis_far_from_the_middle_of_the_detector_is_found():
    moved = orbit(22.6, n_columns=100)
    data = simulate_xray(PHANTOMS["head"], moved, seed=3, detector=Detector(photons=5000))
    for step in (FlatField(), BadPixels(), Logarithm()):
        data = step.apply(data, on=ON)
    data = replace(data, geometry=orbit(20.0, n_columns=100))
    assert by_opposite_rays(data).value == pytest.approx(22.6, abs=0.1)


def test_axis_does_not_depend_on_order_and_direction():
    data = noisy_scan("tooth", 66.37)
    shuffled = data.select(np.random.default_rng(5).permutation(data.n_views))
    mirrored = replace(data, geometry=data.geometry.moved(np.diag([1.0, -1.0, 1.0])))
    turned = replace(data, geometry=data.geometry.rotated(2.0))
    for other in (shuffled, mirrored, turned):
        assert by_opposite_rays(other).value == pytest.approx(66.37, abs=0.1)


def test_step_moves_the_detector_and_reports_it():
    data = noisy_scan("tooth", 66.37)
    after = CentreOfRotation().apply(data, on=ON)
    np.testing.assert_allclose(after.geometry.axis_column, 66.37, atol=0.1)
    message = CentreOfRotation().summary(data, after)
    assert "(opposite rays), moved by +2.8" in message
    assert message.startswith("axis at column 66.")
    right = replace(data, geometry=orbit(66.37))
    assert CentreOfRotation().apply(right, on=ON).geometry is right.geometry


def test_calibrated_orbits_are_not_changed():
    data = noisy_scan("tooth", 66.37)
    assert "geometry is not changed" in str(
        CentreOfRotation().obstacle(replace(data, calibrated=True))
    )
    assert CentreOfRotation(use="on").obstacle(replace(data, calibrated=True)) is None
    wobble = np.random.default_rng(1).normal(0, 0.05, data.n_views)
    bent = replace(data, geometry=data.geometry.shifted(columns=wobble))
    assert "orbit is not a circle" in str(CentreOfRotation().obstacle(bent))
    climbing = helical(circle(180), pitch_mm=20, source_axis_mm=1000.0, source_detector_mm=1500.0,
                       shape=(5, 128), pixel_mm=3.0)  # fmt: skip
    assert "orbit is not a circle" in str(
        CentreOfRotation().obstacle(replace(data, geometry=climbing))
    )
    assert CentreOfRotation(column=60.0).obstacle(replace(data, geometry=climbing)) is None


def test_undetectable_axis_is_left_with_the_reason():
    # a third of a turn, so no ray is measured twice
    data = noisy_scan("head", MIDDLE).select(slice(0, 60))
    after = CentreOfRotation().apply(data, on=ON)
    assert after.geometry is data.geometry
    message = CentreOfRotation().summary(data, after)
    assert message.startswith("axis left at column 63.50; too few rays are measured twice")
    with pytest.raises(DataError, match="too few rays"):
        CentreOfRotation(use="on").apply(data, on=ON)
    whole = noisy_scan("head", MIDDLE)
    noise = np.random.default_rng(1).normal(0, 1, whole.shape).astype("f4")
    with pytest.raises(DataError, match="more than 10 % of their variance; check the direction"):
        by_opposite_rays(replace(whole, values=noise))
    with pytest.raises(DataError, match="one side of the detector ends near the axis"):
        by_opposite_rays(replace(data, geometry=data.geometry.shifted(columns=60)))
    with pytest.raises(DataError, match="no detector row is at the height"):
        by_opposite_rays(replace(data, geometry=data.geometry.shifted(rows=20)))


@pytest.mark.parametrize("roll", [0.035, -0.1])
def test_rolled_detector_is_followed_in_the_plane_of_the_circle(roll):
    block = Cylinder((0, 0, 20), (60, 40, 20), mu_per_mm=0.02)  # the block ends in this plane
    phantom = ShapePhantom("block", (block, sphere((20, 0, -20), 35, mu_per_mm=0.02)))
    actual, stated = (orbit(axis, n_rows=32, roll_rad=roll) for axis in (65.3, 63.5))
    data = simulate_integrals(phantom, actual, oversample=3)
    found = by_opposite_rays(replace(data, geometry=stated))
    assert found.value == pytest.approx(65.3, abs=0.15)


def test_detector_on_its_side_is_refused():
    data = noisy_scan("head", MIDDLE)
    with pytest.raises(DataError, match="no detector row is at the height"):
        by_opposite_rays(replace(data, geometry=data.geometry.rolled(np.pi / 2)))
