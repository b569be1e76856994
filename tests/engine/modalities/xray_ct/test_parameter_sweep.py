"""Candidates of axis and roll: the true value is found, and each image uses its own value."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import SettingsError
from engine.data.runs.events import Finished
from engine.geometry.orbits import circle, circular_cone
from engine.io.raster.contact_sheet import contact_sheet
from engine.io.xray.hdf5.dxchange import write_projections
from engine.jobs.reconstruction import run
from engine.modalities.studies import Study
from engine.modalities.xray_ct.parameter_sweep import candidates, with_value
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings
from engine.simulate import simulate_integrals, tooth

ON = cpu(2)


def orbit(axis=None, roll=0.0, turn=2 * np.pi):
    return circular_cone(
        circle(60, range_rad=turn), source_axis_mm=1000.0, source_detector_mm=1500.0,
        shape=(64, 96), pixel_mm=4.0, axis_column=axis, roll_rad=np.radians(roll),
    )  # fmt: skip


@cache
def scan(axis=None, roll=0.0, turn=2 * np.pi):
    data = simulate_integrals(tooth(scale=8.0), orbit(axis, roll, turn), oversample=3)
    return replace(data, geometry=orbit(turn=turn))


def test_best_axis_is_the_true_one():
    found = candidates(scan(49.0), CtProtocol(), of="axis", on=ON, step=1.0, n=5)
    assert found.value == pytest.approx(49.0, abs=0.1) and found.method == "opposite rays"
    sharpest = candidates(
        scan(49.0), CtProtocol(), of="axis", on=ON, step=1.0, n=5, score="sharpness"
    )
    assert sharpest.value == pytest.approx(49.0, abs=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("axis", [None, 49.0])
def test_best_roll_is_the_true_one(axis):
    found = candidates(scan(axis, roll=1.5), CtProtocol(), of="roll", on=ON, step=0.75, n=7)
    assert found.value == pytest.approx(1.5, abs=0.3)
    n_y, n_x = found.best.image.shape
    assert n_x == 2 * n_y  # one slice above and one below


@pytest.mark.parametrize(("of", "around"), [("axis", 49.25), ("roll", 1.5)])
def test_image_equals_that_of_a_run_with_its_value(of, around, tmp_path):
    data = scan(49.0, roll=1.0)
    write_projections(data, tmp_path / "scan.h5")
    default = with_settings(CtProtocol(), ("steps.rings.use=off", "grid.diameter_mm=240"))
    tried = candidates(data, default, of=of, on=ON, around=around, step=0.5, n=3)
    one = tried.candidates[2]
    assert one.value == around + 0.5
    study = Study(data=tmp_path / "scan.h5", protocol=with_value(default, of, one.value))
    last = list(run(study, on=ON))[-1]
    assert isinstance(last, Finished)
    volume = last.volume
    if of == "axis":
        expected = volume.values[volume.grid.shape[0] // 2]
        np.testing.assert_allclose(one.image, expected, atol=2e-5)
        other = tried.candidates[1].image
        assert np.abs(other - expected).max() > 1e-3
    else:
        height = volume.grid.centre_mm[2] + 0.3 * volume.grid.size_mm[2]
        z = volume.grid.centres_mm(2)
        k = int(np.searchsorted(z, height)) - 1  # between two slices
        share = (height - z[k]) / (z[k + 1] - z[k])
        expected = (1 - share) * volume.values[k] + share * volume.values[k + 1]
        upper = one.image[:, : expected.shape[1]]
        assert np.corrcoef(upper.ravel(), expected.ravel())[0, 1] > 0.99


def test_invalid_candidates_are_refused():
    with pytest.raises(SettingsError, match=r"2 candidates with a step of 0\.5, expected 3 to 99"):
        candidates(scan(49.0), CtProtocol(), of="axis", on=ON, n=2)
    with pytest.raises(SettingsError, match="expected 3 to 99 candidates and a step"):
        candidates(scan(49.0), CtProtocol(), of="axis", on=ON, step=0.0)


def test_contact_sheet_has_every_image_in_reading_order():
    images = [np.pad(np.full((20, 30), float(k)), 10) for k in range(1, 6)]
    sheet = contact_sheet(images, [f"value {k}" for k in range(5)], marked=4, footer="scan")
    assert sheet == contact_sheet(images, [f"value {k}" for k in range(5)], marked=4, footer="scan")
    page = np.asarray(Image.open(BytesIO(sheet)))
    width = page.shape[1] // 3
    middles = [page[150, k * width + width // 2] for k in range(3)]
    assert middles == sorted(middles) and middles[0] < middles[2]


def test_command_writes_a_contact_sheet(tmp_path, capsys):
    write_projections(scan(49.0), tmp_path / "scan.h5")
    sheet = tmp_path / "axis.png"
    options = ["--candidates", "axis", "--number", "3", "--step", "1", "-o", str(sheet)]
    assert main(["inspect", str(tmp_path / "scan.h5"), *options]) == 0
    message = capsys.readouterr().out
    assert "axis at column 49" in message and "(opposite rays)" in message
    assert sheet.read_bytes().startswith(b"\x89PNG")
    assert main(["inspect", str(tmp_path / "scan.h5"), "--candidates", "axis"]) == 2
