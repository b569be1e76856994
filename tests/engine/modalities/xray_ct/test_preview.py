"""The preview of one slice equals that of a complete run, and states its settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.corrections.preprocess import (
    BadPixels,
    Binning,
    CentreOfRotation,
    Crop,
    FlatField,
    Hounsfield,
    Logarithm,
    Rings,
    Roll,
)
from engine.data.projections import Projections
from engine.data.runs.events import Warned
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circular_cone, parallel
from engine.io import write_projections
from engine.jobs.reconstruction import run
from engine.modalities.studies import Study
from engine.modalities.xray_ct.dry_run import dry_run, without_values
from engine.modalities.xray_ct.preview import SlicePreview
from engine.modalities.xray_ct.protocol import CtGrid, CtProtocol
from engine.operators.xray.transform import XrayTransform
from engine.recon.algorithms import Fdk, Sirt

ON = cpu(2)
GRID = ImageGrid((16, 40, 40), (1.0, 1.0, 1.0))


def two_balls() -> np.ndarray:
    z, y, x = np.meshgrid(*(GRID.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    ball = ((x - 4) ** 2 + y**2 + z**2 < 49) * 0.02
    return (ball + ((x + 10) ** 2 + (y - 3) ** 2 + (z - 2) ** 2 < 16) * 0.03).astype(np.float32)


def scan_of(beam: str) -> Projections:
    """Return counts of the balls, with flats and darks."""
    shape, views = (24, 64), 90
    if beam == "cone":
        angles = np.linspace(0, 2 * np.pi, views, endpoint=False)
        geometry = circular_cone(
            angles, source_axis_mm=150, source_detector_mm=225, shape=shape, pixel_mm=1.5
        )
    else:
        angles = np.linspace(0, np.pi, views, endpoint=False)
        geometry = parallel(angles, shape=shape, pixel_mm=1.0)
    integrals = XrayTransform(geometry, GRID, on=ON)(two_balls())
    gain = 1 + 0.2 * np.random.default_rng(3).random(shape)
    counts = (1e4 * gain * np.exp(-integrals) + 100).astype(np.float32)
    flats = np.broadcast_to(1e4 * gain + 100, (2, *shape)).astype(np.float32)
    darks = np.full((2, *shape), 100, np.float32)
    return Projections(counts, geometry, "counts", flats=flats, darks=darks)


@pytest.fixture(scope="module", params=["cone", "parallel"])
def scan(request) -> Projections:
    return scan_of(request.param)


def plan(algorithm=None, grid=None, **steps) -> CtProtocol:
    base = CtProtocol(algorithm=algorithm or Fdk(), grid=grid or CtGrid())
    steps = {"rings": Rings(use="off"), **steps}
    return base.model_copy(update={"steps": base.steps.model_copy(update=steps)})


def of_a_run(scan: Projections, protocol: CtProtocol, folder):
    write_projections(scan, folder / "scan.h5")
    return list(run(Study(data=folder / "scan.h5", protocol=protocol), on=ON))[-1].volume


PLANS = {
    "plain": plan(),
    "hann": plan(Fdk(window="hann", cutoff=0.6, soften_rows=True)),
    "crop and binning": plan(crop=Crop(rows=(3, 21), columns=(2, 62)), binning=Binning(pixels=2)),
    "crop of columns": plan(crop=Crop(columns=(2, 60))),
    "roll": plan(roll=Roll(degrees=2)),
    "axis": plan(centre=CentreOfRotation(column=30.25)),
    "off the middle": plan(grid=CtGrid(centre_mm=(1, 2, 5), length_mm=4)),
    "gridding": plan(Fdk(method="gridding")),
    "no bad pixels": plan(bad_pixels=BadPixels(use="off")),
}


@pytest.mark.parametrize("protocol", PLANS.values(), ids=PLANS.keys())
def test_preview_is_the_slice_of_a_run(scan, protocol, tmp_path):
    look = SlicePreview(scan, on=ON).central_slice(protocol)
    whole = of_a_run(scan, protocol, tmp_path)
    assert look.grid == whole.grid
    middle = whole.grid.shape[0] // 2
    assert look.volume.grid.centre_mm[2] == pytest.approx(whole.grid.centres_mm(2)[middle])
    assert look.volume.unit == whole.unit == "1/mm"
    expected = whole.values[middle]
    np.testing.assert_allclose(look.volume.values[0], expected, atol=2e-4 * expected.max())


def test_changed_filter_does_not_repeat_the_steps(scan):
    quick = SlicePreview(scan, on=ON)
    first = quick.prepared(plan())
    assert quick.prepared(plan(Fdk(window="hann"))) is first
    assert quick.prepared(plan(centre=CentreOfRotation(column=31))) is not first


def test_only_rows_that_see_the_slice_are_prepared(scan):
    assert SlicePreview(scan, on=ON).prepared(plan()).shape[1] < scan.shape[1]


def test_binned_rows_are_rows_of_the_binned_scan(scan):
    steps = {"bad_pixels": BadPixels(use="off"), "centre": CentreOfRotation(use="off")}
    cropped, high_up = Crop(rows=(1, 24)), CtGrid(centre_mm=(0, 0, 4), length_mm=2)
    protocol = plan(grid=high_up, crop=cropped, binning=Binning(pixels=2), **steps)
    band = SlicePreview(scan, on=ON).prepared(protocol)
    whole = scan
    for step in (FlatField(), cropped, Binning(pixels=2), Logarithm()):
        whole = step.apply(whole, on=ON)
    whole_height, band_height = (each.geometry.corner_mm[0, 2] for each in (whole, band))
    first = (band_height - whole_height) / whole.geometry.pixel_size_mm[0]
    assert first == pytest.approx(round(first)) and first >= 1
    expected = whole.values[:, round(first) : round(first) + band.shape[1]]
    np.testing.assert_allclose(band.values, expected, atol=1e-5)


def test_large_slice_has_coarser_pixels_with_a_note(scan):
    fine = SlicePreview(scan, on=ON).central_slice(plan())
    coarse = SlicePreview(scan, on=ON, max_updates=fine.volume.values.size * 90 / 4).central_slice(
        plan()
    )
    assert coarse.volume.grid.voxel_mm[:2] == tuple(2 * v for v in fine.volume.grid.voxel_mm[:2])
    assert coarse.grid == fine.grid
    assert "pixels 2 times larger than in the run" in coarse.messages
    assert not any("coarse" in words for words in fine.messages)
    assert in_ball(coarse.volume) == pytest.approx(in_ball(fine.volume), rel=0.02)
    assert in_ball(fine.volume) == pytest.approx(0.02, rel=0.02)


def in_ball(volume: Volume) -> float:
    """Return the mean within 4 mm of the larger ball's centre."""
    y, x = np.meshgrid(*(volume.grid.centres_mm(axis) for axis in (1, 0)), indexing="ij")
    return float(volume.values[0][np.hypot(x - 4, y) < 4].mean())


