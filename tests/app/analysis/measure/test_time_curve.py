"""Tests of time curves of a sphere around the cursor, compared with closed forms."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.analysis.measure.time_curve_panel import TimeCurveBox
from app.state.models.images.open_volume import IMAGE, OpenVolume
from app.ui.theme.theme import Theme
from engine.analysis.quality import time_curve
from engine.analysis.regions import SphereRegion
from engine.analysis.regions.figures import VOXEL_RULES
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data import FrameVolume, TimeFrame, Volume
from engine.data.error_map import ErrorMap
from engine.geometry import ImageGrid
from engine.io import save_frames

GRID = ImageGrid((9, 9, 9), (2.0, 2.0, 2.0))
FRAMES = (TimeFrame(0, 2000), TimeFrame(2000, 12_000))


def images(unit: str = "Bq/mL") -> list[FrameVolume]:
    """Return frames with values that rise along x, by 1 and by 3 per mm."""
    along_x = np.broadcast_to(GRID.centres_mm(0) + 10, GRID.shape).astype(np.float32)
    volumes = [Volume(k * along_x, GRID, unit) for k in (1, 3)]
    return [FrameVolume(frame, each) for frame, each in zip(FRAMES, volumes, strict=True)]


def test_mean_of_a_linear_image_is_the_value_at_the_centre():
    curve = time_curve(images(), SphereRegion(centre_mm=(2.0, 0.0, 0.0), diameter_mm=8.0))
    assert curve.means == pytest.approx([12.0, 36.0], rel=1e-5)
    assert curve.middles == (1.0, 7.0)
    assert curve.deviations[1] == pytest.approx(3 * curve.deviations[0], rel=1e-5)
    assert curve.volume_mm3 == pytest.approx(np.pi / 6 * 8**3, rel=0.02)


def test_counts_are_given_per_second():
    ball = SphereRegion(centre_mm=(0.0, 0.0, 0.0), diameter_mm=8.0)
    curve = time_curve(images("counts/mm"), ball)
    assert curve.unit == "counts/mm/s"
    assert curve.means == pytest.approx([10 / 2, 30 / 10], rel=1e-5)
    rows = curve.csv().splitlines()
    assert rows[0].startswith("start [s],duration [s],mean [counts/mm/s]")
    assert [float(value) for value in rows[2].split(",")[:3]] == pytest.approx([2, 10, 3])


def test_sphere_outside_the_image_is_refused():
    with pytest.raises(DataError, match="the region is outside the image"):
        time_curve(images(), SphereRegion(centre_mm=(200.0, 0.0, 0.0), diameter_mm=8.0))


SHIFTS = np.array([-3.0, 1.0, 2.0])
"""Return the replicates of the second frame, minus its image."""


def images_with_errors(unit: str = "Bq/mL") -> list[FrameVolume]:
    """Return the same frames; only the second one has an error map."""
    first, (frame, last) = images(unit)
    error = ErrorMap.of(last.values, [last.values + np.float32(s) for s in SHIFTS], seed=1)
    return [first, FrameVolume(frame, replace(last, error=error))]


def test_error_of_a_frame_is_the_standard_deviation_of_replicates():
    ball = SphereRegion(centre_mm=(2.0, 0.0, 0.0), diameter_mm=8.0)
    curve = time_curve(images_with_errors(), ball)
    assert curve.means == time_curve(images(), ball).means
    assert np.isnan(curve.errors[0]) and curve.n_replicates == 3
    assert curve.errors[1] == pytest.approx(SHIFTS.std(ddof=1), rel=0.01)
    rows = list(csv.DictReader(curve.csv().splitlines()))
    name = "standard error of the mean [Bq/mL]"
    assert [row["replicates"] for row in rows] == ["", "3"]
    assert rows[0][name] == "" and float(rows[1][name]) == pytest.approx(curve.errors[1], rel=1e-6)
    in_counts = time_curve(images_with_errors("counts/mm"), ball)
    assert in_counts.errors[1] == pytest.approx(SHIFTS.std(ddof=1) / 10, rel=0.01)


@pytest.mark.parametrize("rule", VOXEL_RULES)
def test_error_uses_the_border_rule_of_the_mean(rng, rule):
    """Compare with the standard deviation of the replicates' own means, for voxel noise."""
    frame, volume = images()[0]
    noise = rng.normal(0, 2, (12, *GRID.shape)).astype(np.float32)
    error = ErrorMap.of(volume.values, [volume.values + each for each in noise], seed=1)
    ball = SphereRegion(centre_mm=(2.0, 0.5, 0.0), diameter_mm=7.0)
    curve = time_curve([FrameVolume(frame, replace(volume, error=error))], ball, rule=rule)
    singles = [FrameVolume(frame, Volume(each, GRID, "Bq/mL")) for each in error.replicates()]
    means = [time_curve([each], ball, rule=rule).means[0] for each in singles]
    assert curve.errors[0] == pytest.approx(np.std(means, ddof=1), rel=1e-4)  # float32 replicates


def test_panel_shows_errors_of_frames_as_bars(qtbot, qapp, controls):
    session = controls.session
    box = TimeCurveBox(session, Theme(qapp, "dark"), lambda *table: None)
    qtbot.addWidget(box)
    for frames, words in (
        (images(), "bars: ±1 standard deviation of the voxel values"),
        (images_with_errors(), "bars: ±1 standard deviation of the noise, from 3 replicates"),
    ):
        session.show_file(replace(frames[0].volume, info={}), "frames.h5", frames=frames)
        box.refresh()
        box.show()
        assert box.plot.legend.text() == f"Mean (Bq/mL); {words}"
        axes = [box.plot.plot.getAxis(name).labelText for name in ("left", "bottom")]
        assert axes == ["Mean [Bq/mL]", "Time [s]"]
    heights = box.plot.plot._whiskers.opts["height"]
    assert heights == pytest.approx([0, 2 * box.curve.errors[1]])
    box.copy.click()
    assert QApplication.clipboard().image().size() == box.plot.size()


