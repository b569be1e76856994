"""Tests of display windows: automatic windows and presets."""

import math

import numpy as np
import pytest

from app.views.colour import windows
from app.views.colour.window_controls import NUMBER_PX, TEXT_PAD_PX, NumberEdit


def test_auto_window_of_activity_starts_at_zero_and_ignores_empty_space(rng):
    values = np.zeros(50_000, np.float32)
    values[:1000] = rng.uniform(1, 2, 1000)
    low, high = windows.auto_window(values.reshape(10, 50, 100), "counts/mm")
    assert low == 0
    assert high == pytest.approx(2, rel=0.01)


@pytest.mark.parametrize("shape", [(64, 64, 64), (100, 120, 150)])
@pytest.mark.parametrize("faint", [0.0, 1e-6])
def test_auto_window_of_two_small_sources_ends_near_the_higher_one(shape, faint, rng):
    z, y, x = np.ogrid[tuple(map(slice, shape))]
    values = (faint * rng.random(shape)).astype("f4")
    for height, (cz, cy, cx) in ((1.0, (20, 20, 40)), (0.6, (45, 45, 22))):
        squared = (z - cz) ** 2 + (y - cy) ** 2 + (x - cx) ** 2
        values += height * np.exp(-squared / (2 * 3.0**2)).astype("f4")
    low, high = windows.auto_window(values, "counts/mm")
    # a source of height h exceeds t in a volume proportional to ln(h / t)^1.5
    volume = np.log(1 / windows.FAINT) ** 1.5 + np.log(0.6 / windows.FAINT) ** 1.5
    expected = math.exp(-((volume * (1 - windows.TOP_PERCENT / 100)) ** (2 / 3)))
    assert low == 0
    assert high == pytest.approx(expected, rel=0.03)  # some 60 voxels are above
    assert expected > 0.8


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 1, 1), (2, 3, 4)])
def test_auto_window_never_ends_above_the_highest_value(shape):
    for value in (1.23456, 1.23654, 1e-30, 3e38):
        values = np.full(shape, value, np.float32)
        assert 0.99 * value < windows.auto_window(values, "counts/mm")[1] <= values.max()


def test_auto_window_ignores_a_single_hot_voxel(rng):
    values = rng.uniform(0, 1, (20, 20, 20)).astype("f4")
    values[3, 4, 5] = 1e6
    assert windows.auto_window(values, "counts/mm")[1] < 1.01


def test_auto_window_of_hounsfield_units_spans_the_values(rng):
    values = rng.uniform(-1000, 500, (20, 20, 20)).astype("f4")
    low, high = windows.auto_window(values, "HU")
    assert low == pytest.approx(-1000, abs=20)
    assert high == pytest.approx(500, abs=20)


def test_auto_window_shows_tissue_and_bone_of_a_small_body_in_air(rng):
    values = rng.normal(-1000, 20, 100_000).astype("f4")
    values[:5_000] = rng.normal(40, 20, 5_000)
    values[:100] = 1000  # bone is a thousandth of all voxels
    low, high = windows.auto_window(values, "HU")
    assert low == pytest.approx(-1050, abs=20)
    assert high == pytest.approx(1000, abs=20)


def test_difference_window_is_symmetric(rng):
    low, high = windows.auto_window(rng.normal(1, 1, (9, 9, 9)).astype("f4"), "1", diverging=True)
    assert low == -high


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("unit", ["counts/mm", "HU"])
def test_uniform_image_gets_a_valid_window(value, unit):
    values = np.full((3, 3, 3), value, np.float32)
    low, high = windows.auto_window(values, unit)
    assert math.isfinite(low)
    assert low < high < math.inf
    full_low, full_high = windows.full_window(values, unit)
    assert full_low < full_high < math.inf


def test_activity_presets_start_at_zero(rng):
    values = rng.normal(0, 1, (9, 9, 9)).astype("f4")
    for unit in ("counts/mm", "SUVbw"):
        assert {preset.window[0] for preset in windows.presets(values, unit)} == {0.0}


