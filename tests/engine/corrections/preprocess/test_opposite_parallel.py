"""The axis of a full parallel-beam turn is found at any position, or a reason is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.corrections.preprocess import CentreOfRotation
from engine.data.projections import Projections
from engine.geometry.orbits import parallel
from tests.analytic_balls import Array, Ball, ball_projections

ON = cpu(1)
SEEDS = range(50)
FARTHEST = 0.45
"""Largest offset of the axis, as a fraction of the detector width."""
WELL_WITHIN = 0.40
WITHIN = 0.3
"""Required accuracy [columns]; the largest error of these scans is 0.09."""
ROWS = 5


@dataclass(frozen=True)
class Found:
    """Result of a search for the axis.

    Attributes
    ----------
    offset : of the true axis from the middle, as a fraction of the width
    error : of the detected column [columns]; None if it was left with a reason
    """

    offset: float
    error: float | None


def scan_of(values: Array, angles_rad: Array) -> Projections:
    views = parallel(angles_rad, shape=values.shape[1:], pixel_mm=1.0)
    return Projections(values=values.astype(np.float32), geometry=views, kind="integrals")


def balls_of(rng: np.random.Generator, reach: float) -> list[Ball]:
    """Return a ball, on the axis or off it, that contains smaller ones; it may be truncated."""
    radius = reach * rng.choice([0.3, 0.6, 0.95, 1.3])
    away = reach * 0.5 * (radius < 0.4 * reach)
    at = rng.uniform(0, 2 * np.pi)
    x, y = away * np.cos(at), away * np.sin(at)
    balls: list[Ball] = [(x, y, 0.0, radius, 1.2 / reach)]
    for _ in range(rng.integers(3, 9)):
        small, turn = radius * rng.uniform(0.05, 0.25), rng.uniform(0, 2 * np.pi)
        far = rng.uniform(0, radius - small)
        place = x + far * np.cos(turn), y + far * np.sin(turn), rng.uniform(-2, 2)
        balls.append((*place, small, rng.uniform(-0.6, 2.0) / reach))
    return balls


def search(seed: int) -> Found:
    """Search the axis in a noisy scan with a random axis."""
    rng = np.random.default_rng([41, seed])
    columns, n_views = int(rng.integers(80, 140)), int(rng.choice([90, 121, 180, 240]))
    offset = rng.uniform(0, FARTHEST)
    axis = (columns - 1) / 2 + rng.choice([-1, 1]) * offset * columns
    turn = rng.uniform(0, 360) + np.arange(n_views) * 360 / n_views
    balls = balls_of(rng, max(axis, columns - 1 - axis))
    values = ball_projections(turn, (ROWS, columns), balls=balls, axis_column=axis)
    counts = rng.poisson(20_000 * np.exp(-values)).clip(1)
    data = scan_of(-np.log(counts / 20_000), np.radians(turn))
    facts = CentreOfRotation().apply(data, on=ON).info["centre"]
    return Found(offset, None if "why" in facts else facts["column"] - axis)


@pytest.fixture(scope="module")
def searches() -> list[Found]:
    return [search(seed) for seed in SEEDS]


def test_detected_axis_is_right(searches: list[Found]) -> None:
    errors = [abs(each.error) for each in searches if each.error is not None]
    assert max(errors) < WITHIN


def test_nearly_every_axis_is_found(searches: list[Found]) -> None:
    within = [each for each in searches if each.offset <= WELL_WITHIN]
    assert len(within) > 30
    assert sum(each.error is not None for each in within) >= 0.9 * len(within)


@pytest.mark.parametrize("axis", [32.5, 24.5, 57.0])
def test_noise_free_air_is_not_a_match(axis: float) -> None:
    """Outside the object all rays are exactly 0, so they are equal at wrong positions, too."""
    turn = np.arange(0, 360, 2.0)
    values = ball_projections(turn, (ROWS, 90), axis_column=axis)
    facts = CentreOfRotation().apply(scan_of(values, np.radians(turn)), on=ON).info["centre"]
    assert facts["method"] == "opposite rays"
    assert facts["column"] == pytest.approx(axis, abs=0.05)


@pytest.mark.parametrize("order", ["golden", "interlaced", "shuffled", "twice"])
def test_unordered_views_give_the_same_axis(order: str) -> None:
    turn = {
        "golden": np.arange(200) * 360 * (np.sqrt(5) - 1) / 2 % 360,
        "interlaced": np.concatenate([np.arange(k, 360, 12.0) for k in (0, 3, 6, 9)]),
        "shuffled": np.random.default_rng(3).permutation(np.arange(0, 360, 2.0)),
        "twice": np.repeat(np.arange(0, 360, 3.0), 2),
    }[order]
    values = ball_projections(turn, (ROWS, 90), axis_column=30.25)
    facts = CentreOfRotation().apply(scan_of(values, np.radians(turn)), on=ON).info["centre"]
    assert facts["column"] == pytest.approx(30.25, abs=0.1)


@pytest.mark.parametrize("order", ["interlaced", "shuffled", "twice"])
def test_unordered_half_turn_is_searched_in_its_spectrum(order: str) -> None:
    turn = {
        "interlaced": np.concatenate([np.arange(k, 180, 8.0) for k in (0, 2, 4, 6)]),
        "shuffled": np.random.default_rng(3).permutation(np.arange(0, 180, 2.0)),
        "twice": np.repeat(np.arange(0, 180, 2.0), 2),
    }[order]
    values = ball_projections(turn, (ROWS, 101), axis_column=53.3)
    facts = CentreOfRotation().apply(scan_of(values, np.radians(turn)), on=ON).info["centre"]
    assert facts["method"] == "spectrum of the sinogram"
    assert facts["column"] == pytest.approx(53.3, abs=0.1)


def reason_for_unchanged_axis(values: Array, turn: Array) -> str:
    facts = CentreOfRotation().apply(scan_of(values, np.radians(turn)), on=ON).info["centre"]
    assert facts["column"] == facts["before"]
    return str(facts["why"])


def test_wrong_angles_leave_the_axis_unchanged(rng: np.random.Generator) -> None:
    """A half turn labelled as a full turn: no view has an opposite one."""
    values = ball_projections(np.arange(0, 180, 1.0), (ROWS, 90), axis_column=30.0)
    assert "% of their variance, expected at most 25 %" in reason_for_unchanged_axis(
        values, np.arange(0, 360, 2.0)
    )
    noise = rng.normal(size=(120, ROWS, 64))
    assert "% of their variance, expected at most 25 %" in reason_for_unchanged_axis(
        noise, np.arange(0, 360, 3.0)
    )


def test_scan_of_air_leaves_the_axis_unchanged() -> None:
    assert "columns are too few to compare opposite rays" in reason_for_unchanged_axis(
        np.zeros((120, ROWS, 64)), np.arange(0, 360, 3.0)
    )


def test_ambiguous_axis_is_reported() -> None:
    """A pattern that repeats along the columns and never changes fits many columns."""
    turn = np.arange(0, 360, 3.0)
    wave = np.sin(np.arange(90) * 2 * np.pi / 12)
    values = np.broadcast_to(2 + wave, (len(turn), ROWS, 90)).copy()
    assert "match the opposite rays equally well" in reason_for_unchanged_axis(values, turn)


def test_manual_use_is_refused_with_one_sentence() -> None:
    turn = np.arange(0, 360, 3.0)
    with pytest.raises(DataError, match="columns are too few to compare opposite rays"):
        CentreOfRotation(use="on").apply(
            scan_of(np.zeros((120, ROWS, 64)), np.radians(turn)), on=ON
        )
