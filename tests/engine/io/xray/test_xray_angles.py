"""Tests of view angles: remedies for a wrong unit or order, and for repeated views."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.errors import DataError, FileFormatError
from engine.geometry.orbits import parallel
from engine.io.xray.angles import read_angles, unit_named
from engine.io.xray.facts import span_deg

TURN = np.arange(360.0)


@pytest.mark.parametrize("span", [180.0, 199.0, 360.0, 720.0])
def test_degrees_and_radians_of_one_scan_are_equal(span: float) -> None:
    degrees = np.arange(90) * span / 90
    found = read_angles(degrees, "deg", "a")
    assert np.allclose(found.rad, read_angles(np.deg2rad(degrees), "rad", "a").rad)
    assert np.allclose(found.rad, np.deg2rad(degrees))
    assert not found.notes


WRONG = {
    "degrees": (
        lambda degrees: degrees,
        "rad",
        r"turns in radians, .* In degrees they span {span}°",
    ),
    "radians": (np.deg2rad, "deg", r"span \S+° in degrees, .* In radians they span {span}°"),
    "to degrees twice": (
        np.rad2deg,
        "deg",
        r"turns in degrees, .* span {span}°.* degrees twice",
    ),
    "to radians twice": (
        lambda degrees: np.deg2rad(np.deg2rad(degrees)),
        "rad",
        r"in radians, .* span {span}°.* to radians twice",
    ),
}


@pytest.mark.parametrize("fault", WRONG)
@pytest.mark.parametrize("n", [90, 181, 500, 720, 1100])
@pytest.mark.parametrize("span", [90, 180, 200, 215, 360])
def test_wrong_unit_is_refused_with_both_interpretations(fault: str, span: float, n: int) -> None:
    """Quarter, half and full turns and short scans, 57.3 times too large or too small."""
    change, unit, sentence = WRONG[fault]
    degrees = np.arange(n) * span / n
    with pytest.raises(DataError, match=sentence.format(span=f"{np.ptp(degrees):.4g}")):
        read_angles(change(degrees), unit, "a")


@pytest.mark.parametrize("step", [0.1, 0.5, 2.0])
def test_degrees_labelled_radians_are_refused_if_both_ends_are_listed(step: float) -> None:
    with pytest.raises(DataError, match=r"turns in radians, .* In degrees they span 180°"):
        read_angles(np.arange(0, 180.01, step), "rad", "a")


def test_noisy_degrees_labelled_radians_are_refused() -> None:
    unsteady = np.arange(400) * 0.5 + 0.02 * np.sin(12.3 * np.arange(400))
    with pytest.raises(DataError, match=r"turns in radians, .* In degrees"):
        read_angles(unsteady, "rad", "a")


def test_reader_states_its_own_remedy_for_a_wrong_unit() -> None:
    with pytest.raises(DataError, match=r"as expected for a scan\. Ask the beamline\.$"):
        read_angles(np.deg2rad(TURN), "deg", "a", remedy="Ask the beamline.")


@pytest.mark.parametrize("turns", [2.5, 10, 28.5, 28.65, 29, 56.5, 57, 57.3, 100])
@pytest.mark.parametrize("views_in_a_turn", [20, 45, 64, 97, 360, 984])
def test_many_real_turns_are_accepted_in_either_unit(turns: float, views_in_a_turn: int) -> None:
    degrees = np.arange(round(turns * views_in_a_turn)) * 360.0 / views_in_a_turn
    for values, unit in ((degrees, "deg"), (np.deg2rad(degrees), "rad")):
        assert np.allclose(read_angles(values, unit, "a").rad, np.deg2rad(degrees))


@pytest.mark.parametrize("step", [111.2461180, 137.5077641, 222.4922359, 68.7538820, 111.246])
def test_golden_angles_are_accepted_in_either_unit(step: float) -> None:
    """Also 75 and 150 views at 137.5°: steps of 2.39996 radians are close to 180 and 360."""
    for n in range(20, 800):
        degrees = np.arange(n) * step
        assert len(read_angles(degrees, "deg", "a").rad) == n
        assert len(read_angles(np.deg2rad(degrees), "rad", "a").rad) == n


@pytest.mark.parametrize("unit", ["deg", "rad"])
def test_interlaced_turns_are_accepted(unit: str) -> None:
    """Eight turns of 45 views; each turn is offset by an eighth of a step."""
    degrees = (np.arange(45) * 8.0 + 360.0 * np.arange(8)[:, None] + np.arange(8)[:, None]).ravel()
    values = degrees if unit == "deg" else np.deg2rad(degrees)
    assert np.allclose(read_angles(values, unit, "a").rad, np.deg2rad(degrees))


def test_many_turns_of_a_helix_in_radians_are_accepted() -> None:
    turns = np.linspace(0, 40 * np.pi, 2000, endpoint=False)
    assert np.allclose(read_angles(turns, "rad", "a").rad, turns)


@pytest.mark.parametrize(("values", "degrees"), [(TURN, TURN), (np.deg2rad(TURN), TURN)])
def test_unit_is_guessed_from_the_span_with_a_note(values: np.ndarray, degrees: np.ndarray) -> None:
    found = read_angles(values, None, "scan.nxs")
    assert np.allclose(np.rad2deg(found.rad), degrees)
    assert "no unit" in found.notes[0]


@pytest.mark.parametrize("sign", [1, -1])
def test_last_view_that_repeats_the_first_is_left_out(sign: int) -> None:
    found = read_angles(sign * np.arange(361.0), "deg", "a")
    assert (len(found.rad), found.n_stated) == (360, 361)
    assert "repeats the first" in found.notes[0]


def test_both_ends_of_half_a_turn_are_used() -> None:
    assert len(read_angles(np.arange(181.0), "deg", "a").rad) == 181


def test_turn_beyond_360_degrees_is_monotonic() -> None:
    assert len(read_angles((TURN + 90) % 360, "deg", "a").rad) == 360


def test_golden_angle_is_monotonic() -> None:
    assert len(read_angles(np.arange(100) * 111.246, "deg", "a").rad) == 100


def test_noisy_encoder_is_monotonic() -> None:
    unsteady = TURN + 0.2 * np.sin(12.3 * TURN)
    assert len(read_angles(unsteady, "deg", "a").rad) == 360


def test_swapped_views_are_used_as_listed_with_a_note() -> None:
    values = TURN.copy()
    values[[100, 101]] = values[[101, 100]]
    found = read_angles(values, "deg", "a")
    assert np.array_equal(found.rad, np.deg2rad(values))
    assert len(found.notes) == 1
    assert "not in order (view 100: 101°, view 101: 100°)" in found.notes[0]


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.0, 10, 20, 30, 20, 10]),
        np.concatenate([np.arange(k, 180, 12.0) for k in (0, 3, 6, 9)]),
        np.arange(60) * 111.2461 % 180,
        np.random.default_rng(0).permutation(np.arange(181) * 0.99447514),
    ],
    ids=["there and back", "interlaced", "golden", "shuffled"],
)
def test_angles_in_any_order_are_used_with_a_note(values: np.ndarray) -> None:
    found = read_angles(values, "deg", "a")
    assert np.array_equal(found.rad, np.deg2rad(values))
    assert any("each view is used at its own angle" in note for note in found.notes)


def test_repeated_angles_are_used_and_counted() -> None:
    values = TURN.copy()
    values[7] = 6
    assert (
        "views repeat the angle of another view (number: 1, first: view 7 at 6°)"
        in (read_angles(values, "deg", "a").notes[0])
    )
    twice = np.repeat(np.arange(0, 180, 3.0), 2)
    found = read_angles(twice, "deg", "a")
    assert np.array_equal(found.rad, np.deg2rad(twice))
    assert found.notes == (
        "a: some views repeat the angle of another view (number: 60, first: view 1 at 0°); these "
        "views share one weight.",
    )


def test_views_with_one_common_angle_are_refused() -> None:
    with pytest.raises(DataError, match=r"all 12 views have the same angle \(5°\)"):
        read_angles(np.full(12, 5.0), "deg", "a")


@pytest.mark.parametrize(
    ("values", "match"), [([], "no angles"), ([0, np.nan, 2], "starting with view 1")]
)
def test_invalid_angles_are_refused(values: list[float], match: str) -> None:
    with pytest.raises(DataError, match=match):
        read_angles(np.array(values), "deg", "a")


def test_units_are_recognised_by_name() -> None:
    assert [unit_named(t, "a") for t in ("deg", " Degrees", "rad", "")] == [
        "deg",
        "deg",
        "rad",
        None,
    ]
    with pytest.raises(FileFormatError, match="'mm', expected degrees or radians"):
        unit_named("mm", "a")


@pytest.mark.parametrize(
    ("degrees", "covered"),
    [
        (np.concatenate([np.arange(k, 180, 12.0) for k in (0, 3, 6, 9)]), 180),
        (np.random.default_rng(1).permutation(np.arange(0, 360, 2.0)), 360),
        (np.random.default_rng(1).permutation(np.arange(0, 90, 1.0)), 90),
        (np.arange(0, 200, 2.0), 200),
    ],
)
def test_report_states_the_angular_range_of_unordered_views(
    degrees: np.ndarray, covered: float
) -> None:
    geometry = parallel(np.deg2rad(degrees), shape=(2, 4), pixel_mm=1.0)
    assert span_deg(geometry) == pytest.approx(covered)
