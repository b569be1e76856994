"""Tests of Elekta XVI scans: they follow the conventions that RTK publishes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.geometry.xray import XrayGeometry
from engine.io import read_projections
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import sphere
from engine.simulate.xray import simulate_integrals
from tests.engine.io.xray.elekta_files import (
    CENTRE_MM,
    GANTRY_DEG,
    SIDE,
    UID,
    N,
    elekta,
    elekta_frame,
    frames_text,
    listed,
    raw,
)
from tests.engine.io.xray.xray_balls import assert_shows_ball

INNER = slice(4, -4)


def as_rtk(gantry_deg: np.ndarray, centre_mm: np.ndarray, side: int) -> XrayGeometry:
    n = len(gantry_deg)
    zero = np.zeros(n)
    return from_rtk(
        RtkParameters(
            np.deg2rad(gantry_deg), zero, zero, zero + 1000, zero + 1536, np.zeros((n, 2)),
            -centre_mm,
        ),
        shape=(side - 8, side - 8),
        pixel_mm=(409.6 / side, 409.6 / side),
    )  # fmt: skip


def test_frame_at_gantry_zero_follows_iec_61217(tmp_path: Path) -> None:
    """The tube is above the patient. The panel is below, shifted by −UCentre to his left."""
    frames = [each | {"GantryAngle": 30 * k} for k, each in enumerate(listed())]
    g = read_projections(elekta(tmp_path, frames=frames)).geometry
    pixel = 409.6 / SIDE
    # at -y: in front of the patient
    np.testing.assert_allclose(g.source_mm[0], (0, -1000, 0), atol=1e-9)
    expected = (-CENTRE_MM[0, 0], 536, -CENTRE_MM[0, 1])
    np.testing.assert_allclose(g.detector_mm[0], expected, atol=1e-9)
    np.testing.assert_allclose(g.u_mm[0], (pixel, 0, 0), atol=1e-9)
    np.testing.assert_allclose(g.v_mm[0], (0, 0, pixel), atol=1e-9)
    # at 90° the source is on the left
    np.testing.assert_allclose(g.source_mm[3], (1000, 0, 0), atol=1e-9)


def test_every_frame_has_the_vectors_of_rtk(tmp_path: Path) -> None:
    data = read_projections(elekta(tmp_path))
    expected = as_rtk(GANTRY_DEG, CENTRE_MM, SIDE)
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        found = getattr(data.geometry, name)
        np.testing.assert_allclose(found, getattr(expected, name), atol=1e-9, err_msg=name)
    assert data.info["voltage_kv"] == 120 and data.info["current_ma"] == 20


def test_values_equal_those_of_rtks_table(tmp_path: Path) -> None:
    """The line integral is ln 65536 − ln(65536 − raw). Both limits of the range count as 1."""
    data = read_projections(elekta(tmp_path))
    stored = raw()[:, INNER, INNER].astype(float)
    stored[(stored == 0) | (stored == 65535)] = 1
    expected = np.log(65536) - np.log(65536 - stored)
    np.testing.assert_allclose(-np.log(data.values.astype(float)), expected, atol=1e-6)


def test_scan_is_found_by_its_folder_and_any_file(tmp_path: Path) -> None:
    whole = read_projections(elekta(tmp_path))
    for named in (tmp_path, tmp_path / f"00007.{UID}.his"):
        again = read_projections(named)
        np.testing.assert_array_equal(again.values, whole.values)
        np.testing.assert_array_equal(again.geometry.source_mm, whole.geometry.source_mm)


def test_frames_are_matched_to_files_by_number_in_any_order(tmp_path: Path) -> None:
    whole = read_projections(elekta(tmp_path))
    frames = listed()
    (tmp_path / "_Frames.xml").write_text(frames_text(frames[::-1]))
    again = read_projections(tmp_path)
    np.testing.assert_array_equal(again.values, whole.values[::-1])
    np.testing.assert_allclose(again.geometry.source_mm, whole.geometry.source_mm[::-1], atol=1e-9)


def test_anonymised_frames_and_frames_without_exposure_are_read(tmp_path: Path) -> None:
    frames = [
        {{"GantryAngle": "GantryAngle"[1:], "UCentre": "Uentre"}.get(name, name): value}
        for each in listed()
        for name, value in each.items()
    ]
    joined = [dict(pair for part in frames[k : k + 5] for pair in part.items())
              for k in range(0, len(frames), 5)]  # fmt: skip
    joined[4]["Exposed"] = "false"
    data = read_projections(elekta(tmp_path, frames=joined))
    assert len(data.values) == N - 1
    expected = as_rtk(np.delete(GANTRY_DEG, 4), np.delete(CENTRE_MM, 4, axis=0), SIDE)
    np.testing.assert_allclose(data.geometry.detector_mm, expected.detector_mm, atol=1e-9)
    assert any("1 unexposed frames" in note for note in data.notes)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"GantryAngle": "x"}, "frame 1: 'GantryAngle' is 'x', expected a number"),
        ({"UCentre": "nan"}, "frame 1: 'UCentre' is nan"),
        ({"Seq": 2}, "a frame is listed twice"),
        ({"Seq": 77}, r"missing frames: 77 .*folder: 12, listed frames: 12, missing: 1"),
    ],
)
def test_impossible_frame_gives_one_sentence(
    tmp_path: Path, frame: dict[str, object], words: str
) -> None:
    frames = listed()
    with pytest.raises(EngineError, match=words):
        read_projections(elekta(tmp_path, frames=[frames[0] | frame, *frames[1:]]))


def test_files_of_two_scans_are_not_mixed(tmp_path: Path) -> None:
    image = elekta_frame(tmp_path)
    other = tmp_path / "00002.9.9.his"
    other.write_bytes(image.read_bytes())
    with pytest.raises(EngineError, match="frames from 2 scans"):
        read_projections(image)
    other.unlink()
    (tmp_path / "again_Frames.xml").write_text(frames_text(listed()))
    with pytest.raises(EngineError, match=r"found 2 \*_Frames.xml files"):
        read_projections(image)
    for each in tmp_path.glob("*.xml"):
        each.unlink()
    for named in (image, tmp_path):
        with pytest.raises(EngineError, match=r"found 0 \*_Frames.xml files .*isocenter import"):
            read_projections(named)


@pytest.mark.parametrize(
    ("at", "value", "words"),
    [
        (32, 8, "data type 8, expected one frame with data type 4"),
        (20, 2, "2 frames of"),
        (16, 15, "expected a square panel"),
        (18, 999, "bytes, expected"),
    ],
)
def test_other_frames_are_refused(tmp_path: Path, at: int, value: int, words: str) -> None:
    path = elekta(tmp_path)
    image = tmp_path / f"00001.{UID}.his"
    data = bytearray(image.read_bytes())
    data[at : at + 2] = value.to_bytes(2, "little")
    image.write_bytes(data)
    with pytest.raises(EngineError, match=words):
        read_projections(path)


def test_image_equals_that_of_the_scan_in_our_own_format(tmp_path: Path) -> None:
    """A ball off the axis, at the patient's left, front and head, with a panel that wobbles."""
    n, side, place = 60, 40, (30.0, -20.0, 15.0)
    gantry = 180.0 - 6 * np.arange(n)
    centre = np.stack([2 * np.cos(np.deg2rad(gantry)), 3 * np.sin(np.deg2rad(gantry))], axis=1)
    ball = ShapePhantom("ball", (sphere(place, 24.0, mu_per_mm=0.02),))
    integrals = simulate_integrals(ball, as_rtk(gantry, centre, side), oversample=2)
    stored = np.full((n, side, side), 1, np.uint16)
    stored[:, INNER, INNER] = np.rint(65536 * (1 - np.exp(-integrals.values))).clip(1)
    frames: list[dict[str, object]] = [
        {"GantryAngle": gantry[k], "UCentre": centre[k, 0], "VCentre": centre[k, 1]}
        for k in range(n)
    ]
    (tmp_path / "scan").mkdir()
    path = elekta(tmp_path / "scan", stored, frames)
    ours = tmp_path / "ours.toml"
    assert_shows_ball(path, place, ours, within_mm=1.5)  # the voxels have 6.7 mm