def test_panel_follows_frames_and_cursor(qtbot, qapp, controls):
    saved = []
    session = controls.session
    box = TimeCurveBox(session, Theme(qapp, "dark"), lambda *table: saved.append(table))
    qtbot.addWidget(box)
    assert box.isHidden()
    scan_image = replace(images()[0].volume, info={})
    session.show_file(scan_image, "frames.h5", frames=images())
    session.view.set_cursor((-3.0, 1.0, 1.0))
    box.diameter.show_number(6.0)
    box.refresh()
    assert not box.isHidden()
    x = session.view.cursor_mm[0]
    assert box.curve.means == pytest.approx([10 + x, 30 + 3 * x], rel=1e-4)
    box.csv.click()
    assert saved == [("curve-over-time.csv", box.curve.csv())]
    session.run.forget()
    box.refresh()
    assert box.isHidden()


def test_diameter_that_is_no_number_is_replaced_by_that_of_the_curve(qtbot, qapp, controls):
    session = controls.session
    box = TimeCurveBox(session, Theme(qapp, "dark"), lambda *table: None)
    qtbot.addWidget(box)
    session.show_file(replace(images()[0].volume, info={}), "frames.h5", frames=images())
    for typed, shown in (("8", "8"), ("abc", "8"), ("", "8"), ("nan", "8"), ("-4", "8")):
        box.diameter.lineEdit().setText(typed)
        box.diameter.edited.emit()
        box.refresh()
        assert box.diameter.text() == shown, typed
        assert box.curve.volume_mm3 == pytest.approx(np.pi / 6 * 8**3, rel=0.02), typed


def test_command_states_the_errors_of_frames(tmp_path, capsys):
    frames = images_with_errors()
    frames = [FrameVolume(frames[0].frame, frames[1].volume), frames[1]]
    save_frames(frames[0].volume, frames, tmp_path / "frames.h5", {})
    names = [str(tmp_path / name) for name in ("frames.h5", "curve.csv")]
    assert main(["curve", *names, "--at", "2,0,0", "--diameter", "8"]) == DONE
    out = capsys.readouterr().out
    assert "0 to 2 s: 36.0 ± 2.6 Bq/mL" in out
    assert "Errors: 1 standard deviation of the mean from 3 replicates" in out
    expected = time_curve(frames, SphereRegion(centre_mm=(2.0, 0.0, 0.0), diameter_mm=8.0))
    assert (tmp_path / "curve.csv").read_text() == expected.csv()


def test_command_writes_the_same_table(tmp_path, capsys):
    frames = images()
    save_frames(frames[0].volume, frames, tmp_path / "frames.h5", {})
    names = [str(tmp_path / name) for name in ("frames.h5", "curve.csv")]
    assert main(["curve", *names, "--at", "2,0,0", "--diameter", "8"]) == DONE
    expected = time_curve(frames, SphereRegion(centre_mm=(2.0, 0.0, 0.0), diameter_mm=8.0))
    assert (tmp_path / "curve.csv").read_text() == expected.csv()
    assert main(["curve", *names, "--at", "2,0", "--force"]) == USER_FAULT
    assert "expected X,Y,Z in mm" in capsys.readouterr().err


def test_command_states_the_border_rule(tmp_path, capsys):
    """One voxel centre is in the ball, so the centre rule gives the value of that voxel."""
    frames = images()
    save_frames(frames[0].volume, frames, tmp_path / "frames.h5", {})
    names = [str(tmp_path / name) for name in ("frames.h5", "curve.csv")]
    centre = GRID.centres_mm(0)[GRID.shape[2] // 2 + 2]
    at = f"{centre},{GRID.centres_mm(1)[0]},{GRID.centres_mm(2)[0]}"
    options = ["--at", at, "--diameter", "0.5", "--rule", "centre"]
    assert main(["curve", *names, *options]) == DONE
    assert f"Rule: {VOXEL_RULES['centre']}" in capsys.readouterr().out
    rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
    assert [row["rule"] for row in rows] == [VOXEL_RULES["centre"]] * 2
    means = [float(row["mean [Bq/mL]"]) for row in rows]
    assert means == pytest.approx([centre + 10, 3 * (centre + 10)], rel=1e-6)  # float32 values


def test_sphere_is_at_the_crosshair_of_a_volume_with_other_axes(qtbot, qapp, controls):
    """z of the second volume points to the feet, so its crosshair is at −z of the frames."""
    session = controls.session
    box = TimeCurveBox(session, Theme(qapp, "dark"), lambda *table: None)
    qtbot.addWidget(box)
    along_z = np.broadcast_to(GRID.centres_mm(2)[:, None, None] + 10, GRID.shape)
    volume = Volume(along_z.astype(np.float32), GRID, "counts")
    session.show_file(volume, "frames.h5", frames=[FrameVolume(FRAMES[0], volume)])
    turned = Volume(np.zeros(GRID.shape, np.float32), GRID, "HU", {"axes": "LPI"})
    session.volumes.add(OpenVolume("file:ct", "CT", "file", turned))
    session.volumes.set_base("file:ct")
    session.view.set_cursor((0.0, 0.0, 4.0))
    box.refresh()
    assert box.curve.means[0] == pytest.approx(6.0, rel=1e-4)
    assert "4.0" in box.where.text(), "the panel and the status bar show the same position"
    session.volumes.set_base(IMAGE)
    session.view.set_cursor((0.0, 0.0, 4.0))
    box.refresh()
    assert box.curve.means[0] == pytest.approx(14.0, rel=1e-4)
