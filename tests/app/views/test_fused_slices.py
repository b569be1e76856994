"""Tests of two volumes in one view: colours, positions and notes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.views.colour.colour_bar import ColourBar
from app.views.colour.colour_maps import lookup_table
from app.views.colour.window_controls import COMPARISON, WindowControls
from app.views.fusion.fusion_text import explanation_of, pair_names, upper_value
from app.views.planes.placing import VolumePlacing
from app.views.slices.ortho_view import OrthoView
from app.views.slices.slice_view import SliceView
from app.views.viewport import Viewport
from engine.data.error_map import ErrorMap
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.app.views.painted import painted
from tests.app.views.test_painted import faults

EVEN = ImageGrid((6, 8, 10), (4.0, 4.0, 4.0))


def even(value: float, unit: str = "HU") -> Volume:
    return Volume(np.full(EVEN.shape, value, np.float32), EVEN, unit)


@pytest.fixture
def fused(state):
    """Return uniform grey 2 of 4 below uniform hot 3 of 4."""
    state.set_volume(even(2))
    state.name = "below"
    state.set_colour_map("grey")
    state.set_window(0, 4)
    state.fusion.set_second_volume(even(3), VolumePlacing(), "above")
    state.fusion.set_window(0, 4)
    return state


def colour_at(image: np.ndarray, part: float) -> np.ndarray:
    """Return the colour next to the crosshair, at a fraction of the width."""
    pixel = int(image[image.shape[0] // 3, round(part * image.shape[1])])
    return np.array([pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255])


def of_map(key: str, value: float) -> np.ndarray:
    pixel = int(lookup_table(key)[int(value * 64)])
    return np.array([pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255])


@pytest.mark.parametrize("opacity", [0.0, 0.3, 1.0])
def test_colours_are_mixed_by_the_opacity(fused, show, pixels, opacity):
    fused.fusion.set_opacity(opacity)
    image = pixels(show(SliceView(fused, "axial")))
    lower, upper = of_map("grey", 2), of_map("hot", 3)
    expected = (1 - opacity) * lower + opacity * upper
    np.testing.assert_allclose(colour_at(image, 0.4), expected, atol=2)


def test_values_below_the_upper_window_show_the_lower_image(fused, show, pixels):
    fused.fusion.set_opacity(1.0)
    fused.fusion.set_window(3.5, 9)
    view = show(SliceView(fused, "axial"))
    np.testing.assert_allclose(colour_at(pixels(view), 0.4), of_map("grey", 2), atol=1)
    fused.fusion.set_hides_low(False)
    np.testing.assert_allclose(colour_at(pixels(view), 0.4), of_map("hot", 0), atol=1)


def test_swipe_shows_one_volume_on_each_side_of_a_draggable_border(fused, qtbot, show, pixels):
    fused.fusion.set_mode("swipe")
    view = show(SliceView(fused, "axial"))
    for border in (0.5, 0.35):
        image = pixels(view)
        np.testing.assert_allclose(colour_at(image, border - 0.1), of_map("grey", 2), atol=1)
        np.testing.assert_allclose(colour_at(image, border + 0.1), of_map("hot", 3), atol=1)
        start = QPoint(round(view.width() * 0.5), 40)
        if border == 0.5:
            cursor = fused.cursor_mm
            qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
            qtbot.mouseMove(view, QPoint(round(view.width() * 0.35), 40))
            qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start)
            assert fused.fusion.swipe == pytest.approx(0.35, abs=0.01)
            assert fused.cursor_mm == cursor


def test_difference_and_ratio_are_those_of_the_values(fused, show):
    view = show(SliceView(fused, "axial"))
    for mode, value in (("difference", 1.0), ("ratio", 3 / 2)):
        fused.fusion.set_mode(mode)
        values, rect = view._upper.values(view.orientation, view.raster.values, view.raster.rect)
        np.testing.assert_allclose(values, value, rtol=1e-6)
        assert rect == view.raster.rect
        assert fused.fusion.compared.window[0] < value < fused.fusion.compared.window[1]


def test_difference_of_two_units_is_refused_with_a_reason(fused, show):
    fused.fusion.set_second_volume(even(3, "kBq/mL"), VolumePlacing(), "above")
    fused.fusion.set_mode("difference")
    view = show(SliceView(fused, "axial"), 700, 400)
    assert view._upper.values(view.orientation, view.raster.values, view.raster.rect) is None
    assert "same unit" in view.warning() and "HU, second volume: kBq/mL" in view.warning()
    fused.fusion.set_messages("Two patients.", "")
    assert view.warning().startswith("Two patients. To show the difference"), (
        "the warning lacks one of two messages"
    )


def test_both_volumes_are_named_with_units_and_a_warning_stays(fused, show):
    fused.fusion.set_messages("These are two patients.", "")
    view = show(SliceView(fused, "axial"), 420, 320)
    texts = " ".join(text.words for text in painted(view).texts)
    for part in ("below [HU]", "+ above [HU] 50 %", "These are two patients."):
        assert part in texts
    for mode in ("swipe", "side by side", "difference", "ratio"):
        fused.fusion.set_mode(mode)
        assert "two patients." in " ".join(text.words for text in painted(view).texts)
    assert faults(show(SliceView(fused, "axial"), 200, 180)) == []


def test_side_by_side_views_show_the_same_area(fused, qtbot, show, pixels):
    views = show(OrthoView(fused), 900, 640)
    fused.fusion.set_mode("side by side")
    qtbot.wait(1)
    lower, upper = views.axial, views.upper_views[0]
    assert not views.mip.isVisible() and upper.isVisible()
    np.testing.assert_allclose(colour_at(pixels(lower), 0.4), of_map("grey", 2), atol=1)
    np.testing.assert_allclose(colour_at(pixels(upper), 0.4), of_map("hot", 3), atol=1)
    for one, other in ((lower, upper), (upper, lower)):
        one.zoom(1.7, (3.0, -2.0))
        assert other.viewport.px_per_mm == pytest.approx(one.viewport.px_per_mm)
        assert other.viewport.centre == pytest.approx(one.viewport.centre)
    upper.fit()
    fits = [
        Viewport.fit(each.image_rect(fused.volume), each.viewport.size, 26) for each in views.slices
    ]
    # the common scale fits all three planes
    assert lower.viewport == replace(fits[0], px_per_mm=min(each.px_per_mm for each in fits))
    views.toggle_enlarged(views.coronal)
    assert views.coronal.isVisible() and views.upper_views[1].isVisible()
    assert not views.axial.isVisible() and not upper.isVisible()
    fused.fusion.set_mode("blend")
    views.toggle_enlarged(views.coronal)
    assert all(view.isVisible() for view in views.views) and not upper.isVisible()


def test_volumes_with_the_same_unit_share_one_window(fused):
    fused.fusion.set_links_windows(True)
    fused.set_window(1, 3)
    assert fused.fusion.window == (1, 3)
    fused.fusion.set_window(0, 2)
    assert fused.window == (0, 2)
    fused.fusion.set_second_volume(even(3, "kBq/mL"), VolumePlacing(), "above")
    fused.set_window(-5, 5)
    assert fused.fusion.window != (-5, 5)


def even_with_error(value: float, sd: float) -> Volume:
    """Return a uniform image with three replicates of this standard deviation."""
    image = even(value)
    replicates = [image.values + np.float32(k * sd) for k in (-1, 0, 1)]
    return replace(image, error=ErrorMap.of(image.values, replicates, seed=1, counts="a"))


@pytest.mark.parametrize(("same_scan", "error"), [(None, 0.5), (False, 0.5), (True, 0.1)])
def test_significance_is_the_difference_over_its_error(fused, show, same_scan, error):
    """Errors of 0.3 and 0.4 give 0.5 if independent, and 0.1 if both have the same noise."""
    fused.set_volume(even_with_error(3.0, 0.3))
    upper = even_with_error(2.0, 0.4)
    fused.fusion.set_second_volume(upper, VolumePlacing(), "above", same_scan=same_scan)
    fused.fusion.set_mode("significance")
    view = show(SliceView(fused, "axial"))
    values, rect = view._upper.values(view.orientation, view.raster.values, view.raster.rect)
    np.testing.assert_allclose(values, -1.0 / error, rtol=0.02)  # steps of 1/127
    assert rect == view.raster.rect
    # Student's t with two degrees of freedom.
    assert view.note() == "difference / its error, limit ±4.3 (95 %)"
    assert view.caption().endswith("above − below")
    assert fused.fusion.compared.bar_marks == pytest.approx((-4.303, 4.303), abs=1e-3)
    chance = "About 5 % of unchanged voxels exceed ±4.3 by chance."
    assert explanation_of(fused) == f"Red: higher in above. {chance}"
    fused.fusion.set_mode("difference")
    assert view.note() == "red: higher in above" and fused.fusion.compared.bar_marks == ()
    fused.fusion.compared.set_colour_map("hot")
    assert explanation_of(fused) == "Above 0: higher in above."


def test_colour_bar_marks_the_limit_of_a_significance(fused, show):
    fused.set_volume(even_with_error(3.0, 0.3))
    fused.fusion.set_second_volume(even_with_error(2.0, 0.4), VolumePlacing(), "above")
    fused.fusion.set_mode("significance")
    fused.fusion.compared.set_window(-8.0, 8.0)
    bar = show(ColourBar(fused.fusion.compared), 220, 40)
    ((left, _, width, _),) = painted(bar).images
    at = {text.words: text.x for text in painted(bar).texts}
    assert list(at) == ["−4.3", "4.3", "0", "−8", "8"]
    for words, value in (("−4.3", -4.303), ("4.3", 4.303), ("0", 0.0)):
        assert at[words] == pytest.approx(left + (value + 8) / 16 * width, abs=1.5)
    fused.fusion.compared.set_window(-4.4, 4.4)
    assert [text.words for text in painted(bar).texts] == ["−4.3", "4.3", "0"]


def test_comparison_has_no_automatic_window(fused, show):
    controls = show(WindowControls(fused.fusion.compared, COMPARISON), 560, 40)
    assert not controls.auto.isVisible() and controls.presets.isVisible()
    assert show(WindowControls(fused), 700, 40).auto.isVisible()


def test_long_note_is_wrapped_without_cuts(fused, show):
    fused.set_volume(even_with_error(3.0, 0.3))
    fused.fusion.set_second_volume(
        replace(even(10.0), unit="%"), VolumePlacing(), "Relative error", is_error=True
    )
    view = show(SliceView(fused, "axial"), 170, 190)
    lines = [text for text in painted(view).texts if text.words in view.note()]
    notes = sorted((text for text in lines if text.y > 95), key=lambda text: text.y)
    assert " ".join(text.words for text in notes if len(text.words) > 1) == view.note()
    assert len(notes) > 1


def test_two_volumes_with_the_same_name_are_numbered(fused):
    fused.name = "scan.h5"
    fused.fusion.set_second_volume(even(3.0), VolumePlacing(), "scan.h5")
    assert pair_names(fused) == ("scan.h5 (1)", "scan.h5 (2)")
    fused.fusion.set_second_volume(even(3.0), VolumePlacing(), "a-very-long-name-of-a-scan.h5")
    assert pair_names(fused, 12) == ("scan.h5", "a-very-…n.h5")


def test_background_has_no_significance(fused, show):
    lower, upper = even_with_error(3.0, 0.3), even_with_error(2.0, 0.4)
    for volume in (lower, upper):
        volume.values[:, :, :4] = 0.01
    fused.set_volume(lower)
    fused.fusion.set_second_volume(upper, VolumePlacing(), "above")
    fused.fusion.set_mode("significance")
    view = show(SliceView(fused, "axial"))
    values, _ = view._upper.values(view.orientation, view.raster.values, view.raster.rect)
    assert np.isnan(values).mean() == pytest.approx(0.4)


def test_opaque_error_is_named_alone_and_states_its_limits(fused, show):
    fused.set_volume(even_with_error(3.0, 0.3))
    percent = replace(even(10.0), unit="%")
    fused.fusion.set_second_volume(percent, VolumePlacing(), "Relative error", is_error=True)
    view = show(SliceView(fused, "axial"))
    fused.fusion.set_opacity(1.0)
    assert "Relative error [%]" in view.caption() and "below [HU]" not in view.caption()
    assert view.note() == "hidden: < 5 % of window (0.15 HU)"  # 5 % of 3
    assert upper_value(fused) == "10 %"
    fused.fusion.set_opacity(0.5)
    assert "below [HU]" in view.caption() and "50 %" in view.caption()
    percent.values[:] = np.nan
    assert upper_value(fused) == ""


PAIRS = [("CT", "PT"), ("PT", "CT"), ("MR", "PT"), ("PT", "MR"), ("map", "image")]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_pet_is_painted_over_ct_and_mr_in_either_order(state, show, pixels, first, second):
    """Transparent PET shows the grey anatomy, opaque PET hides it; captions name PET last."""
    units = {"CT": "HU", "PT": "Bq/mL", "MR": "", "map": "1/mm", "image": "counts/mm"}
    values = {"CT": 2, "MR": 2, "map": 2, "PT": 3, "image": 3}
    looks = {first: state, second: state.fusion}
    for name, shown_as in looks.items():
        volume = replace(even(values[name], units[name]), info={"kind": name})
        if shown_as is state:
            state.set_volume(volume)
            state.name = name
        else:
            shown_as.set_second_volume(volume, VolumePlacing(), name)
        shown_as.set_window(0, 4)
        shown_as.set_colour_map("hot" if values[name] == 3 else "grey")
    view = show(SliceView(state, "axial"), 420, 320)
    for mode, opacity in (("blend", 0.0), ("blend", 1.0), ("blend", 0.4)):
        state.fusion.set_mode(mode)
        state.fusion.set_opacity(opacity)
        expected = (1 - opacity) * of_map("grey", 2) + opacity * of_map("hot", 3)
        np.testing.assert_allclose(colour_at(pixels(view), 0.4), expected, atol=2)
    messages = [text.words for text in painted(view).texts]
    pet = next(name for name in (first, second) if values[name] == 3)
    assert any(each.startswith(f"+ {pet} [") for each in messages)
    state.fusion.set_mode("swipe")
    image = pixels(view)
    np.testing.assert_allclose(colour_at(image, 0.4), of_map("grey", 2), atol=1)
    np.testing.assert_allclose(colour_at(image, 0.6), of_map("hot", 3), atol=1)
    state.fusion.set_mode("blend")
    state.fusion.set_opacity(1.0)
    pet_look, other = (looks[name] for name in sorted(looks, key=lambda name: -values[name]))
    pet_look.set_window(3.5, 9)
    np.testing.assert_allclose(colour_at(pixels(view), 0.4), of_map("grey", 2), atol=1)
    state.fusion.set_hides_low(False)
    np.testing.assert_allclose(colour_at(pixels(view), 0.4), of_map("hot", 0), atol=1)
    assert view.dragged_appearance(upper=True) is pet_look
    assert view.dragged_appearance(upper=False) is other
