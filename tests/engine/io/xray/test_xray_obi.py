"""Tests of Varian imagers before TrueBeam: layout and geometry of RTK."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.geometry.xray import XrayGeometry
from engine.io import read_projections
from engine.io.safety.open_input import open_input
from engine.io.xray.varian.varian_obi import read_hnd
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import sphere
from engine.simulate.xray import simulate_integrals
from tests.engine.io.xray.obi_files import FACTS, SETTINGS, hnd_bytes, info_text, obi
from tests.engine.io.xray.varian_files import COLUMNS, ROWS, N, counts
from tests.engine.io.xray.xray_balls import assert_shows_ball


def as_rtk(
    gantry_deg: np.ndarray, offset_mm: tuple[float, float], shape: tuple[int, int]
) -> XrayGeometry:
    n = len(gantry_deg)
    zero = np.zeros(n)
    return from_rtk(
        RtkParameters(
            np.deg2rad(gantry_deg), zero, zero, zero + 1000.1, zero + 1500.2, np.zeros((n, 2)),
            np.tile(offset_mm, (n, 1)),
        ),
        shape=shape,
        pixel_mm=(0.388, 0.776),
    )  # fmt: skip


@pytest.mark.parametrize("top", [2**7, 2**15, 2**20])
def test_images_of_any_integer_size_are_restored(
    tmp_path: Path, rng: np.random.Generator, top: int
) -> None:
    values = rng.integers(0, top, (7, 9))
    path = tmp_path / "a.hnd"
    for end in (None, -1):  # with and without the padding at the end
        path.write_bytes(hnd_bytes(values, FACTS)[:end])
        with open_input(path) as file:
            found, numbers = read_hnd(file)
        np.testing.assert_array_equal(found, values)
        assert numbers["IDUResolutionY"] == 0.776
        assert numbers["CTNormChamber"] == 1000


@pytest.mark.parametrize(("fan", "across"), [("HalfFan", 0.4 - 148), ("FullFan", 0.4)])
def test_scan_has_the_vectors_of_rtk(tmp_path: Path, fan: str, across: float) -> None:
    data = read_projections(obi(tmp_path, FanType=fan))
    expected = as_rtk(200 - 30.0 * np.arange(N), (across, -0.6), (ROWS, COLUMNS))
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        found = getattr(data.geometry, name)
        np.testing.assert_allclose(found, getattr(expected, name), atol=1e-9, err_msg=name)
    assert data.info["voltage_kv"] == 125
    assert any("139,000 counts" in note for note in data.notes)


def test_source_at_ninety_degrees_is_on_the_left(tmp_path: Path) -> None:
    inside = obi(tmp_path).parent / "Scan0"
    for k, values in enumerate(counts()):
        image = hnd_bytes(values, FACTS | {"CTProjectionAngle": 90 + 30.0 * k})
        (inside / f"Proj_{k + 1:05}.hnd").write_bytes(image)
    data = read_projections(tmp_path)
    np.testing.assert_allclose(data.geometry.source_mm[0], (1000.1, 0, 0), atol=1e-9)


def test_values_are_fractions_of_the_open_beam_at_one_exposure(tmp_path: Path) -> None:
    data = read_projections(obi(tmp_path))
    given = 1000 + 100 * (np.arange(N) % 2)
    expected = counts() * (1050 / given)[:, None, None] / 139_000
    np.testing.assert_allclose(data.values, expected, rtol=1e-6)


def test_scan_is_found_by_its_folders_and_images(tmp_path: Path) -> None:
    whole = read_projections(obi(tmp_path))
    inside = tmp_path / "Scan0"
    for named in (tmp_path, inside, inside / "Proj_00004.hnd"):
        again = read_projections(named)
        np.testing.assert_array_equal(again.values, whole.values)
        np.testing.assert_array_equal(again.geometry.detector_mm, whole.geometry.detector_mm)
    (tmp_path / "ProjectionInfo.xml").unlink()
    with pytest.raises(
        EngineError,
        match=r"ProjectionInfo.xml with the distances is not in this folder or its parent",
    ):
        read_projections(inside)


@pytest.mark.parametrize(
    ("facts", "settings", "words"),
    [
        ({"CTProjectionAngle": np.nan}, {}, "starting with view 0"),
        ({"IDUResolutionX": 0.0}, {}, "'IDUResolutionX' is 0, expected"),
        ({}, {"CalibratedSAD": "x"}, "'CalibratedSAD' is 'x', expected a number"),
        ({}, {"CalibratedSAD": "1600"}, "the axis must be between the source"),
    ],
)
def test_impossible_scan_gives_one_sentence(
    tmp_path: Path, facts: dict[str, float], settings: dict[str, str], words: str
) -> None:
    with pytest.raises(EngineError, match=words):
        read_projections(obi(tmp_path, facts, **settings))


@pytest.mark.parametrize("name", ["CalibratedSID", "CalibratedDetectorOffsetY", "FanType"])
def test_settings_without_a_length_are_refused(tmp_path: Path, name: str) -> None:
    path = obi(tmp_path)
    path.write_text(info_text({key: value for key, value in SETTINGS.items() if key != name}))
    with pytest.raises(EngineError, match=f"'{name}' is missing"):
        read_projections(path)


def test_files_of_two_scans_are_not_mixed(tmp_path: Path) -> None:
    path = obi(tmp_path)
    inside = tmp_path / "Scan0"
    shutil.copytree(inside, tmp_path / "Scan1")
    with pytest.raises(EngineError, match=r"2 scans \(Scan0, Scan1\)"):
        read_projections(path)
    shutil.rmtree(tmp_path / "Scan1")
    (inside / "Other_00001.hnd").write_bytes(hnd_bytes(counts()[0], FACTS))
    with pytest.raises(EngineError, match="images from 2 scans"):
        read_projections(path)
    (inside / "Other_00001.hnd").unlink()
    (inside / "Proj_00005.hnd").write_bytes(hnd_bytes(counts()[0][:, :4], FACTS))
    with pytest.raises(EngineError, match="the other images have 3 x 5"):
        read_projections(path)
    (inside / "Proj_00005.hnd").unlink()
    with pytest.raises(EngineError, match=r"missing numbers .*: 5 "):
        read_projections(path)


def test_image_equals_that_of_the_scan_in_our_own_format(tmp_path: Path) -> None:
    """A ball off the axis, with a slightly shifted panel."""
    n, shape, place = 48, (12, 28), (2.0, -1.5, 1.0)
    gantry = 182.0 - 7.5 * np.arange(n)
    ball = ShapePhantom("ball", (sphere(place, 3.0, mu_per_mm=0.1),))
    integrals = simulate_integrals(ball, as_rtk(gantry, (0.4, -0.6), shape), oversample=2)
    folder = tmp_path / "scan"
    folder.mkdir()
    for k, values in enumerate(np.rint(139_000 * np.exp(-integrals.values)).astype(np.int64)):
        image = hnd_bytes(values, FACTS | {"CTProjectionAngle": gantry[k]})
        (folder / f"Proj_{k:05}.hnd").write_bytes(image)
    (folder / "ProjectionInfo.xml").write_text(info_text(SETTINGS | {"FanType": "FullFan"}))
    ours = tmp_path / "ours.toml"
    assert_shows_ball(
        folder, place, ours, within_mm=0.3
    )  # at the axis, rows have a pitch of 0.5 mm
