"""Tests of CTSimU scenarios: geometry compared with closed forms, and images of the scans."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import tifffile

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.geometry.orbits import circular_cone
from engine.geometry.xray import XrayGeometry
from engine.io import read_projections
from engine.io.xray.ctsimu.parts import geometry_of
from engine.io.xray.ctsimu.values import Quantities
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import sphere
from engine.simulate.xray import simulate_integrals
from tests.engine.io.xray.ctsimu_files import (
    METADATA,
    PITCH_MM,
    SOURCE_AXIS_MM,
    SOURCE_DETECTOR_MM,
    ctsimu,
    ctsimu_in_one_folder,
    part,
    scenario,
    vector,
)
from tests.engine.io.xray.xray_balls import assert_shows_ball
from tests.engine.io.xray.xray_files import COLUMNS, DARKS, FLATS, ROWS, N, counts

TURNS = np.deg2rad(np.arange(N) * 360 / N)


def geometry(content: Plain, n_views: int = N) -> XrayGeometry:
    return geometry_of(content, Quantities(Path("tiny.json"), n_views))


def same(one: XrayGeometry, other: XrayGeometry) -> None:
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), atol=1e-9, err_msg=name
        )


def circle(stage_rad: np.ndarray, **of_detector: float) -> XrayGeometry:
    """Return the geometry of a turning stage; the source is at 180° minus the stage angle."""
    return circular_cone(
        np.pi - stage_rad,
        source_axis_mm=SOURCE_AXIS_MM,
        source_detector_mm=SOURCE_DETECTOR_MM,
        shape=(ROWS, COLUMNS),
        pixel_mm=PITCH_MM,
        **of_detector,
    ).flipped(rows=True)


@pytest.mark.parametrize(
    ("acquisition", "turns"),
    [
        ({}, TURNS),
        ({"direction": "CW"}, -TURNS),
        ({"include_final_angle": True}, np.linspace(0, 2 * np.pi, N)),
        (
            {
                "start_angle": {"value": -1, "unit": "rad"},
                "stop_angle": {"value": 1, "unit": "rad"},
            },
            -1 + 2 * np.arange(N) / N,
        ),
    ],
)
def test_turning_stage_is_a_circular_orbit_of_the_source(
    acquisition: Plain, turns: np.ndarray
) -> None:
    same(geometry(scenario(acquisition=acquisition)), circle(turns))


def test_units_and_binning_describe_the_same_scanner() -> None:
    content = scenario(
        detector={"pixel_pitch": {axis: {"value": 130, "unit": "um"} for axis in "uv"}},
        acquisition={"pixel_binning": {"u": 2, "v": 3}},
    )
    content["geometry"]["stage"]["center"] = vector((30, 0, 0), "cm")
    whole = circle(TURNS)
    fine = XrayGeometry(
        "cone", whole.source_mm, whole.detector_mm, whole.u_mm / 10, whole.v_mm / 10, whole.shape
    )
    same(geometry(content), fine.binned((3, 2)))


def test_drift_along_the_axis_is_a_helix() -> None:
    content = scenario()
    content["geometry"]["stage"]["center"]["z"]["drifts"] = [{"value": [-100, 100], "unit": "mm"}]
    rise = np.zeros((N, 3))
    rise[:, 2] = -np.linspace(-100, 100, N)
    same(geometry(content), circle(TURNS).moved(shift_mm=rise))


def test_turning_gantry_equals_the_stage_turning_backwards() -> None:
    """Drifting deviations rotate source and detector around the fixed stage."""
    amount = {"value": 0, "unit": "deg", "drifts": [{"value": [0, 330], "unit": "deg"}]}
    turn = {"type": "rotation", "axis": "z", "amount": amount, "pivot": {"x": 300, "y": 0, "z": 0}}
    content = scenario(acquisition={"stop_angle": {"value": 0, "unit": "deg"}})
    for name in ("source", "detector"):
        content["geometry"][name]["deviations"] = [turn]
    same(geometry(content), circle(-TURNS))


def test_rotation_of_the_detector_in_its_plane_is_a_roll() -> None:
    roll = {"type": "rotation", "axis": "w", "amount": {"value": 2, "unit": "deg"}}
    content = scenario()
    content["geometry"]["detector"]["deviations"] = [roll]
    same(geometry(content), circle(TURNS).rolled(np.deg2rad(2)))


def test_shift_along_a_vector_uses_only_its_direction() -> None:
    axis = {"u": {"value": 3}, "v": {"value": 4}, "w": {"value": 0}}
    shift = {"type": "translation", "axis": axis, "amount": {"value": 6.5, "unit": "mm"}}
    content = scenario()
    content["geometry"]["detector"]["deviations"] = [shift]
    same(geometry(content), circle(TURNS).shifted(columns=3.0, rows=4.0))


def test_common_motion_of_all_parts_is_the_same_scan() -> None:
    """The volume belongs to the stage, wherever the scanner is."""
    turn = {"type": "rotation", "axis": "y", "amount": {"value": 1.1, "unit": "rad"}}
    pivot = {axis: {"value": k, "unit": "mm"} for k, axis in enumerate("xyz")}
    content = scenario(acquisition={"stop_angle": {"value": 0, "unit": "deg"}})
    for name in ("source", "detector", "stage"):
        content["geometry"][name]["deviations"] = [turn | {"pivot": pivot}]
    same(geometry(content), circle(0 * TURNS))


def test_parallel_rays_point_from_source_to_detector() -> None:
    content = scenario()
    for w in ((1, 0, 0), (-1, 0, 0)):
        content["geometry"]["source"] = {"type": "parallel", **part(0, (0, -1, 0), w)}
        found = geometry(content)
        expected = np.stack([np.cos(TURNS), -np.sin(TURNS), 0 * TURNS], axis=1)
        np.testing.assert_allclose(found.source_mm, expected, atol=1e-12)
        np.testing.assert_allclose(found.detector_mm, 100 * expected, atol=1e-9)


def test_matrices_equal_those_of_the_published_example() -> None:
    """Compare with the full example of the specification, which turns the detector.

    The rows are its published openCT matrices (views 0 and 1, converted to mm on the detector).
    Their volume is turned by 180 degrees around the axis: source and detector have the opposite x.
    """
    hidden = {"known_to_reconstruction": False}
    content = scenario(
        detector={"columns": {"value": 200}, "rows": {"value": 150}},
        acquisition={
            "stop_angle": {"value": 320, "unit": "deg"},
            "include_final_angle": True,
            "number_of_projections": 21,
        },
    )
    content["geometry"]["stage"] = part(275, (1, 0, 0), (0, 0, 1))
    amount = {"value": 4, "unit": "deg"}
    content["geometry"]["stage"]["deviations"] = [
        {"type": "rotation", "axis": "u", "amount": amount, **hidden}
    ]
    content["geometry"]["detector"]["deviations"] = [
        {"type": "translation", "axis": "x", "amount": {"value": 0.5, "unit": "mm"}, **hidden},
        {"type": "rotation", "axis": "w", "amount": {"value": 2.3e-2, "unit": "rad"}},
        {
            "type": "rotation",
            "axis": vector((2, -3, 5.3)),
            "pivot": {
                axis: {"value": value, "unit": "mm"}
                for axis, value in zip("uvw", (1.0, -2.0, 2.5), strict=True)
            },
            "amount": {"value": 1.3, "unit": "deg"},
        },
    ]
    q = Quantities(Path("full.json"), 21)
    m = geometry_of(content, q).rotated(np.pi).matrices()
    middle = np.array([[PITCH_MM, 0, -100 * PITCH_MM], [0, PITCH_MM, -75 * PITCH_MM], [0, 0, 1]])
    found = middle @ m[:2]
    found /= found[:, 2:, 3:]
    first = [0.00012144091700800352, 1.454152481450208, -0.04389468039637294, -0.03339625217720265]
    second = [0.40093548144350266, 1.3977876068184898, -0.04389468039637294, -0.03339625217719273]
    np.testing.assert_allclose(found[:, 0], [first, second], atol=1e-9)
    lower = [6.639928190899728e-5, -0.04360640725006155, -1.4539703210356338, -0.018259802524974767]
    np.testing.assert_allclose(found[0, 1], lower, atol=1e-9)
    hidden_places = {"geometry.stage.deviations[0]", "geometry.detector.deviations[0]"}
    assert set(q.hidden) == hidden_places


def test_any_file_of_the_scan_opens_it(tmp_path: Path) -> None:
    path = ctsimu(tmp_path)
    inside = tmp_path / "projections"
    whole = read_projections(path)
    same(whole.geometry, circle(TURNS))
    assert whole.info["voltage_kv"] == 130 and whole.info["current_ua"] == 120
    assert any("not used in the reconstruction: samples." in note for note in whole.notes)
    for named in (tmp_path, inside, inside / "tiny_metadata.json", inside / "tiny_0003.tif"):
        again = read_projections(named)
        np.testing.assert_array_equal(again.values, counts())
        np.testing.assert_array_equal(again.flats, FLATS)
        np.testing.assert_array_equal(again.darks, DARKS)
        same(again.geometry, whole.geometry)


@pytest.mark.parametrize("metadata", [True, False])
def test_files_in_one_folder_are_one_scan(tmp_path: Path, metadata: bool) -> None:
    ctsimu_in_one_folder(tmp_path, metadata=metadata)
    data = read_projections(tmp_path)
    np.testing.assert_array_equal(data.values, counts())
    assert data.flats is not None and data.darks is not None
    np.testing.assert_array_equal(data.flats, FLATS)
    np.testing.assert_array_equal(data.darks, DARKS)


def with_metadata(folder: Path, **changes: object) -> Path:
    path = ctsimu(folder)
    report = json.loads(json.dumps(METADATA))
    report["output"]["projections"] |= changes
    (folder / "projections" / "tiny_metadata.json").write_text(json.dumps(report))
    return path


@pytest.mark.parametrize("in_one", [True, False])
def test_raw_images_are_read_by_their_metadata(tmp_path: Path, in_one: bool) -> None:
    path = with_metadata(
        tmp_path,
        filename="all.raw" if in_one else "view%03d.raw",
        byteorder="big",
        headersize={"file": 7, "image": 3},
        flat_field={"number": 0, "filename": None},
        dark_field=None,
    )
    images = [b"img" + image.astype(">u2").tobytes() for image in counts()]
    inside = tmp_path / "projections"
    if in_one:
        (inside / "all.raw").write_bytes(b"7 bytes" + b"".join(images))
    else:
        for k, image in enumerate(images):
            (inside / f"view{k:03}.raw").write_bytes(b"7 bytes" + image)
    data = read_projections(path)
    np.testing.assert_array_equal(data.values, counts())
    assert data.flats is not None and data.darks is not None
    assert (data.flats == 5000).all() and (data.darks == 100).all()
    assert any(
        "5,000, the stated maximum, is used" in note or "5000" in note for note in data.notes
    )


def test_corrected_projections_are_fractions_of_the_maximum(tmp_path: Path) -> None:
    path = with_metadata(
        tmp_path,
        max_intensity=4000.0,
        flat_field={"number": 2, "filename": "tiny_flat_%02d.tif", "projections_corrected": True},
    )
    data = read_projections(path)
    assert (data.kind, data.flats, data.darks) == ("transmission", None, None)
    np.testing.assert_allclose(data.values, counts() / 4000, rtol=1e-6)


def test_bad_pixels_of_the_map_are_masked(tmp_path: Path) -> None:
    bad = {"file": {"value": "bad.raw"}, "type": "int16", "endian": "little", "headersize": 4}
    path = ctsimu(tmp_path, scenario(detector={"bad_pixel_map": bad}))
    works = np.full((ROWS, COLUMNS), -1, "<i2")
    works[1, 2] = 0
    assert any("bad pixel map is ignored" in note for note in read_projections(path).notes)
    (tmp_path / "bad.raw").write_bytes(b"head" + works.tobytes())
    found = read_projections(path).bad_pixels
    np.testing.assert_array_equal(found, works != -1)


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        (
            {"file": {"file_format_version": {"major": 0, "minor": 9}}},
            "scenario format is 0, expected",
        ),
        ({"acquisition": {"number_of_projections": N + 1}}, "only 12 of 13 projections"),
        ({"acquisition": {"direction": "left"}}, "'direction' is 'left', expected CCW or CW"),
        (
            {"acquisition": {"stop_angle": {"value": 9}}},
            "unit of 'acquisition.stop_angle' is 'None', expected",
        ),
        (
            {"acquisition": {"start_angle": {"value": 900, "unit": "deg"}}},
            "'start_angle' is greater than 'stop_angle'",
        ),
        (
            {"detector": {"columns": {"value": 1.5}}},
            "'detector.columns' is 1.5, expected an integer",
        ),
        ({"detector": {"rows": {"value": 10**400}}}, "'detector.rows' is inf, expected a number"),
        ({"detector": {"gray_value": {"imax": 1, "imin": 2}}}, ""),
    ],
)
def test_impossible_scenario_gives_one_sentence(
    tmp_path: Path, sections: Plain, words: str
) -> None:
    path = ctsimu(tmp_path, scenario(**sections))
    if not words:  # with flats, no grey values are needed
        assert read_projections(path).flats is not None
        return
    with pytest.raises(EngineError, match=words):
        read_projections(path)


def test_files_of_two_scans_are_not_mixed(tmp_path: Path) -> None:
    path = ctsimu(tmp_path)
    inside = tmp_path / "projections"
    text = (inside / "tiny_metadata.json").read_text()
    (inside / "again_metadata.json").write_text(text)
    with pytest.raises(FileFormatError, match="2 scans use this scenario"):
        read_projections(path)
    (inside / "again_metadata.json").write_text(text.replace("../tiny.json", "other.json"))
    assert read_projections(path).flats is not None
    with pytest.raises(
        FileFormatError, match=r"the scenario 'other.json', which is not in this folder"
    ):
        read_projections(inside / "again_metadata.json")
    for each in inside.glob("*_metadata.json"):
        each.unlink()
    tifffile.imwrite(inside / "else_0000.tif", counts()[0])
    with pytest.raises(FileFormatError, match="2 series of TIFF images in projections"):
        read_projections(path)


def test_image_equals_that_of_the_scan_in_our_own_format(tmp_path: Path) -> None:
    """A ball off the axis would move if the geometry were mirrored or rotated."""
    n, shape = 48, {"columns": {"value": 24}, "rows": {"value": 16}}
    content = scenario(detector=shape, acquisition={"number_of_projections": n})
    orbit = geometry(content, n)
    place = (5.0, 3.0, 2.0)
    ball = ShapePhantom("ball", (sphere(place, 4.0, mu_per_mm=0.2),))
    integrals = simulate_integrals(ball, orbit, oversample=2)
    values = np.rint(100 + 59_900 * np.exp(-integrals.values)).astype(np.uint16)
    grey = {"imax": {"value": 60_000}, "imin": {"value": 100}}
    content["detector"]["gray_value"] = grey
    (tmp_path / "ball.json").write_text(json.dumps(content))
    for k, image in enumerate(values):
        tifffile.imwrite(tmp_path / f"ball_{k:04}.tif", image)
    ours = tmp_path / "ours"
    ours.mkdir()
    assert_shows_ball(tmp_path / "ball.json", place, ours / "ball.toml", within_mm=1.5)
