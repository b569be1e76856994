"""Tests of NeXus files of CIL: axis order, pose and sense of rotation."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.errors import FileFormatError, GeometryError
from engine.geometry.vectors import turned_about
from engine.io import read_projections

h5py = pytest.importorskip("h5py")
N, ROWS, COLUMNS = 8, 5, 7
STEP = 45.0


def write(path, values, labels, *, beam="cone", axis=(0.0, 0.0, 0.0), keys=None, **more):
    """Write a file as CIL does: attributes on the data, the pose in `config`."""
    with h5py.File(path, "w") as file:
        file.attrs["creator"] = np.bytes_("NEXUSDataWriter.py")
        entry = file.create_group("entry1/tomo_entry")
        entry.attrs["NX_class"] = "NXentry"
        data = entry.create_dataset("data/data", data=values)
        data.attrs["data_type"] = "AcquisitionData"
        for k, label in enumerate(labels):
            data.attrs[f"dim{k}"] = label
        given = {"pixel_size_h": 2.0, "pixel_size_v": 3.0, "num_pixels_v": ROWS}
        for name, value in (given | more).items():
            data.attrs[name] = value
        entry["config/detector/position"] = np.array([0.0, 500.0, 0.0])
        entry["config/detector/direction_x"] = np.array([1.0, 0.0, 0.0])
        entry["config/detector/direction_y"] = np.array([0.0, 0.0, 1.0])
        entry["config/rotation_axis/position"] = np.array(axis)
        entry["config/rotation_axis/direction"] = np.array([0.0, 0.0, 1.0])
        if beam == "cone":
            entry["config/source/position"] = np.array([0.0, -1000.0, 0.0])
        else:
            entry["config/ray/direction"] = np.array([0.0, 1.0, 0.0])
        angles = entry.create_dataset("config/angles", data=STEP * np.arange(N))
        angles.attrs["angle_unit"] = "degree"
        angles.attrs["initial_angle"] = 0.0
        if keys is not None:
            entry["data/image_key"] = keys
    return path


def ball(beam, turned_deg):
    """Return the column (from 0) of a point at x = 3 mm after the object has turned."""
    a = np.radians(turned_deg)
    x, y = 3 * np.cos(a), 3 * np.sin(a)
    scale = 1500 / (1000 + y) if beam == "cone" else 1.0
    return x * scale / 2.0 + (COLUMNS - 1) / 2


@pytest.mark.parametrize("beam", ["cone", "parallel"])
def test_object_turns_by_the_stated_angle(beam, tmp_path, rng):
    values = rng.random((N, ROWS, COLUMNS), np.float32)
    path = write(tmp_path / "s.nxs", values, ("angle", "vertical", "horizontal"), beam=beam)
    found = read_projections(path)
    np.testing.assert_array_equal(found.values, values)
    assert found.geometry.beam == beam and not found.calibrated
    assert found.geometry.pixel_size_mm == pytest.approx((2.0, 3.0))
    pixels = found.geometry.project((3.0, 0.0, 3.0))
    expected = [ball(beam, STEP * k) for k in range(N)]
    np.testing.assert_allclose(pixels[:, 0], expected, atol=1e-9)
    assert (pixels[:, 1] > (ROWS - 1) / 2).all()  # the first row is at the bottom


@pytest.mark.parametrize("origin", ["top-left", "bottom-right"])
def test_panel_can_start_in_another_corner(origin, tmp_path, rng):
    values = rng.random((N, ROWS, COLUMNS), np.float32)
    labels = ("angle", "vertical", "horizontal")
    reference = read_projections(write(tmp_path / "a.nxs", values, labels)).geometry
    path = write(tmp_path / "b.nxs", values, labels, panel_origin=origin)
    expected = reference.flipped(columns="right" in origin, rows="top" in origin)
    np.testing.assert_allclose(read_projections(path).geometry.u_mm, expected.u_mm, atol=1e-12)
    np.testing.assert_allclose(read_projections(path).geometry.v_mm, expected.v_mm, atol=1e-12)


def test_axes_are_found_by_name_and_scaled_integers_are_restored(tmp_path, rng):
    values = rng.random((N, ROWS, COLUMNS), np.float32)
    small = np.rint(values.transpose(1, 0, 2)[None] * 60_000 + 100).astype(np.uint16)
    path = write(
        tmp_path / "s.nxs", small, ("channel", "vertical", "angle", "horizontal"),
        scale=60_000.0, offset=100.0,
    )  # fmt: skip
    np.testing.assert_allclose(read_projections(path).values, values, atol=1e-5)


def test_shifted_axis_is_used(tmp_path, rng):
    values = rng.random((N, ROWS, COLUMNS), np.float32)
    labels = ("angle", "vertical", "horizontal")
    found = read_projections(write(tmp_path / "s.nxs", values, labels, axis=(1.0, 0.0, 0.0)))
    assert found.calibrated
    # The axis is 1 mm to the right; magnified, it projects 1.5 mm from the detector centre.
    np.testing.assert_allclose(found.geometry.axis_column, (COLUMNS - 1) / 2 + 0.75)


def test_tilted_axis_is_rotated_to_z(tmp_path, rng):
    values = rng.random((N, ROWS, COLUMNS), np.float32)
    path = write(tmp_path / "s.nxs", values, ("angle", "vertical", "horizontal"))
    reference = read_projections(path).geometry
    tilt, turn = np.radians(20), np.radians(35)  # angle from z, and direction of the tilt
    axis = np.array([np.cos(turn) * np.sin(tilt), np.sin(turn) * np.sin(tilt), np.cos(tilt)])
    across = np.cross([0, 0, 1], axis) / np.sin(tilt)
    with h5py.File(path, "a") as file:
        pose = file["entry1/tomo_entry/config"]
        names = ("source/position", "detector/position", "detector/direction_x")
        for name in (*names, "detector/direction_y", "rotation_axis/direction"):
            pose[name][...] = turned_about(pose[name][()][None], across, tilt)[0]
    found = read_projections(path).geometry
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        np.testing.assert_allclose(getattr(found, name), getattr(reference, name), atol=1e-9)


def test_downward_axis_reverses_the_rotation(tmp_path, rng):
    values = rng.random((N, ROWS, COLUMNS), np.float32)
    path = write(tmp_path / "s.nxs", values, ("angle", "vertical", "horizontal"))
    reference = read_projections(path).geometry
    with h5py.File(path, "a") as file:
        file["entry1/tomo_entry/config/rotation_axis/direction"][...] = (0, 0, -1)
    found = read_projections(path).geometry
    expected = reference.select(-np.arange(N)).moved(np.diag([-1.0, 1.0, -1.0]))
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-9)


def test_flats_and_darks_are_recognised_by_their_keys(tmp_path, rng):
    values = rng.uniform(100, 1000, (N + 3, ROWS, COLUMNS)).astype("f4")
    values[0] = 50
    keys = np.array([2, 1, *[0] * N, 1])
    labels = ("angle", "vertical", "horizontal")
    found = read_projections(write(tmp_path / "s.nxs", values, labels, keys=keys))
    assert found.kind == "counts"
    np.testing.assert_array_equal(found.values, values[2:-1])
    np.testing.assert_array_equal(found.flats, values[[1, -1]])
    assert found.info["flat_views"] == [0, N]


def test_fault_gives_one_sentence(tmp_path, rng):
    values = rng.random((N, ROWS, COLUMNS), np.float32)
    with pytest.raises(
        FileFormatError, match=r"labels \[angle, vertical\] and the type float32, expected"
    ):
        read_projections(write(tmp_path / "a.nxs", values, ("angle", "vertical")))
    with pytest.raises(FileFormatError, match="export the projections"):
        read_projections(write(tmp_path / "b.nxs", values, ("horizontal_x", "vertical", "angle")))
    with pytest.raises(GeometryError, match="projections is 7, but the number of angles is 8"):
        write(tmp_path / "c.nxs", values[:7], ("angle", "vertical", "horizontal"))
        read_projections(tmp_path / "c.nxs")
    four = rng.random((N, ROWS, COLUMNS, 2), np.float32)
    with pytest.raises(FileFormatError, match="2 energy channels, expected one"):
        labels = ("angle", "vertical", "horizontal", "channel")
        read_projections(write(tmp_path / "d.nxs", four, labels))
