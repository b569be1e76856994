"""Tests of opening a second volume and fusing it, without a complete window."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.state.models.images.error_images import SPREAD, is_computed
from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_origin import Origin
from app.state.models.inputs import Input, Inputs
from app.state.models.run_record import RunRecord
from app.viewing.fusion.fusion_bar import FusionBar
from app.views.slices.ortho_view import OrthoView
from engine.core import paths
from engine.data import FrameVolume, TimeFrame
from engine.data.error_map import ErrorMap
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.results import NewResult, Results
from tests.app.conftest import PATIENCE_MS, read_input

GRID = ImageGrid((4, 5, 6), (2.0, 2.0, 2.0))


def volume(value: float = 1.0, unit: str = "counts/mm", **info: str) -> Volume:
    values = np.linspace(0, value, GRID.n_voxels, dtype=np.float32).reshape(GRID.shape)
    return Volume(values, GRID, unit, dict(info))


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def bar(qtbot, controls, small_study) -> FusionBar:
    """Show the image of a run of the small study."""
    scan = read_input("data", str(small_study.data), None, None)
    controls.session.study.begin(Inputs(data=scan))
    controls.session.show_result(RunRecord("small", small_study), "final", volume())
    views = OrthoView(controls.session.view)
    new_bar = FusionBar(controls.context, views)
    qtbot.addWidget(views)
    qtbot.addWidget(new_bar)
    new_bar.views = views
    new_bar.resize(900, 90)
    new_bar.show()
    return new_bar


def settle(qtbot, controls) -> None:
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)


def chosen(menu, title: str):
    """Return the action of a menu or its submenus."""
    menu.fill()
    every = [*menu.actions()]
    every += [action for each in menu.actions() if each.menu() for action in each.menu().actions()]
    return next(each for each in every if each.text().startswith(title))


def test_single_volume_needs_one_row(bar):
    assert bar.base.text() == "small.h5, Small" and bar.overlay.text() == "Second volume …"
    hidden = (bar.swap, bar.mode, bar.share, bar.window_of_upper, bar.window_of_both, bar.words)
    assert not any(each.isVisible() for each in hidden)


def test_stored_result_is_overlaid_and_removed(qtbot, controls, bar, small_study):
    stored = Results().keep(NewResult(small_study, volume(5.0), {"axes": "LPS"}))
    controls.context.results.refresh()
    settle(qtbot, controls)
    chosen(bar.overlay.menu(), "Small · 3 it., small.h5, ").trigger()
    settle(qtbot, controls)
    volumes, fusion = controls.session.volumes, controls.session.view.fusion
    assert volumes.overlay.key == f"result:{stored.id}"
    np.testing.assert_array_equal(fusion.volume.values, volume(5.0).values)
    assert bar.swap.isVisible() and bar.linked.isChecked()
    assert not bar.window_of_upper.isVisible(), "the overlay has a separate display window"
    assert not bar.words.isVisible(), "two volumes of one scan have a note"
    bar.linked.click()
    assert bar.window_of_upper.isVisible()
    chosen(bar.overlay.menu(), "No volume").trigger()
    assert fusion.volume is None and not bar.swap.isVisible()


def test_two_clicks_compare_the_image_with_a_result(qtbot, controls, bar, small_study):
    """The clicks open the menu and choose the result; images and difference share a window."""
    Results().keep(NewResult(small_study, volume(5.0), {"axes": "LPS"}))
    controls.context.results.refresh()
    settle(qtbot, controls)
    assert bar.compare.isVisible()
    assert not any(each.text() == bar.base.text() for each in bar.compare.menu().actions())
    chosen(bar.compare.menu(), "Small · 3 it., small.h5, ").trigger()
    settle(qtbot, controls)
    fusion, view = controls.session.view.fusion, controls.session.view
    assert fusion.is_compared and bar.mode.currentText() == "Compare"
    assert bar.linked.isChecked() and fusion.window == view.window
    assert fusion.colour_map == view.colour_map
    assert bar.window_of_both.isVisible() and not bar.window_of_upper.isVisible()
    assert not bar.compare.isVisible(), "the button stays although the mode is in the box"


def test_file_without_patient_shows_a_note_while_visible(qtbot, controls, bar, tmp_path):
    save(volume(3.0), tmp_path / "foreign.nii.gz", {})
    controls.context.volumes.open_file(tmp_path / "foreign.nii.gz", "overlay")
    settle(qtbot, controls)
    assert controls.session.volumes.overlay.kind == "file"
    assert "same patient" in bar.words.text() and bar.words.isVisible()
    bar.mode.activated.emit(bar.mode.findData("difference"))
    assert bar.window_of_both.isVisible() and bar.words.isVisible()


def test_unreadable_file_changes_nothing(qtbot, controls, bar, tmp_path):
    problems = []
    controls.session.problem_raised.connect(problems.append)
    (tmp_path / "broken.nii").write_bytes(b"nothing")
    controls.context.volumes.open_file(tmp_path / "broken.nii", "base")
    settle(qtbot, controls)
    (problem,) = problems
    assert problem.title == "The volume cannot be shown." and "broken.nii" in problem.text
    assert controls.session.volumes.shows_image


def test_mu_map_is_at_its_position_in_the_scan(controls, bar):
    """A scan with z towards the feet is not rotated, unless DICOM states its orientation."""
    session = controls.session
    for format_, sign in (("", 1), ("DICOM series", -1)):
        session.volumes.forget_others()
        content = volume(0.01, "1/mm", format=format_)
        session.study.inputs["attenuation"] = Input("map.h5", "", content)
        z_to_feet = volume(axes="LPI")
        session.show_result(RunRecord("small", session.study.to_study()), "final", z_to_feet)
        chosen(bar.overlay.menu(), "μ-map: map.h5").trigger()
        assert session.view.fusion.placing.rows[2][2] == sign
        assert not bar.words.isVisible()


def test_mu_map_is_shown_with_the_grid_before_the_start(controls, bar):
    """The first image replaces it, and the map is overlaid on request."""
    session, view = controls.session, controls.session.view
    session.run.forget()
    content = volume(0.01, "1/mm")
    session.study.set_input("attenuation", Input("map.h5", "", content))
    controls.context.volumes.show_input("attenuation")
    assert view.volume is content and view.box == session.study.grid()
    session.show_result(RunRecord("small", session.study.to_study()), "final", volume())
    assert session.volumes.shows_image and view.box is None
    controls.context.volumes.show_input("attenuation")
    assert view.fusion.volume is content and session.volumes.shows_image
    session.study.set_input("attenuation", None)
    assert view.fusion.volume is None, "a removed input is still shown"


def test_volume_read_for_another_scan_is_not_shown(qtbot, controls, bar, small_study, tmp_path):
    save(volume(3.0), tmp_path / "late.nii.gz", {})
    controls.context.volumes.open_file(tmp_path / "late.nii.gz", "overlay")
    scan = controls.session.study.inputs["data"]
    controls.session.study.begin(Inputs(data=scan))
    settle(qtbot, controls)
    assert controls.session.volumes.items == ()


@pytest.mark.parametrize("place", ["overlay", "compare", "base"])
@pytest.mark.parametrize("is_same", [True, False])
def test_volume_read_for_another_result_is_not_shown(
    qtbot, controls, bar, small_study, tmp_path, place, is_same
):
    """A result opens without its scan, which can be of another patient."""
    session = controls.session
    save(volume(3.0), tmp_path / "late.nii.gz", {})
    first, other = (
        small_study.model_copy(update={"fingerprints": {"data": digit * 64}})
        for digit in ("1", "1" if is_same else "2")
    )
    session.show_result(RunRecord("first", first), "final", volume())
    before = session.volumes.others
    controls.context.volumes.open_file(tmp_path / "late.nii.gz", place)
    session.show_result(RunRecord("another", other), "final", volume(5.0))
    settle(qtbot, controls)
    if is_same:
        assert [each.name for each in session.volumes.others] == ["late.nii.gz"]
        return
    assert session.volumes.others == before and session.volumes.overlay is None
    assert session.volumes.shows_image and session.view.volume.values.max() == 5
    assert "because another image was opened" in session.log[-1].text


def test_slider_and_switches_set_the_fusion(qtbot, controls, bar):
    controls.context.volumes.open_iterate("final", "overlay")
    fusion = controls.session.view.fusion
    bar.share.setValue(20)
    assert fusion.opacity == 0.2 and bar.share.accessibleName() == "Opacity of the upper volume"
    bar.mode.activated.emit(bar.mode.findData("swipe"))
    bar.share.setValue(70)
    assert fusion.swipe == 0.7 and bar.share.accessibleName() == "Border between the volumes"
    bar.linked.click()
    assert fusion.window == controls.session.view.window


def test_last_used_view_is_turned_and_copied(qtbot, qapp, controls, bar):
    views, menu = bar.views, bar.view.menu()
    views.resize(500, 400)
    views.show()
    views.coronal.setFocus()
    views.coronal.focused.emit()
    chosen(menu, "Rotate clockwise").trigger()
    edges = views.coronal.shown_edges()
    assert (edges.left, edges.right, edges.top, edges.bottom) == ("F", "H", "R", "L")
    assert views.axial.shown_edges().top == "A"
    assert views.coronal.note() == "rotated by 90°"
    chosen(menu, "Flip horizontally").trigger()
    assert views.coronal.shown_edges().left == "H"
    chosen(menu, "Reset orientation").trigger()
    assert views.coronal.shown_edges().top == "H"
    chosen(menu, "Copy the coronal view").trigger()
    assert qapp.clipboard().image().size() == views.coronal.size()


def test_patient_position_can_be_set_only_if_the_file_lacks_it(controls, bar):
    menu, session = bar.view.menu(), controls.session
    menu.fill()
    assert not menu.positions.isEnabled(), "the position of a DICOM file can be overridden"
    session.show_file(volume(axes="xyz"), "anyhow.tif")
    menu.fill()
    assert bar.views.coronal.shown_edges().top == "+z"
    chosen(menu, "FFS").trigger()
    assert bar.views.coronal.shown_edges().top == "H" and session.view.axes == "RPI"
    assert "patient position set manually" in bar.views.coronal.note()
    session.show_file(volume(axes="xyz"), "another.tif")
    assert bar.views.coronal.shown_edges().top == "+z", "the position of the other file was used"
    z_to_feet = volume(axes="xyz")
    z_to_feet.info["hfs_axes"] = "LPI"  # as of Interfile
    session.show_file(z_to_feet, "image.hv")
    menu.fill()
    chosen(menu, "FFS").trigger()
    assert session.view.axes == "RPS"


def test_comparison_of_different_units_is_disabled_with_a_reason(controls, bar):
    """For an image in counts/mm and a map in 1/mm; their ratio is allowed."""
    session = controls.session
    session.study.inputs["attenuation"] = Input("map.h5", "", volume(0.01, "1/mm"))
    chosen(bar.overlay.menu(), "μ-map: map.h5").trigger()
    model = bar.mode.model()
    row, ratio = bar.mode.findData("difference"), bar.mode.findData("ratio")
    assert not model.item(row).isEnabled() and model.item(ratio).isEnabled()
    assert "same unit" in bar.mode.itemData(row, Qt.ItemDataRole.ToolTipRole)
    controls.context.volumes.open_iterate("final", "overlay")
    assert model.item(row).isEnabled()


def test_note_on_both_volumes_appears_once(qtbot, controls, bar, tmp_path):
    save(volume(3.0), tmp_path / "foreign.nii.gz", {})
    controls.context.volumes.open_file(tmp_path / "foreign.nii.gz", "overlay")
    settle(qtbot, controls)
    assert "same patient" in bar.words.text()
    assert not any("same patient" in view.note() for view in bar.views.views)


def with_error(one: Volume) -> Volume:
    """Return the volume with replicates that differ by 20 %."""
    replicates = [one.values * np.float32(1 + k * 0.2) for k in (-1, 0, 1)]
    return replace(one, error=ErrorMap.of(one.values, replicates, seed=1, counts="a"))


def shows_error(controls, small_study) -> None:
    record = RunRecord("small", small_study)
    controls.session.show_result(record, "final", with_error(volume(5.0)))


def test_slices_switch_between_image_and_errors(qtbot, controls, bar, small_study):
    assert not bar.quantity.isVisible(), "this image has no error map"
    shows_error(controls, small_study)
    assert bar.quantity.isVisible() and bar.quantity.currentText() == "Image"
    fusion = controls.session.view.fusion
    for title, unit in (("Error", "counts/mm"), ("Relative error", "%")):
        bar.quantity.activated.emit(bar.quantity.findText(title))
        settle(qtbot, controls)
        assert bar.quantity.currentText() == title
        assert (fusion.is_error, fusion.unit) == (True, unit)
        assert bar.window_of_upper.isVisible() and not bar.window_of_both.isVisible()
        assert bar.window_of_upper.unit.full_text == unit
        hidden = (bar.overlay, bar.swap, bar.linked)
        assert not any(each.isVisible() for each in hidden)
        assert bar.mode.isVisible() and bar.share.value() == 100
        enabled = [bar.mode.model().item(row).isEnabled() for row in range(bar.mode.count())]
        assert enabled == [True] * 4 + [False] * 4
    bar.quantity.activated.emit(0)
    settle(qtbot, controls)
    assert fusion.volume is None and bar.overlay.isVisible()


def test_errors_of_all_frames_are_prepared_in_a_thread(qtbot, controls, bar, monkeypatch):
    combined, session = with_error(volume(5.0)), controls.session
    frames = [
        FrameVolume(TimeFrame(60_000 * k, 60_000 * (k + 1)), with_error(volume(k + 1.0)))
        for k in range(3)
    ]
    session.show_file(combined, "frames.h5", frames=frames)
    assert not any(is_computed(each.volume, SPREAD) for each in frames)
    controls.context.volumes.show_error(SPREAD)
    settle(qtbot, controls)
    assert all(is_computed(each.volume, SPREAD) for each in frames)
    # Another frame uses its prepared error image.
    refuse = Mock(side_effect=AssertionError("computed in the thread of the window"))
    monkeypatch.setattr("app.state.models.images.error_images.deviations_of", refuse)
    session.run.select(0)
    assert session.view.volume is frames[0].volume
    values = frames[0].volume.values
    expected = np.where(values > 0, 0.2 * values, np.nan)  # an image without noise has no error
    np.testing.assert_allclose(session.view.fusion.volume.values, expected, rtol=0.02)


@pytest.mark.parametrize("width", [420, 560, 900])
def test_row_with_an_error_fits_narrow_windows(qtbot, controls, bar, small_study, width):
    shows_error(controls, small_study)
    controls.context.volumes.show_error(SPREAD)
    settle(qtbot, controls)
    bar.resize(max(width, bar.minimumSizeHint().width()), bar.height())
    qtbot.wait(1)
    row = (bar.base, bar.quantity, bar.mode, bar.share, bar.view)
    shown = [each for each in row if each.isVisible()]
    assert bar.quantity in shown
    edges = [(each.x(), each.x() + each.width()) for each in shown]
    assert all(a[1] <= b[0] for a, b in pairwise(edges))
    assert edges[-1][1] <= bar.width()


def test_view_menu_explains_how_to_get_an_error_map(qtbot, controls, bar, small_study):
    menu = bar.view.menu()
    action = chosen(menu, "Show the error")
    assert not action.isEnabled()
    assert "set “Error map” in the card Protocol, Finishing" in action.toolTip()
    shows_error(controls, small_study)
    chosen(menu, "Show the error").trigger()
    settle(qtbot, controls)
    assert controls.session.volumes.shown_error == SPREAD
    assert chosen(menu, "Show the error").isChecked()
    assert not chosen(menu, "Show the image").isChecked()
    chosen(menu, "Show the relative error").trigger()
    settle(qtbot, controls)
    assert chosen(menu, "Show the relative error").isChecked()


def test_difference_is_divided_by_its_error(qtbot, controls, bar, small_study):
    shows_error(controls, small_study)
    later = with_error(volume(4.0))
    origin = Origin(scan="/another.h5")
    controls.session.volumes.add(OpenVolume("later", "later.h5", "file", later, origin))
    controls.context.volumes.place("later", "overlay")
    bar.mode.activated.emit(bar.mode.findData("significance"))
    settle(qtbot, controls)
    fusion = controls.session.view.fusion
    assert (fusion.mode, fusion.compared.window, fusion.compared.unit) == (
        *("significance", (-4.0, 4.0)),
        "× error",
    )
    assert bar.window_of_both.isVisible()
    # With an obstacle, the mode is shown with a warning, like other comparisons.
    controls.session.volumes.add(OpenVolume("bare", "bare.h5", "file", volume(4.0), origin))
    controls.context.volumes.place("bare", "overlay")
    assert "need an error map" in fusion.obstacle("significance")
