"""Tests of Varian scans: a real image of the open beam, and synthetic scans."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError, FileFormatError
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.io import read_projections
from engine.io.safety.open_input import open_input
from engine.io.xray.varian.xim import Xim, read_xim
from tests.engine.io.xray.varian_files import (
    COLUMNS,
    FACTS,
    ROWS,
    N,
    counts,
    packed,
    settings_text,
    varian,
    xim_bytes,
)


@pytest.fixture
def real(shared_data: Path) -> Path:
    path = shared_data / "formats" / "varian-xim" / "FilterBowtie.xim"
    if not path.exists():
        pytest.skip("the shared Varian image is not here")
    return path


def read(path: Path) -> Xim:
    with open_input(path) as file:
        return read_xim(file)


def test_real_image_is_compressed_again_to_the_same_bytes(real: Path) -> None:
    image, data = read(real), real.read_bytes()
    assert image.values is not None
    assert image.values.shape == (768, 1024)
    again = packed(image.values)
    table = 8 + 6 * 4
    assert len(again) == 4 + 196352 + 4 + 859274
    assert data[table : table + len(again)] == again
    assert image.numbers["PixelWidth"] == 0.0388
    assert image.numbers["KVNormChamber"] == 90870
    assert "KVDetectorRtn" not in image.numbers  # the machine writes 3.4e38 for unknown values
    assert image.texts["KVCollimatorShape"] == "Half Fan V1"
    # The machine counted a quarter of the pixels in bins of 1024. The decoded pixels have that
    # mean.
    histogram = np.frombuffer(data, "<i4", 1024, table + len(again) + 8)
    assert 4 * histogram.sum() == image.values.size
    middle = (histogram * (np.arange(1024) * 1024 + 512)).sum() / histogram.sum()
    assert image.values.mean() == pytest.approx(middle, rel=0.02)


@pytest.mark.parametrize("top", [2**7, 2**15, 2**20, 2**31 - 1])
def test_images_of_any_integer_size_are_restored(
    tmp_path: Path, rng: np.random.Generator, top: int
) -> None:
    values = rng.integers(-top // 3 if top > 2**20 else 0, top, (7, 9))
    values.flat[rng.integers(63, size=5)] = top  # differences of all sizes up to 32 bits
    if top > 2**20:
        values //= 4
    (tmp_path / "a.xim").write_bytes(xim_bytes(values, {}))
    np.testing.assert_array_equal(read(tmp_path / "a.xim").values, values)


def test_uncompressed_image_is_read(tmp_path: Path) -> None:
    values = np.arange(65_530, 65_536, dtype="<u2")
    head = b"VMS.XI\0\0" + struct.pack("<7i", 0, 3, 2, 16, 2, 0, values.nbytes)
    (tmp_path / "a.xim").write_bytes(head + values.tobytes() + struct.pack("<2i", 0, 0))
    np.testing.assert_array_equal(read(tmp_path / "a.xim").values, values.reshape(2, 3))


def test_overflow_of_32_bits_is_damage(tmp_path: Path) -> None:
    values = np.array([[0, 2**31 - 1], [2**31 - 1, 2**31 - 1]])
    data = bytearray(xim_bytes(values, {}))
    at = data.index(struct.pack("<i", -(2**31 - 1)))
    data[at : at + 4] = struct.pack("<i", 2**31 - 1)
    (tmp_path / "a.xim").write_bytes(data)
    with pytest.raises(FileFormatError, match=r"values exceed the maximum .* copy it again"):
        read(tmp_path / "a.xim")


def test_geometry_is_that_of_rtk_rotated_half_a_turn_about_x(tmp_path: Path) -> None:
    data = read_projections(varian(tmp_path, {"KVDetectorLng": 0.2}))
    gantry = np.deg2rad(180 - (30.0 * np.arange(N) + 200))
    zero, lateral = np.zeros(N), np.tile([-160.0, 2.0], (N, 1))
    rtk = from_rtk(
        RtkParameters(gantry, zero, zero, zero + 1000, zero + 1500, 0 * lateral, lateral),
        shape=(ROWS, COLUMNS),
        pixel_mm=(0.388, 0.776),
    ).moved(np.diag([1.0, -1.0, -1.0]))
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        np.testing.assert_allclose(
            getattr(data.geometry, name), getattr(rtk, name), atol=1e-9, err_msg=name
        )
    assert data.geometry.is_circular
    assert any("without values are not used" in note for note in data.notes)
    assert data.info["voltage_kv"] == 125


def test_views_and_open_beam_have_one_exposure(tmp_path: Path) -> None:
    data = read_projections(varian(tmp_path))
    given = 1000 + 100 * (np.arange(N) % 2)
    assert data.flats is not None
    found = data.values / data.flats.mean(axis=0)
    expected = (counts() / given[:, None, None]) / (400_000 / 2100)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_scan_is_found_by_its_folders_and_images(tmp_path: Path) -> None:
    whole = read_projections(varian(tmp_path))
    images = tmp_path / "Acquisitions" / "17"
    for path in (tmp_path, images, images / "Proj_00004.xim"):
        again = read_projections(path)
        np.testing.assert_array_equal(again.values, whole.values)
        assert again.flats is not None
    (tmp_path / "Scan.xml").unlink()
    alone = read_projections(images)
    np.testing.assert_array_equal(alone.values, whole.values)
    np.testing.assert_allclose(alone.geometry.detector_mm, whole.geometry.detector_mm)
    assert alone.flats is None
    assert any("the open beam is unknown" in note for note in alone.notes)


@pytest.mark.parametrize(
    ("facts", "settings", "words"),
    [
        ({"KVSourceRtn": 3.5e38}, {}, "'KVSourceRtn' is missing in 12 of 12 images"),
        ({"ImageSourceId": "MVModule"}, {}, "treatment beam"),
        ({"PixelWidth": 0.0}, {}, "the pixel size is 0 x"),
        ({"KVKiloVolts": 100.0}, {}, "taken at 125 kV, but the scan at 100 kV"),
        ({}, {"SAD": "x"}, "'SAD' is 'x', expected a number"),
        ({}, {"SAD": "1500", "SID": "1000"}, "the axis must be between the source"),
    ],
)
def test_impossible_scan_gives_one_sentence(
    tmp_path: Path, facts: dict[str, object], settings: dict[str, str], words: str
) -> None:
    with pytest.raises(EngineError, match=words):
        read_projections(varian(tmp_path, facts, **settings))


def test_files_of_two_scans_are_not_mixed(tmp_path: Path) -> None:
    path = varian(tmp_path)
    images = tmp_path / "Acquisitions" / "17"
    other = tmp_path / "Acquisitions" / "18"
    other.mkdir()
    (other / "Proj_00001.xim").write_bytes(xim_bytes(counts()[0], FACTS))
    with pytest.raises(FileFormatError, match=r"2 scans \(17, 18\)"):
        read_projections(path)
    shutil.rmtree(other)
    assert not any("AcquisitionId" in note for note in read_projections(path).notes)
    values = FACTS | {"KVSourceRtn": 320.0, "AcquisitionId": 2}
    (images / "Proj_00005.xim").write_bytes(xim_bytes(counts()[4], values))
    assert any("images of 2 scans" in note for note in read_projections(path).notes)
    (images / "Proj_00005.xim").unlink()
    with pytest.raises(FileFormatError, match=r"missing numbers .*: 5 "):
        read_projections(images / "Proj_00001.xim")
    alone = tmp_path / "Calibrations" / "AIR-Half-Bowtie-125KV" / "Current" / "FilterBowtie.xim"
    with pytest.raises(FileFormatError, match="a single image"):
        read_projections(alone)


def test_open_beam_of_another_filter_is_not_used(tmp_path: Path) -> None:
    data = read_projections(varian(tmp_path, Bowtie="None"))
    assert data.flats is None
    assert any("no open beam" in note for note in data.notes)
    current = tmp_path / "Calibrations" / "AIR-Half-Bowtie-125KV" / "Current"
    (tmp_path / "Scan.xml").write_text(settings_text({"SAD": "1000", "SID": "1540", "Bowtie": "H"}))
    for sense, level in (("CW", 300_000), ("CC", 500_000)):
        values = np.full((ROWS, COLUMNS), level)
        (current / f"FilterBowtie_{sense}_0.xim").write_bytes(xim_bytes(values, FACTS))
    data = read_projections(tmp_path)
    assert data.flats is not None
    assert data.flats.mean() == 300_000  # increasing angles are clockwise
    assert any("-540.0 mm, which is used" in note for note in data.notes)
