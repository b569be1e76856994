"""Tests of annotations: angles and lengths in closed form, and their file."""

from __future__ import annotations

import math

import pytest

from engine.analysis.regions import Annotation, RegionSet, read_regions, write_regions


def angle(*points):
    return Annotation(kind="angle", points_mm=points)


@pytest.mark.parametrize("degrees", [0.0, 30.0, 90.0, 137.0, 180.0])
def test_angle_is_independent_of_leg_lengths(degrees):
    along = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    found = angle((12.0, 0.0, 5.0), (2.0, 0.0, 5.0), (2 + 3 * along[0], 3 * along[1], 5.0))
    assert found.angle_deg == pytest.approx(degrees, abs=1e-6)
    assert found.moved((1.0, -4.0, 2.0)).angle_deg == pytest.approx(degrees, abs=1e-6)
    assert found.turned_over().points_mm[0] == (12.0, 0.0, -5.0)


def test_leg_without_length_gives_angle_zero():
    assert angle((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)).angle_deg == 0


def test_annotations_round_trip_and_flip_with_their_scan(tmp_path):
    annotation = Annotation(
        kind="arrow", axis=1, points_mm=((0.0, 1.0, 2.0), (3.0, 1.0, 6.0)), text="node?"
    )
    assert annotation.length_mm == 5
    retained = RegionSet(annotations=(annotation,), scans=("scan:a",))
    write_regions(retained, tmp_path / "a.regions.toml")
    assert read_regions(tmp_path / "a.regions.toml") == retained
    assert not retained.is_empty


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "angle", "points_mm": ((0, 0, 0), (1, 0, 0))}, "expected 3"),
        ({"kind": "text", "points_mm": ((0, 0, 0),)}, "kind 'text' must contain text"),
        (
            {"kind": "text", "points_mm": ((0, 0, 0),), "text": "a\nb"},
            "must not contain invisible characters",
        ),
    ],
)
def test_invalid_annotation_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        Annotation.model_validate(values)
