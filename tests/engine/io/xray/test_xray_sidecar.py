"""Tests of raw values and TIFF images with a sidecar: all geometries, all faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
import tomli_w

from engine.core.backend import cpu
from engine.core.errors import EngineError, FileFormatError, SettingsError, UnknownFormatError
from engine.corrections.preprocess import FlatField
from engine.corrections.preprocess.plausibility import doubts
from engine.geometry.orbits import circular_cone, fan, helical, parallel, to_astra_vectors
from engine.geometry.xray import XrayGeometry
from engine.io import inspect, read_listmode, read_projections
from tests.engine.io.xray.xray_files import (
    COLUMNS,
    DARKS,
    FLATS,
    ROWS,
    STEP,
    N,
    counts,
    write_tiffs,
)

ANGLES = np.deg2rad(np.arange(N) * STEP)
CONE: dict[str, Any] = {
    "kind": "cone",
    "source_axis_mm": 100.0,
    "source_detector_mm": 150.0,
    "pixel_mm": [0.5, 0.7],
    "angles": {"step": STEP},
}


def write(folder: Path, geometry: dict[str, Any] | None = None, **changes: Any) -> Path:
    """Write a raw file of counts and its sidecar; None removes a key."""
    counts().astype("<u2").tofile(folder / "scan.raw")
    FLATS.astype("<u2").tofile(folder / "flat.raw")
    DARKS.astype("<u2").tofile(folder / "dark.raw")
    values: dict[str, Any] = {
        "format": "isocenter-projections",
        "version": 1,
        "file": "scan.raw",
        "dtype": "uint16",
        "shape": [N, ROWS, COLUMNS],
        "kind": "counts",
        "flats": "flat.raw",
        "darks": "dark.raw",
        **changes,
        "geometry": {k: v for k, v in {**CONE, **(geometry or {})}.items() if v is not None},
    }
    path = folder / "scan.toml"
    path.write_text(tomli_w.dumps({k: v for k, v in values.items() if v is not None}))
    return path


def alike(a: XrayGeometry, b: XrayGeometry) -> bool:
    return a.shape == b.shape and np.allclose(to_astra_vectors(a), to_astra_vectors(b))


class TestValues:
    def test_counts_flats_and_darks_are_read(self, tmp_path: Path) -> None:
        data = read_projections(write(tmp_path))
        assert np.array_equal(data.values, counts())
        assert data.flats is not None
        assert np.array_equal(data.flats, FLATS)
        assert data.darks is not None
        assert np.array_equal(data.darks, DARKS)
        assert data.kind == "counts"

    @pytest.mark.parametrize(
        "dtype", ["uint8", "int16", "uint32", "int64", "float16", "float32", "float64"]
    )
    @pytest.mark.parametrize("byte_order", ["little", "big"])
    def test_every_type_and_byte_order_is_read(
        self, tmp_path: Path, dtype: str, byte_order: str
    ) -> None:
        path = write(
            tmp_path, dtype=dtype, byte_order=byte_order, flats=None, darks=None, offset_bytes=16
        )
        values = (counts() % 200 + 1).astype(
            np.dtype(dtype).newbyteorder(byte_order[0].replace("l", "<").replace("b", ">"))
        )
        (tmp_path / "scan.raw").write_bytes(b"\xff" * 16 + values.tobytes())
        assert np.array_equal(read_projections(path).values, counts() % 200 + 1)

    @pytest.mark.parametrize(
        "order", [("view", "column", "row"), ("row", "view", "column"), ("column", "row", "view")]
    )
    def test_every_axis_order_is_read(self, tmp_path: Path, order: tuple[str, ...]) -> None:
        axes = ("view", "row", "column")
        turned = counts().transpose([axes.index(axis) for axis in order])
        path = write(tmp_path, order=list(order), shape=list(turned.shape), flats=None, darks=None)
        np.ascontiguousarray(turned).tofile(tmp_path / "scan.raw")
        assert np.array_equal(read_projections(path).values, counts())

    def test_axes_are_flipped(self, tmp_path: Path) -> None:
        path = write(tmp_path, flip=["row"], reverse=True)
        assert np.array_equal(read_projections(path).values, counts()[::-1, ::-1])

    def test_white_level_replaces_flats(self, tmp_path: Path) -> None:
        data = read_projections(write(tmp_path, flats=None, darks=None, white_level=5000.0))
        assert data.flats is not None
        assert data.flats.shape == (1, ROWS, COLUMNS)
        assert (data.flats == 5000).all()
        path = write(tmp_path, flats=None, darks=None, white_level=5000.0, kind="transmission")
        assert np.allclose(read_projections(path).values, counts() / 5000)

    def test_white_level_at_full_scale_does_not_count_as_saturation(self, tmp_path: Path):
        data = read_projections(write(tmp_path, flats=None, darks=None, white_level=65535.0))
        assert doubts(FlatField().apply(data, on=cpu(1))) == ()

    def test_tiff_stack_is_read(self, tmp_path: Path) -> None:
        path = write(tmp_path, file=None, files="p_", flats="f_", darks="d.tif", dtype=None)
        write_tiffs(tmp_path, "p_", counts().transpose(0, 2, 1))
        write_tiffs(tmp_path, "f_", FLATS.transpose(0, 2, 1))
        tifffile.imwrite(tmp_path / "d.tif", DARKS[0].T)
        text = 'image_order = ["column", "row"]\n' + path.read_text()
        path.write_text(text)
        data = read_projections(tmp_path / "p_000003.tif")
        assert np.array_equal(data.values, counts())
        assert data.darks is not None
        assert data.darks.shape == (1, ROWS, COLUMNS)

    def test_multi_page_tiff_is_read(self, tmp_path: Path) -> None:
        path = write(tmp_path, file="all.tif", flats=None, darks=None)
        tifffile.imwrite(tmp_path / "all.tif", counts(), photometric="minisblack")
        assert np.array_equal(read_projections(path).values, counts())

    def test_raw_file_and_folder_open_the_scan(self, tmp_path: Path) -> None:
        write(tmp_path)
        for named in (tmp_path / "scan.raw", tmp_path):
            assert read_projections(named).n_views == N
            assert inspect(named).format == "Projections with a .toml sidecar"


class TestGeometry:
    def _same(self, tmp_path: Path, expected: XrayGeometry, **geometry: Any) -> None:
        assert alike(read_projections(write(tmp_path, geometry)).geometry, expected)

    def test_cone_geometry_is_read(self, tmp_path: Path) -> None:
        expected = circular_cone(
            ANGLES,
            source_axis_mm=100,
            source_detector_mm=150,
            shape=(ROWS, COLUMNS),
            pixel_mm=(0.5, 0.7),
            detector_shift_mm=(2.0, -3.0),
        )
        self._same(tmp_path, expected, detector_shift_mm=[2.0, -3.0])

    @pytest.mark.parametrize("columns", ["right", "left"])
    def test_axis_is_projected_to_its_column(self, tmp_path: Path, columns: str) -> None:
        geometry = read_projections(
            write(tmp_path, {"axis_column": 1.25, "columns": columns})
        ).geometry
        assert np.allclose(geometry.axis_column, 1.25)

    def test_left_and_down_reverse_columns_and_rows(self, tmp_path: Path) -> None:
        plain = read_projections(write(tmp_path)).geometry
        turned = read_projections(write(tmp_path, {"columns": "left", "rows": "down"})).geometry
        assert np.allclose(turned.u_mm, -plain.u_mm)
        assert np.allclose(turned.v_mm, -plain.v_mm)
        assert np.allclose(turned.source_mm, plain.source_mm)

    def test_clockwise_rotation_is_read(self, tmp_path: Path) -> None:
        geometry = read_projections(write(tmp_path, {"clockwise": True})).geometry
        assert np.allclose(geometry.angles_rad[1:], 2 * np.pi - ANGLES[1:])

    def test_helix_geometry_is_read(self, tmp_path: Path) -> None:
        expected = helical(
            ANGLES,
            pitch_mm=10,
            source_axis_mm=100,
            source_detector_mm=150,
            shape=(ROWS, COLUMNS),
            pixel_mm=(0.5, 0.7),
        )
        found = read_projections(write(tmp_path, {"rise_mm_per_turn": 10.0})).geometry
        assert np.allclose(np.diff(found.source_mm[:, 2]), np.diff(expected.source_mm[:, 2]))
        assert np.allclose(found.source_mm[:, :2], expected.source_mm[:, :2])
        assert np.allclose(found.detector_mm[:, 2], found.source_mm[:, 2])
        turned = {"angles": {"first": 30, "step": 30}, "rise_mm_per_turn": 10.0}
        later = read_projections(write(tmp_path, turned)).geometry
        assert later.source_mm[0, 2] == 0  # independent of the start of the scan
        backwards = {"clockwise": True, "rise_mm_per_turn": 10.0}
        clockwise = read_projections(write(tmp_path, backwards)).geometry
        assert np.allclose(clockwise.source_mm[:, 2], found.source_mm[:, 2])

    def test_fan_geometry_is_read(self, tmp_path: Path) -> None:
        path = write(
            tmp_path,
            {"kind": "fan"},
            order=["view", "column"],
            shape=[N, ROWS * COLUMNS],
            flats=None,
            darks=None,
        )
        expected = fan(
            ANGLES,
            source_axis_mm=100,
            source_detector_mm=150,
            n_columns=ROWS * COLUMNS,
            pixel_mm=(0.5, 0.7),
        )
        assert alike(read_projections(path).geometry, expected)

    def test_parallel_geometry_is_read(self, tmp_path: Path) -> None:
        options = {"kind": "parallel", "source_axis_mm": None, "source_detector_mm": None}
        expected = parallel(ANGLES, shape=(ROWS, COLUMNS), pixel_mm=(0.5, 0.7))
        self._same(tmp_path, expected, **options)
        unknown = read_projections(write(tmp_path, {**options, "pixel_mm": None}))
        assert not unknown.pixel_mm_known
        assert unknown.geometry.pixel_size_mm == (1.0, 1.0)

    @pytest.mark.parametrize("beam", ["cone", "parallel"])
    def test_vector_geometry_is_read(self, tmp_path: Path, beam: str) -> None:
        expected = (
            parallel(ANGLES, shape=(ROWS, COLUMNS), pixel_mm=0.5)
            if beam == "parallel"
            else circular_cone(
                ANGLES,
                source_axis_mm=100,
                source_detector_mm=150,
                shape=(ROWS, COLUMNS),
                pixel_mm=0.5,
                tilt_rad=(0.01, 0.02),
            )
        )
        np.savetxt(tmp_path / "v.txt", to_astra_vectors(expected), fmt="%.17g")
        geometry = dict.fromkeys(CONE) | {"kind": "vectors", "file": "v.txt", "beam": beam}
        self._same(tmp_path, expected, **geometry)

    @pytest.mark.parametrize(
        "angles",
        [
            {"values": np.rad2deg(ANGLES).tolist()},
            {"values": ANGLES.tolist(), "unit": "rad"},
            {"file": "angles.txt"},
        ],
    )
    def test_angles_are_read_from_a_list_or_a_file(
        self, tmp_path: Path, angles: dict[str, Any]
    ) -> None:
        text = "# degrees\n" + "".join(f"{a}\n" for a in np.rad2deg(ANGLES))
        (tmp_path / "angles.txt").write_text(text)
        plain = read_projections(write(tmp_path)).geometry
        assert alike(read_projections(write(tmp_path, {"angles": angles})).geometry, plain)


@pytest.mark.parametrize(
    ("changes", "geometry", "match"),
    [
        (
            {"shape": [N + 1, ROWS, COLUMNS]},
            {},
            r"but scan.toml states 390 bytes .*Complete views: 12\. Bytes after them: 0",
        ),
        ({"dtype": "float32"}, {}, r"\(12 x 60\)"),
        ({"offset_bytes": 8}, {}, r"Complete views: 11\. Bytes after them: 22"),
        ({"dtype": None}, {}, "needs the settings 'dtype' and 'shape'"),
        ({"dtype": "object"}, {}, "dtype: expected 'uint8'"),
        ({"shape": [N, ROWS]}, {}, "expected one number above 0 for each"),
        ({"order": ["view", "row", "row"]}, {}, "order is view, row, row, expected"),
        ({"file": None}, {}, "state either file or files"),
        ({"files": "a"}, {}, "state either file or files"),
        ({"file": "../scan.raw"}, {}, "only files in the same folder"),
        ({"file": "/etc/hostname"}, {}, "only files in the same folder"),
        ({"file": "none.raw"}, {}, "scan.toml: names the file 'none.raw', which was not found"),
        ({"flats": "none.raw"}, {}, "which was not found"),
        ({}, {"angles": {"file": "none.txt"}}, "which was not found"),
        ({"file": None, "files": "none"}, {}, "no TIFF images such as none0000.tif"),
        ({"kind": "photons"}, {}, "kind: expected 'counts'"),
        (
            {"kind": "integrals"},
            {},
            "reach 1,179, expected at most about 20 for the kind 'integrals'",
        ),
        ({"kind": "transmission"}, {}, "expected at most about 1 for the kind 'transmission'"),
        ({"sub": 1}, {}, "unknown key 'sub'"),
        ({"version": 3}, {}, "version: expected 1 or 2"),
        ({}, {"source_detector_mm": 50.0}, "expected more than source_axis_mm"),
        ({}, {"pixel_mm": [0.5, -1.0]}, "above 0"),
        ({}, {"pixel_mm": None}, "'geometry.pixel_mm' is missing"),
        ({}, {"kind": "spiral"}, "spiral"),
        ({}, {"kind": "fan"}, "a fan beam has one detector row, but the images have 3"),
        (
            {},
            {"angles": {"step": 0.02, "unit": "deg"}},
            "In radians they span .*, as expected for a scan. Set its unit",
        ),
        (
            {},
            {"angles": {"step": 30.0, "unit": "rad"}},
            "In degrees they span 330°, as expected for a scan. Set its unit",
        ),
        ({}, {"angles": {"first": 3.0}}, r"state exactly one of step, values and file, got \[\]"),
        (
            {},
            {"angles": {"values": [1.0, 2.0]}},
            "projections is 12, but the number of angles is 2",
        ),
        ({}, {"angles": {"file": "../a.txt"}}, "only files in the same folder"),
        ({}, {"axis_column": 2.0, "detector_shift_mm": [1.0, 0.0]}, "not both"),
    ],
)
def test_fault_gives_one_sentence(
    tmp_path: Path, changes: dict[str, Any], geometry: dict[str, Any], match: str
) -> None:
    with pytest.raises(EngineError, match=match) as refusal:
        read_projections(write(tmp_path, geometry, **changes))
    text = str(refusal.value)
    assert text.endswith(".")
    assert "\n" not in text


def test_opposite_byte_order_is_detected(tmp_path: Path) -> None:
    path = write(tmp_path, dtype="float32", kind="integrals", flats=None, darks=None)
    (np.arange(1.0, 181) / 100).astype(">f4").tofile(tmp_path / "scan.raw")
    with pytest.raises(FileFormatError, match="only plausible with the opposite byte order"):
        read_projections(path)


def test_raw_file_linked_out_of_the_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    folder.mkdir()
    path = write(folder)
    (folder / "scan.raw").rename(tmp_path / "scan.raw")
    whole = read_projections(write(tmp_path))
    (folder / "scan.raw").symlink_to(tmp_path / "scan.raw")
    assert np.array_equal(read_projections(path).values, whole.values)


def test_raw_file_without_its_sidecar_is_unknown(tmp_path: Path) -> None:
    write(tmp_path).unlink()
    with pytest.raises(EngineError, match=r"unknown file type.*'X-ray scan'"):
        read_projections(tmp_path / "scan.raw")


def test_raw_projections_without_a_sidecar_name_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "chest.raw"
    path.write_bytes(b"\0" * 4096)
    for read in (read_listmode, read_projections):
        with pytest.raises(UnknownFormatError, match="Describe raw X-ray projections with"):
            read(path)
    assert "describe raw projections with `isocenter import`" in inspect(path).faults[0]


def test_invalid_toml_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text() + "\n[geometry")
    with pytest.raises(SettingsError, match="not a valid TOML file"):
        read_projections(path)


def test_stack_with_missing_images_is_refused_if_the_shape_is_stated(tmp_path: Path) -> None:
    write_tiffs(tmp_path, "scan_", counts()[: N // 2])
    stack = {"file": None, "files": "scan_", "dtype": None, "flats": None, "darks": None}
    with pytest.raises(
        FileFormatError,
        match=r"shape 6 x 3 x 5 \(view x row x column\), but the sidecar states 12 x 3 x 5",
    ):
        read_projections(write(tmp_path, **stack))
    assert read_projections(write(tmp_path, **stack, shape=None)).n_views == N // 2
