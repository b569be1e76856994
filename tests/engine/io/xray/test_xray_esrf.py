"""Tests of ESRF scans in EDF: values, motor angles, flats before and after, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.io import read_projections
from engine.io.safety.open_input import open_input
from engine.io.xray.esrf.edf import read_edf
from engine.io.xray.pose import turned_parallel
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import sphere
from engine.simulate.xray import simulate_integrals
from tests.engine.io.xray.esrf_files import INFO, START_DEG, edf_bytes, esrf, motors
from tests.engine.io.xray.xray_balls import assert_shows_ball
from tests.engine.io.xray.xray_files import COLUMNS, DARKS, FLATS, ROWS, N, counts


@pytest.mark.parametrize("dtype", ["u2", "i4", "f4"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_image_is_restored_with_its_header(tmp_path: Path, dtype: str, order: str) -> None:
    values = np.arange(15).reshape(3, 5).astype(dtype)
    path = tmp_path / "a.edf"
    path.write_bytes(edf_bytes(values, order, title="a long } title " * 40, **motors(1)))
    with open_input(path) as file:
        found, header = read_edf(file)
    np.testing.assert_array_equal(found, values)
    assert header["motor_mne"] == "sy omega mono" and header["dim_1"] == "5"


def test_scan_opens_with_the_angles_of_its_motor(tmp_path: Path) -> None:
    data = read_projections(esrf(tmp_path))
    np.testing.assert_array_equal(data.values, counts(N))
    assert data.flats is not None and data.darks is not None
    assert data.flats.mean(axis=(1, 2)).tolist() == [FLATS[0, 0, 0], FLATS[0, 0, 0] + N]
    assert data.info["flat_views"] == [0, N]
    assert data.darks.mean() == DARKS.mean()
    angles = np.deg2rad(START_DEG - 180 * np.arange(N) / N)
    expected = turned_parallel(angles, pixel_mm=(0.7e-3, 0.7e-3), shape=(ROWS, COLUMNS))
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        found = getattr(data.geometry, name)
        np.testing.assert_allclose(found, getattr(expected, name), atol=1e-7, err_msg=name)
    assert data.info["exposure_ms"] == 250 and data.info["energy_kev"] == 19
    for words in ("motor omega", "3 images after the last view", "mirror image"):
        assert any(words in note for note in data.notes), words


@pytest.mark.parametrize("fields", ["", "omega", "sy omega other"])
def test_angles_without_a_turning_motor_are_even(tmp_path: Path, fields: str) -> None:
    path = esrf(tmp_path)
    for k, image in enumerate(counts(N)):
        turned = 180 * k / N
        positions = {"": "", "omega": "7", "sy omega other": f"1 {turned} {turned}"}[fields]
        more = {"motor_mne": fields, "motor_pos": positions}
        (tmp_path / f"tiny_{k:04}.edf").write_bytes(edf_bytes(image, **more))
    data = read_projections(path)
    expected = turned_parallel(
        np.pi * np.arange(N) / N, pixel_mm=(0.7e-3, 0.7e-3), shape=(ROWS, COLUMNS)
    )
    np.testing.assert_allclose(data.geometry.source_mm, expected.source_mm, atol=1e-9)
    assert any("even steps of 15°" in note for note in data.notes)


def test_scan_is_found_by_its_folder_and_any_image(tmp_path: Path) -> None:
    whole = read_projections(esrf(tmp_path))
    for named in (tmp_path, tmp_path / "tiny_0004.edf", tmp_path / "dark.edf"):
        np.testing.assert_array_equal(read_projections(named).values, whole.values)


def test_flats_and_darks_are_read_as_measured(tmp_path: Path) -> None:
    path = esrf(tmp_path)
    for each in (*tmp_path.glob("refHST*"), tmp_path / "dark.edf"):
        each.unlink()
    assert read_projections(path).flats is None
    for name in ("ref0000_0000", "ref0001_0000", f"ref0000_{N:04}"):
        (tmp_path / f"{name}.edf").write_bytes(edf_bytes(FLATS[0]))
    (tmp_path / "darkend0000.edf").write_bytes(edf_bytes((4 * DARKS[0]).astype(np.uint16)))
    data = read_projections(path)
    assert data.info["flat_views"] == [0, 0, N]
    assert data.darks is not None
    np.testing.assert_array_equal(data.darks[0], DARKS[0])
    assert any("the sum of DARK_N = 4" in note for note in data.notes)


@pytest.mark.parametrize(
    ("info", "words"),
    [
        ({"TOMO_N": "16"}, "only 15 of 16 projections"),
        ({"TOMO_N": "1e12"}, "expected at most 1,000,000"),
        ({"ScanRange": "0"}, "'scanrange' is 0, expected more than 0"),
        ({"Prefix": "other", "TOMO_N": "x"}, "'tomo_n' is 'x', expected a number"),
    ],
)
def test_impossible_scan_gives_one_sentence(
    tmp_path: Path, info: dict[str, str], words: str
) -> None:
    with pytest.raises(EngineError, match=words):
        read_projections(esrf(tmp_path, **info))


def test_unknown_pixel_size_is_reported(tmp_path: Path) -> None:
    data = read_projections(esrf(tmp_path, PixelSize="-1"))
    assert not data.pixel_mm_known


def test_files_of_two_scans_are_not_mixed(tmp_path: Path) -> None:
    path = esrf(tmp_path)
    other = tmp_path / "tiny_b_.info"
    other.write_text(path.read_text().replace("tiny_", "tiny_b_"))
    for k, image in enumerate(counts(N)):
        (tmp_path / f"tiny_b_{k:04}.edf").write_bytes(edf_bytes(image + 1000))
    assert read_projections(tmp_path / "tiny_0002.edf").values.max() == counts(N).max()
    assert read_projections(tmp_path / "tiny_b_0002.edf").values.max() == counts(N).max() + 1000
    with pytest.raises(EngineError, match="found the settings of 2 scans"):
        read_projections(tmp_path)
    (tmp_path / "tiny_0003.edf").write_bytes(edf_bytes(counts(1)[0, :2]))
    with pytest.raises(EngineError, match="2 x 5 pixels, but the other images have 3 x 5"):
        read_projections(path)
    (tmp_path / "tiny_0003.edf").unlink()
    with pytest.raises(EngineError, match=r"missing numbers .*: 3 "):
        read_projections(path)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"DataType": "ComplexFloat"}, "'ComplexFloat'.* is not supported"),
        ({"Compression": "GzipCompression"}, "compressed data or several images"),
        ({"Dim_3": "4"}, "compressed data or several images"),
        ({"Dim_1": "99999"}, "bytes, expected"),
        ({"Dim_2": "-3"}, "dim_2 is '-3', expected a number of pixels"),
    ],
)
def test_other_images_are_refused(tmp_path: Path, fields: dict[str, str], words: str) -> None:
    path = esrf(tmp_path)
    (tmp_path / "tiny_0000.edf").write_bytes(edf_bytes(counts(1)[0], **fields))
    with pytest.raises(EngineError, match=words):
        read_projections(path)
    (tmp_path / "tiny_0000.edf").write_bytes(2 * edf_bytes(counts(1)[0]))
    with pytest.raises(EngineError, match="contains several images, expected one"):
        read_projections(path)


def test_image_equals_that_of_the_scan_in_our_own_format(tmp_path: Path) -> None:
    """A ball off the axis; the motor turns backwards from 12.5 degrees."""
    n, place = 48, (4e-3, -3e-3, 2e-3)
    degrees = START_DEG - 180 * np.arange(n) / n
    orbit = turned_parallel(np.deg2rad(degrees), pixel_mm=(0.7e-3, 0.7e-3), shape=(16, 24))
    ball = ShapePhantom("ball", (sphere(place, 4e-3, mu_per_mm=200.0),))
    integrals = simulate_integrals(ball, orbit, oversample=2)
    folder = tmp_path / "scan"
    folder.mkdir()
    stored = np.rint(100 + 50_000 * np.exp(-integrals.values)).astype(np.uint16)
    for k, image in enumerate(stored):
        more = {"motor_mne": "omega", "motor_pos": f"{degrees[k]:.6f}"}
        (folder / f"tiny_{k:04}.edf").write_bytes(edf_bytes(image, **more))
    blank = np.zeros((16, 24), np.float32)
    (folder / "refHST0000.edf").write_bytes(edf_bytes(blank + 50_100))
    (folder / "dark.edf").write_bytes(edf_bytes(blank + 100))
    info = INFO | {"TOMO_N": str(n)}
    (folder / "tiny_.info").write_text("".join(f"{k}= {v}\n" for k, v in info.items()))
    ours = tmp_path / "ours.toml"
    assert_shows_ball(folder, place, ours, within_mm=0.35e-3, of_peak=1e-4)  # half a pixel