@pytest.mark.parametrize(("unit", "per_kbq"), [("kBq/mL", 1.0), ("Bq/mL", 1000.0)])
def test_presets_in_kilobecquerel_do_not_depend_on_the_unit(rng, unit, per_kbq):
    """ "0 to 5 kBq/mL" ends at 5 kBq/mL: 5000 in an image in Bq/mL. 1 kBq is 1000 Bq."""
    image_kbq = rng.uniform(0, 8, (9, 9, 9)).astype("f4")
    _, *named = windows.presets(image_kbq * np.float32(per_kbq), unit)
    assert [preset.title for preset in named] == [f"0 to {top} kBq/mL" for top in (1, 2, 5, 10)]
    for preset, top in zip(named, (1, 2, 5, 10), strict=True):
        assert preset.window == (0.0, top * per_kbq)


def test_hounsfield_presets_are_named_by_tissue(rng):
    values = rng.uniform(-1000, 500, (9, 9, 9)).astype("f4")
    titles = [preset.title for preset in windows.presets(values, "HU")]
    assert titles == ["Full range", "Lung", "Soft tissue", "Brain", "Bone"]


@pytest.mark.parametrize(
    ("title", "level", "width"),
    [("Lung", -600, 1500), ("Soft tissue", 40, 400), ("Brain", 40, 80), ("Bone", 500, 2000)],
)
def test_hounsfield_presets_have_the_usual_level_and_width(title, level, width):
    """CT consoles use these values."""
    values = np.linspace(-1000, 3000, 100, dtype=np.float32)
    (found,) = (p for p in windows.presets(values, "HU") if p.title == title)
    assert found.window == (level - width / 2, level + width / 2)


def test_uptake_presets_end_at_common_suv_limits():
    """Readers use PET windows from 0 to SUV 5, 6, 7 or 10."""
    found = windows.presets(np.linspace(0, 20, 100, dtype=np.float32), "SUV")
    assert [preset.window for preset in found[1:]] == [(0, 5), (0, 6), (0, 7), (0, 10)]


def test_full_range_ends_at_the_highest_value():
    values = np.arange(1000, dtype=np.float32).reshape(10, 10, 10)
    assert windows.full_window(values, "counts/mm") == (0.0, 999.0)


def test_dragging_right_widens_and_dragging_up_raises():
    assert windows.dragged((10.0, 20.0), 1.0, 0.0, pinned=False) == pytest.approx(
        (15 - 5 * math.e, 15 + 5 * math.e)
    )
    assert windows.dragged((10.0, 20.0), 0.0, 1.0, pinned=False) == pytest.approx((20, 30))


def test_pinned_window_widens_at_its_upper_end_and_stays_at_zero():
    assert windows.dragged((0.0, 10.0), 1.0, 0.0, pinned=True) == pytest.approx((0, 10 * math.e))
    low, high = windows.dragged((0.0, 10.0), 0.0, -0.5, pinned=True)
    assert (low, high) == pytest.approx((0, 5))
    low, high = windows.dragged((0.0, 10.0), 0.0, -9.0, pinned=True)
    assert low == 0
    assert high > 0


@pytest.mark.parametrize("pair", [(1.0, 1.0), (2.0, 1.0), (math.nan, 1.0), (0.0, math.inf)])
def test_invalid_window_is_corrected(pair):
    low, high = windows.valid(*pair)
    assert math.isfinite(low)
    assert low < high < math.inf


@pytest.mark.parametrize("value", [-0.001755, 0.001755, -123.456, 0.00012345, -9.999e-5, 1234.5, 0])
def test_field_shows_sign_and_first_digits(qtbot, value: float) -> None:
    """A number without its first digits would be read as another number."""
    field = NumberEdit("limit")
    qtbot.addWidget(field)
    field.show_value(value)
    shown = field.text()
    assert field.fontMetrics().horizontalAdvance(shown) <= NUMBER_PX - 2 * TEXT_PAD_PX
    assert float(shown.replace("−", "-") or 0) == pytest.approx(value, rel=0.05)
    assert field.value == value


@pytest.mark.parametrize("typed", ["1e308", "-1e308", "1e999", "nan", "-", ""])
def test_window_limit_stays_if_the_input_is_no_usable_number(qtbot, typed: str) -> None:
    """Ticks of such a window would overflow."""
    field = NumberEdit("limit")
    qtbot.addWidget(field)
    field.show_value(4.5)
    field.setText(typed)
    with qtbot.assertNotEmitted(field.changed):
        field.editingFinished.emit()
    assert (field.text(), field.value) == ("4.5", 4.5)
