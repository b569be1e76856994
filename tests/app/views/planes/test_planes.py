"""Tests of the orientation of planes: patient sides, pixels, and flips."""

from itertools import product

import numpy as np
import pytest

from app.views.planes.plane_geometry import POSITIONS, ViewTurn, clamp_to, slice_index
from engine.geometry import PLANES, Direction, orientation
from engine.geometry.grid import ImageGrid

CONVENTIONS = ("radiological", "neurological")
GRID = ImageGrid((4, 5, 6), (1.0, 2.0, 3.0), (10.0, 20.0, 30.0))
POINT = (11.0, 17.0, 31.5)


@pytest.mark.parametrize(
    ("plane", "convention", "letters"),
    [
        ("axial", "radiological", "RLAP"),
        ("coronal", "radiological", "RLHF"),
        ("sagittal", "radiological", "APHF"),
        ("axial", "neurological", "LRAP"),
        ("coronal", "neurological", "LRHF"),
        ("sagittal", "neurological", "APHF"),
    ],
)
def test_edges_follow_the_convention(plane, convention, letters):
    edges = orientation(plane, convention).edges
    assert edges.left + edges.right + edges.top + edges.bottom == letters


@pytest.mark.parametrize(("axis", "letters"), [(0, "RL"), (1, "AP"), (2, "FH")])
def test_letters_follow_lps(axis, letters):
    assert Direction(axis, -1).letter + Direction(axis, 1).letter == letters
    assert Direction(axis, 1).opposite.letter == letters[0]


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("plane", PLANES)
def test_every_pixel_shows_the_voxel_at_its_position(plane, convention):
    view = orientation(plane, convention)
    x, y, z = (GRID.centres_mm(axis) for axis in range(3))
    values = (x[None, None, :] + 100 * y[None, :, None] + 10_000 * z[:, None, None]).astype("f4")
    index = slice_index(GRID, view.normal, POINT[view.normal])
    depth_mm = float(GRID.centres_mm(view.normal)[index])
    shown, rect = view.extract(values, index), view.rect(GRID)
    rows, columns = shown.shape
    for row in range(rows):
        for column in range(columns):
            u = rect.u + (column + 0.5) / columns * rect.width
            v = rect.v + (row + 0.5) / rows * rect.height
            px, py, pz = view.to_patient(u, v, depth_mm)
            assert shown[row, column] == pytest.approx(px + 100 * py + 10_000 * pz)


@pytest.mark.parametrize("plane", PLANES)
def test_slice_is_contiguous_float32_and_does_not_change_the_volume(plane):
    values = np.ones(GRID.shape, np.float32)
    shown = orientation(plane).extract(values, 1)
    assert shown.dtype == np.float32
    assert shown.flags.c_contiguous
    shown[:] = 7
    assert values.max() == 1


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("plane", PLANES)
def test_screen_and_patient_coordinates_are_inverse(plane, convention):
    view = orientation(plane, convention)
    assert view.to_patient(*view.to_screen(POINT), POINT[view.normal]) == POINT


@pytest.mark.parametrize(
    ("plane", "size"), [("axial", (6, 10)), ("coronal", (6, 12)), ("sagittal", (10, 12))]
)
def test_anisotropic_voxels_keep_their_size_in_mm(plane, size):
    rect = orientation(plane).rect(GRID)
    assert (rect.width, rect.height) == size


def test_neurological_convention_mirrors_only_left_and_right(rng):
    values = rng.random(GRID.shape, np.float32)
    for plane in ("axial", "coronal"):
        one = orientation(plane, "radiological").extract(values, 2)
        other = orientation(plane, "neurological").extract(values, 2)
        assert np.array_equal(one, other[:, ::-1])
    sagittal = orientation("sagittal", "neurological").extract(values, 2)
    assert np.array_equal(sagittal, orientation("sagittal").extract(values, 2))


def test_slice_index_contains_the_position_and_stops_at_the_ends():
    for index, centre_mm in enumerate(GRID.centres_mm(1)):
        assert slice_index(GRID, 1, centre_mm) == index
        assert slice_index(GRID, 1, centre_mm + 0.99) == index
    assert slice_index(GRID, 1, -1e9) == 0
    assert slice_index(GRID, 1, 1e9) == 4


def test_position_is_clamped_to_the_outermost_voxel_centres():
    assert clamp_to(GRID, POINT) == POINT
    assert clamp_to(GRID, (-99.0, 99.0, 0.0)) == (7.5, 24.0, 25.5)


def test_letters_are_swapped_if_z_points_to_the_feet():
    upright = orientation("coronal").edges
    assert (upright.top, upright.bottom) == ("H", "F")
    turned = upright.on("LPI")
    assert (turned.top, turned.bottom) == ("F", "H")
    assert (turned.left, turned.right) == (upright.left, upright.right)
    assert upright.on("LPS") == upright


@pytest.mark.parametrize("axes", ["LPI", *(axes for axes, _ in POSITIONS.values())])
@pytest.mark.parametrize("convention", ["radiological", "neurological"])
def test_letters_are_correct_for_every_patient_position_and_turn(axes, convention):
    """In unturned planes, the head is on top, and the front is at the top or on the left."""
    ends = {0: "LR", 1: "PA", 2: "HF"}
    for plane, quarters, mirrored in product(PLANES, range(4), (False, True)):
        view = ViewTurn(quarters, mirrored).of(orientation(plane, convention, axes))
        edges = view.edges.on(axes)
        for axis, code in enumerate(axes):
            side = {"S": "H", "I": "F"}.get(code, code)
            other = next(pair for pair in ends.values() if side in pair).replace(side, "")
            for sign, letter in ((1.0, side), (-1.0, other)):
                point = [0.0, 0.0, 0.0]
                point[axis] = sign
                u, v = view.to_screen(tuple(point))
                place = {(1, 0): edges.right, (-1, 0): edges.left, (0, 1): edges.bottom}
                assert axis == view.normal or place.get((round(u), round(v)), edges.top) == letter
        if not quarters and not mirrored and plane != "axial":
            assert (edges.top, edges.bottom) == ("H", "F")
        if not quarters and not mirrored and plane == "axial":
            assert edges.top == "A"


def test_two_flips_or_four_turns_change_nothing():
    view = orientation("coronal")
    for quarters, mirrored in product(range(4), (False, True)):
        turn = ViewTurn(quarters, mirrored)
        for upright in (False, True):
            flipped = turn.flipped(upright=upright).of(view)
            same, other = ("right", "down") if upright else ("down", "right")
            assert getattr(flipped, same) == getattr(turn.of(view), same)
            assert getattr(flipped, other) == getattr(turn.of(view), other).opposite
            assert turn.flipped(upright=upright).flipped(upright=upright) == turn
        assert turn.turned(4) == turn