def test_preview_states_the_used_settings_not_the_requested_ones(scan):
    quick = SlicePreview(scan, on=ON)
    message = quick.central_slice(plan(Fdk(window="hann", cutoff=0.8))).messages
    assert message[0] == "Filtered back projection (FDK), Hann window, cut off at 80% of Nyquist"
    message = quick.central_slice(plan(centre=CentreOfRotation(column=28.5))).messages
    assert "axis at column 28.50, from the protocol" in message
    message = quick.central_slice(plan(centre=CentreOfRotation(use="off"))).messages
    assert "axis at column 31.50, from the scan" in message
    assert f"the run itself uses {Sirt.title}" in quick.central_slice(plan(Sirt())).messages


def test_off_centre_axis_is_found_and_the_volume_follows():
    scan = scan_of("parallel")
    # the axis in the file is wrong by 3 columns
    moved = replace(scan, geometry=scan.geometry.shifted(columns=3))
    look = SlicePreview(moved, on=ON).central_slice(plan())
    right = SlicePreview(scan, on=ON).central_slice(plan())
    assert any("found by" in words for words in look.messages)
    assert look.grid.shape == right.grid.shape
    np.testing.assert_allclose(look.volume.values, right.volume.values, atol=1e-3)
    checked = dry_run(without_values(moved), [CentreOfRotation()])
    # the axis is not searched before the logarithm of the counts
    assert not checked.needs_axis_search
    integrals = replace(without_values(moved), kind="integrals")
    assert dry_run(integrals, [CentreOfRotation()]).needs_axis_search
    assert not dry_run(integrals, [CentreOfRotation(column=3)]).needs_axis_search


def test_warnings_of_a_run_are_shown():
    scan = scan_of("parallel").select(slice(0, 45))  # a quarter turn
    (warning,) = SlicePreview(scan, on=ON).central_slice(plan()).warnings
    assert "90.0° of the 180.0° needed" in warning
    assert SlicePreview(scan_of("parallel"), on=ON).central_slice(plan()).warnings == ()


def test_many_interpolated_values_give_a_warning_in_preview_and_run(scan, tmp_path):
    counts = scan.values.copy()
    counts[:, :, 20:26] = 65535  # a tenth of the detector is saturated
    saturated = replace(scan, values=counts)
    look = SlicePreview(saturated, on=ON).central_slice(plan())
    assert any("saturated" in words and "interpolated" in words for words in look.warnings)
    write_projections(saturated, tmp_path / "scan.h5")
    events = list(run(Study(data=tmp_path / "scan.h5", protocol=plan()), on=ON))
    assert any("interpolated" in event.text for event in events if isinstance(event, Warned))
    assert not any(
        "interpolated" in w for w in SlicePreview(scan, on=ON).central_slice(plan()).warnings
    )


def test_ct_numbers_are_shown_if_requested(scan):
    protocol = plan().model_copy(update={"hounsfield": Hounsfield(mu_water_per_mm=0.02)})
    look = SlicePreview(scan, on=ON).central_slice(protocol)
    assert look.volume.unit == "HU"
    assert look.volume.values.min() < -900
    assert look.messages[-1].startswith("water (0.02 1/mm) is 0 HU")
    assert look.volume.axes == "xyz"
    unknown = replace(scan, pixel_mm_known=False)
    assert SlicePreview(unknown, on=ON).central_slice(protocol).volume.unit == "1/pixel"


def test_check_that_raises_ends_the_preview_and_the_next_is_right(scan):
    class StopError(Exception):
        pass

    quick, left = SlicePreview(scan, on=ON), 3

    def check() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise StopError

    with pytest.raises(StopError):
        quick.central_slice(plan(), check)
    again = quick.central_slice(plan())
    fresh = SlicePreview(scan, on=ON).central_slice(plan())
    np.testing.assert_array_equal(again.volume.values, fresh.volume.values)


def test_counts_without_logarithm_are_refused(scan):
    with pytest.raises(DataError, match="expected 'integrals'"):
        SlicePreview(scan, on=ON).central_slice(plan(flat_field=FlatField(use="off")))
