"""Test that the description of a geometry agrees with its vectors."""

from __future__ import annotations

import numpy as np
import pytest

from app.workspace.ct_inspection.geometry_text import (
    facts,
    path_text,
    tilt_text,
    turn_text,
    view_facts,
)
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, fan, helical, parallel

DISTANCES = {"source_axis_mm": 400.0, "source_detector_mm": 600.0}


def cone(**changes):
    settings = {"shape": (20, 50), "pixel_mm": 0.5, **DISTANCES, **changes}
    return circular_cone(circle(90), **settings)


def message(geometry, grid=None, **changes) -> dict[str, str]:
    return dict(facts(geometry, grid, **{"pixel_mm_known": True, **changes}))


def test_cone_description_has_distances_and_sizes():
    words = message(cone(), ImageGrid((10, 20, 30), (1.0, 1.0, 2.0)))
    assert words["Beam"] == "cone"
    assert words["Path"] == "a circle about z"
    assert words["Source to axis"] == "400 mm"
    assert words["Source to detector"] == "600 mm, perpendicular to the detector"
    assert words["Magnification"] == "1.5"
    assert words["Detector"] == "50 columns × 20 rows, 25 × 10 mm"
    assert words["Axis column"] == "24.5, at the centre"
    assert words["Volume"] == "30 × 20 × 20 mm (x, y, z)"


def test_parallel_rays_have_no_distances():
    words = message(parallel(circle(9), shape=(4, 8), pixel_mm=1.0), pixel_mm_known=False)
    assert words["Beam"].startswith("parallel")
    assert "Source to axis" not in words
    assert words["Detector"].endswith("8 × 4 pixels")


def test_cone_of_one_row_is_described_as_a_fan():
    geometry = fan(circle(9), **DISTANCES, n_columns=8, pixel_mm=1.0)
    assert message(geometry)["Beam"] == "fan"
    assert "1 row," in message(geometry)["Detector"]


@pytest.mark.parametrize(
    ("sign", "words"), [(1, "counter-clockwise seen from +z"), (-1, "clockwise seen from +z")]
)
def test_rotation_has_a_direction(sign, words):
    geometry = parallel(sign * circle(180), shape=(4, 8), pixel_mm=1.0)
    assert turn_text(geometry) == f"180 views over 360°, steps of 2°, {words}"


def test_uneven_steps_are_described():
    angles = np.sort(np.random.default_rng(1).uniform(0, 3, 40))
    assert "uneven steps" in turn_text(parallel(angles, shape=(4, 8), pixel_mm=1.0))


def test_offset_of_the_axis_is_described():
    assert message(cone(axis_column=20.0))["Axis column"] == "20, 4.5 columns from the centre"
    words = message(cone(), needs_axis_search=True)["Axis column"]
    assert words == "24.5, at the centre; determined from the scan in each run"


@pytest.mark.parametrize("pitch", [30.0, -30.0])
def test_helix_states_its_pitch(pitch):
    angles = np.linspace(-9, 9, 120)
    geometry = helical(angles, pitch_mm=pitch, shape=(20, 50), pixel_mm=0.5, **DISTANCES)
    assert path_text(geometry) == "a helix, 30 mm along z per rotation"


def test_irregular_path_is_not_described_as_a_circle():
    rng = np.random.default_rng(2)
    irregular = cone().moved(shift_mm=rng.normal(0, 1, (90, 3)))
    assert path_text(irregular).startswith("free")
    assert " to " in message(irregular)["Source to axis"]


def test_tilt_and_roll_are_described():
    assert tilt_text(cone()).startswith("none")
    tilted = tilt_text(cone(tilt_rad=(np.deg2rad(3), 0.0)))
    assert tilted == "3° out of plane, 0° in plane"
    rolled = tilt_text(cone(roll_rad=np.deg2rad(2)))
    assert rolled in ("0° out of plane, 2° in plane", "0° out of plane, −2° in plane")


def test_directions_of_u_and_v_are_described():
    words, flipped = message(cone()), message(cone().flipped(columns=True, rows=True))
    assert words["Columns (u)"].startswith("to the right, seen from the source")
    assert flipped["Columns (u)"].startswith("to the left, seen from the source")
    assert words["Rows (v)"].startswith("upwards")
    assert flipped["Rows (v)"].startswith("downwards")


def test_view_states_its_vectors():
    words = dict(view_facts(cone(), 0, pixel_mm_known=True))
    assert words["Source"] == "(400, 0, 0) mm"
    assert words["Detector centre"] == "(−200, 0, 0) mm"
    assert words["Column step (u)"] == "(0, 0.5, 0) mm"
    assert words["Row step (v)"] == "(0, 0, 0.5) mm"
