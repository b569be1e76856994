"""Tests of a second volume in oblique slices: values, positions, and fusion modes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from scipy.spatial.transform import Rotation

from app.state.services.image_plane_reader import ImagePlaneReader
from app.views.fusion.upper_plane import UpperPlane
from app.views.planes.placing import VolumePlacing
from app.views.state import ViewState
from app.workspace.ct_inspection.planes_page import PlanesPage
from engine.data.error_map import ErrorMap
from engine.data.volume import Volume
from engine.geometry import Rect
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane
from engine.geometry.rigid_motion import RigidMotion

LOWER = ImageGrid((9, 11, 13), (2.0, 2.0, 2.0), (1.0, -2.0, 3.0))
UPPER = ImageGrid((30, 32, 34), (1.5, 1.5, 1.5), (2.0, 0.0, 1.0))
SLOPES = (0.5, -0.25, 2.0)
TURNED = RigidMotion(shift_mm=(2.0, -1.0, 3.0), turn_deg=(10.0, -20.0, 30.0))


def sloping(grid: ImageGrid, slopes: tuple[float, float, float] = SLOPES) -> Volume:
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    a, b, c = slopes
    return Volume((a * x + b * y + c * z).astype(np.float32), grid, "counts/mm")


@pytest.fixture
def two() -> ViewState:
    """Return a volume, and a second one with its aligning motion."""
    state = ViewState()
    state.set_volume(sloping(LOWER))
    upper = sloping(UPPER, (1.0, 0.5, -0.5))
    state.fusion.set_second_volume(upper, VolumePlacing.of(upper, state.volume, TURNED), "above")
    return state


def points_of(plane: Plane, sign: float, rect: Rect, shape: tuple[int, int]) -> np.ndarray:
    across, down, _ = plane.turn.T
    u = rect.u + (np.arange(shape[1]) + 0.5) * rect.width / shape[1]
    v = rect.v + (np.arange(shape[0]) + 0.5) * rect.height / shape[0]
    return plane.centre_mm + u[None, :, None] * across + sign * v[:, None, None] * down


def moved_back(points: np.ndarray) -> np.ndarray:
    """Return the points before the motion: a rotation about the middle, then a shift."""
    turn = Rotation.from_euler("xyz", TURNED.turn_deg, degrees=True)
    middle = np.array(UPPER.centre_mm)
    flat = points.reshape(-1, 3) - middle - TURNED.shift_mm
    return (turn.inv().apply(flat) + middle).reshape(points.shape)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_upper_volume_has_its_own_values_at_its_position(two, sign):
    plane = Plane((8, 10), 1.7, (1.5, -1.5, 2.5)).turned((1.0, 2.0, -0.5), 0.6)
    rect = Rect(-8.5, -6.8, 17.0, 13.6)
    values, where = UpperPlane(two, lambda: None).values(plane, sign, rect)
    assert where == rect
    points = points_of(plane, sign, rect, values.shape)
    own = moved_back(points)
    np.testing.assert_allclose(values, own @ np.array([1.0, 0.5, -0.5]), atol=1e-4)


def test_difference_exists_only_where_both_volumes_have_values(two):
    two.fusion.set_mode("difference")
    plane = Plane((40, 40), 1.0, (1.0, -2.0, 3.0)).turned((0.3, 1.0, 0.2), 0.8)
    rect = Rect(-20.0, -20.0, 40.0, 40.0)
    values, _ = UpperPlane(two, lambda: None).values(plane, 1.0, rect)
    points = points_of(plane, 1.0, rect, values.shape)
    own = moved_back(points)
    expected = own @ np.array([1.0, 0.5, -0.5]) - points @ np.array(SLOPES)
    voxels = LOWER.to_voxels(points)
    inside = ((voxels >= 0.5) & (voxels <= np.array(LOWER.shape[::-1]) - 0.5)).all(-1)
    np.testing.assert_allclose(values[inside], expected[inside], atol=2e-4)
    assert inside.any() and np.isnan(values[~inside]).all()


def with_error(volume: Volume, sd: float) -> Volume:
    """Return the same image with a uniform standard deviation."""
    replicates = [volume.values + np.float32(k * sd) for k in (-1, 0, 1)]
    return replace(volume, error=ErrorMap.of(volume.values, replicates, seed=1, counts="a"))


def test_significance_in_an_oblique_slice_is_the_difference_over_its_error(two):
    two.set_volume(with_error(two.volume, 0.3))
    placing = two.fusion.placing
    two.fusion.set_second_volume(with_error(two.fusion.volume, 0.4), placing, "above")
    plane = Plane((40, 40), 1.0, (1.0, -2.0, 3.0)).turned((0.3, 1.0, 0.2), 0.8)
    rect = Rect(-20.0, -20.0, 40.0, 40.0)
    found = {}
    for mode in ("difference", "significance"):
        two.fusion.set_mode(mode)
        found[mode], _ = UpperPlane(two, lambda: None).values(plane, 1.0, rect)
    known = np.isfinite(found["significance"])
    assert known.mean() > 0.2
    # Independent errors of 0.3 and 0.4, in steps of 1/127.
    np.testing.assert_allclose(
        found["significance"][known], found["difference"][known] / 0.5, rtol=0.02, atol=1e-3
    )


@pytest.fixture
def page(qtbot, controls):
    new_page = PlanesPage(ImagePlaneReader(controls.session, controls.commands), lambda shown: None)
    qtbot.addWidget(new_page)
    new_page.resize(700, 500)
    new_page.view = controls.session.view
    new_page.view.set_volume(sloping(LOWER))
    new_page.show()
    reader = new_page._reader
    qtbot.waitUntil(lambda: reader.newest is not None and not reader.is_working, timeout=10_000)
    yield new_page
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=10_000)


def overlay(view: ViewState, value: float = 3.0) -> None:
    """Overlay a uniform volume on the displayed one."""
    even = Volume(np.full(UPPER.shape, value, np.float32), UPPER, "Bq/mL")
    view.name = "below"
    view.fusion.set_second_volume(even, VolumePlacing(), "above")
    view.fusion.set_window(0, 3)


def middle(view) -> tuple[int, int, int]:
    """Return the colour next to the middle of a view, off the lines."""
    at = QPoint(view.width() // 2 + 25, view.height() // 2 + 15)
    return view.grab().toImage().pixelColor(at).getRgb()[:3]


def test_fusion_of_the_volume_page_applies_to_slices_with_a_note(page):
    first = page.views.slices[0]
    alone = middle(first)
    overlay(page.view)
    page.view.fusion.set_opacity(1.0)
    brightest = middle(first)
    assert brightest != alone and min(brightest) > 240, (
        "the middle is not the brightest colour of hot"
    )
    assert "below" in first.caption() and "above" in first.caption()
    page.view.fusion.set_messages("two patients", "")
    assert first.warning() == "two patients"
    page.view.fusion.set_opacity(0.0)
    assert middle(first) == alone
    page.view.fusion.set_mode("side by side")
    assert middle(first) == alone and "side by side" in first.note()


def test_swipe_border_is_dragged_and_slices_stay(qtbot, page):
    overlay(page.view)
    page.view.fusion.set_mode("swipe")
    first, before = page.views.slices[0], page.views.placement
    at = QPoint(first.width() // 2, 30)
    qtbot.mousePress(first, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseMove(first, QPoint(round(first.width() * 0.25), 30))
    qtbot.mouseRelease(first, Qt.MouseButton.LeftButton, pos=at)
    assert page.view.fusion.swipe == pytest.approx(0.25, abs=0.01)
    assert page.views.placement == before


def test_slices_of_another_volume_have_no_overlay(page):
    first = page.views.slices[0]
    alone = middle(first)
    overlay(page.view)
    page.view.fusion.set_opacity(1.0)
    for view in page.views.slices:
        view.set_fused(False)
    assert middle(first) == alone and "above" not in first.caption()
    assert not first.warning()


def test_drag_sets_the_window_of_the_chosen_volume(page):
    overlay(page.view)
    first, fusion = page.views.slices[0], page.view.fusion
    assert first.dragged_appearance(upper=True) is fusion
    assert first.dragged_appearance(upper=False) is first.state
    fusion.set_second_volume(replace(fusion.volume, unit="counts/mm"), VolumePlacing(), "above")
    fusion.set_mode("difference")
    assert first.dragged_appearance(upper=False) is fusion.compared
