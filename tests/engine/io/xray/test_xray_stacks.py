"""Tests of TIFF stacks: settings of FleX-ray, Nikon and Bruker scanners, vectors of ASTRA."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tifffile

from engine.core.errors import EngineError, FileFormatError, GeometryError, UnknownFormatError
from engine.geometry.orbits import circular_cone, to_astra_vectors
from engine.io import inspect, read_projections
from tests.engine.io.xray.xray_files import (
    COLUMNS,
    DARKS,
    FLATS,
    ROWS,
    STEP,
    N,
    bruker,
    counts,
    flexray,
    nikon,
    write_tiffs,
)

Writer = Callable[..., Path]
each_scanner = pytest.mark.parametrize(
    ("write", "first", "n"),
    [(flexray, "scan_000000.tif", N), (nikon, "bean_000001.tif", N), (bruker, "fish000000.tif", N)],
    ids=["flexray", "nikon", "bruker"],
)


@each_scanner
class TestEveryScanner:
    def test_folder_and_image_open_the_scan(
        self, tmp_path: Path, write: Writer, first: str, n: int
    ) -> None:
        path = write(tmp_path)
        for named in (path, tmp_path, tmp_path / first):
            assert read_projections(named).n_views == n
            assert inspect(named).format == inspect(path).format

    def test_missing_view_is_named(self, tmp_path: Path, write: Writer, first: str, n: int) -> None:
        path = write(tmp_path)
        stem = first[: -len("000000.tif")]
        for k in (4, 5):
            (tmp_path / f"{stem}{k:06}.tif").unlink()
        with pytest.raises(
            FileFormatError, match=r"missing numbers .*: 4 and 5 \(files found: 10, missing: 2\)"
        ):
            read_projections(path)

    def test_views_missing_at_the_end_are_counted(
        self, tmp_path: Path, write: Writer, first: str, n: int
    ) -> None:
        path = write(tmp_path)
        for image in sorted(tmp_path.glob(f"{first[:4]}*.tif"))[-2:]:
            image.unlink()
        with pytest.raises(FileFormatError, match=r"only 10 of 1[12] projections"):
            read_projections(path)

    def test_image_of_another_size_is_named(
        self, tmp_path: Path, write: Writer, first: str, n: int
    ) -> None:
        path = write(tmp_path)
        bad = sorted(tmp_path.glob(f"{first[:4]}*.tif"))[7]
        tifffile.imwrite(bad, counts()[0, :2])
        with pytest.raises(GeometryError, match=rf"{bad.name}: has 2 x 5 pixels"):
            read_projections(path)

    def test_truncated_image_is_named(
        self, tmp_path: Path, write: Writer, first: str, n: int
    ) -> None:
        path = write(tmp_path)
        bad = sorted(tmp_path.glob(f"{first[:4]}*.tif"))[7]
        for keep in (60, 3, bad.stat().st_size - 8):
            bad.write_bytes(bad.read_bytes()[:keep])
            with pytest.raises(FileFormatError, match=bad.name):
                read_projections(path)

    def test_colour_image_is_refused(
        self, tmp_path: Path, write: Writer, first: str, n: int
    ) -> None:
        path = write(tmp_path)
        tifffile.imwrite(tmp_path / first, np.zeros((4, 4, 3), np.uint8), photometric="rgb")
        with pytest.raises(FileFormatError, match="one grey value per pixel"):
            read_projections(path)

    def test_image_linked_out_of_the_folder_is_read(
        self, tmp_path: Path, write: Writer, first: str, n: int
    ) -> None:
        folder = tmp_path / "scan"
        folder.mkdir()
        path = write(folder)
        (folder / first).rename(tmp_path / first)
        (folder / first).symlink_to(tmp_path / first)
        assert read_projections(path).n_views == n


class TestFlexRay:
    def test_flexray_counts_flats_and_darks_are_read(self, tmp_path: Path) -> None:
        data = read_projections(flexray(tmp_path))
        assert data.kind == "counts"
        assert np.array_equal(data.values, counts())
        assert data.flats is not None
        assert np.array_equal(data.flats, FLATS)
        assert data.darks is not None
        assert np.array_equal(data.darks, DARKS)
        assert data.info["voltage_kv"] == 60
        assert "flat_views" not in data.info

    def test_flats_after_the_stated_number_were_measured_after_the_scan(
        self, tmp_path: Path
    ) -> None:
        data = read_projections(flexray(tmp_path, **{"# pre flat fields": "1"}))
        assert data.info["flat_views"] == [0, N]

    def test_flexray_columns_grow_to_the_right_of_the_source_and_rows_down(
        self, tmp_path: Path
    ) -> None:
        path = flexray(tmp_path, tra_det="0", ver_tube="0")
        pixels = read_projections(path).geometry.project([(0.1, 0, 0), (0, 0, 0.05), (0, 0.1, 0)])
        middle = np.array([2.0, 1.0])
        assert np.allclose(pixels[0, 0] - middle, (0.1 * 2 / 0.1, 0))
        assert np.allclose(pixels[0, 1] - middle, (0, -0.05 * 2 / 0.1))
        quarter = 3  # the source is at +x now, so +y is to its right
        assert pixels[quarter, 2, 0] - 2 == pytest.approx(0.1 * 2 / 0.1)

    def test_motors_shift_source_and_detector(self, tmp_path: Path) -> None:
        geometry = read_projections(flexray(tmp_path)).geometry
        assert np.allclose(geometry.source_mm[0], (0, -100, 2))
        assert np.allclose(geometry.detector_mm[0], (1.5, 100, 0))

    def test_every_motor_has_its_direction(self, tmp_path: Path) -> None:
        """If the table moves the axis, source and detector move in the opposite direction."""
        motors = {"tra_tube": "0.5", "ver_tube": "2", "tra_det": "1.5", "ver_det": "3"}
        roi = {"ROI (LTRB)": "0,10,1943,1544"}  # rows of the window count upwards
        still = read_projections(flexray(tmp_path, **motors)).geometry
        assert np.allclose(still.source_mm[0], (0.5, -100, 2))
        assert np.allclose(still.detector_mm[0], (1.5, 100, 3))
        moved = read_projections(flexray(tmp_path, tra_obj="0.2", **motors)).geometry
        assert np.allclose(moved.source_mm[0] - still.source_mm[0], (-0.2, 0, 0))
        assert np.allclose(moved.detector_mm[0] - still.detector_mm[0], (-0.2, 0, 0))
        window = read_projections(flexray(tmp_path, **motors, **roi)).geometry
        assert np.allclose(window.detector_mm[0], (1.5, 100, 3 + 10 * 0.0748))

    def test_detector_window_shifts_the_centre(self, tmp_path: Path) -> None:
        path = flexray(tmp_path, tra_det="0", **{"ROI (LTRB)": "981,0,981,1534"})
        assert np.allclose(
            read_projections(path).geometry.detector_mm[0], (10 * 0.0748, 100, 0), atol=1e-12
        )

    def test_last_image_can_be_missing_in_the_settings(self, tmp_path: Path) -> None:
        settings = {"# projections": str(N - 1), "last angle": "360"}
        assert read_projections(flexray(tmp_path, **settings)).n_views == N - 1
        with pytest.raises(GeometryError, match="found 12 projections, but the settings state 10"):
            read_projections(flexray(tmp_path, **{"# projections": str(N - 2)}))

    def test_turn_with_both_ends_uses_one(self, tmp_path: Path) -> None:
        data = read_projections(flexray(tmp_path, **{"last angle": "360"}))
        assert data.n_views == N - 1

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"SOD": "300"}, "the axis must be between the source"),
            ({"SOD": "-1"}, "'sod' is -1, expected more than 0"),
            ({"SDD": "far"}, "'sdd' is 'far', expected a number"),
            ({"voxel size": ""}, "'voxel size' is missing"),
            ({"Binned pixel size": "130"}, r"the voxel size, SOD and SDD result in 0\.1 mm"),
            ({"ROI (LTRB)": "1,2,3"}, "expected four numbers"),
            ({"last angle": "6.2"}, "In radians they span 355.2°"),
            ({"last angle": "0"}, "the same angle"),
        ],
    )
    def test_fault_of_vectors_gives_one_sentence(
        self, tmp_path: Path, changes: dict[str, str], match: str
    ) -> None:
        with pytest.raises(EngineError, match=match) as refusal:
            read_projections(flexray(tmp_path, **changes))
        assert "scan settings.txt" in str(refusal.value)

    def test_flats_of_another_size_are_refused(self, tmp_path: Path) -> None:
        path = flexray(tmp_path)
        write_tiffs(tmp_path, "io", FLATS[:, :, :2])
        with pytest.raises(GeometryError, match="'flats' have 3 x 2 pixels"):
            read_projections(path)

    def test_open_beam_without_flats_is_unknown(self, tmp_path: Path) -> None:
        path = flexray(tmp_path)
        for image in tmp_path.glob("io*.tif"):
            image.unlink()
        data = read_projections(path)
        assert data.flats is None
        assert any("open beam is unknown" in note for note in data.notes)


class TestNikon:
    def test_nikon_counts_are_divided_by_the_white_level(self, tmp_path: Path) -> None:
        data = read_projections(nikon(tmp_path))
        assert data.kind == "transmission"
        assert np.allclose(data.values, counts() / 4000)

    def test_nikon_columns_grow_to_the_left_of_the_source_and_rows_down(
        self, tmp_path: Path
    ) -> None:
        geometry = read_projections(nikon(tmp_path)).geometry
        assert np.allclose(geometry.source_mm[0], (0, -100, 0))
        pixels = geometry.project([(0.1, 0, 0), (0, 0, 0.1)])[0] - (2, 1)
        assert np.allclose(pixels, [(-0.1 * 4 / 0.2, 0), (0, -0.1 * 4 / 0.25)])
        assert geometry.angles_rad[1] - geometry.angles_rad[0] == pytest.approx(np.deg2rad(STEP))

    def test_off_centre_axis_moves_source_and_detector(self, tmp_path: Path) -> None:
        data = read_projections(nikon(tmp_path, ObjectOffsetX="0.3"))
        assert np.allclose(data.geometry.source_mm[0], (0.3, -100, 0))
        assert np.allclose(data.geometry.detector_mm[0], (0.3, 300, 0))
        assert any("check the rotation axis" in note for note in data.notes)

    def test_old_file_states_the_axis_on_the_detector(self, tmp_path: Path) -> None:
        changes = {"ObjectOffsetX": "", "CentreOfRotationTop": "1", "CentreOfRotationBottom": "1"}
        geometry = read_projections(nikon(tmp_path, **changes)).geometry
        assert np.allclose(geometry.source_mm[0], (0.25, -100, 0))

    def test_tilted_axis_is_set_upright(self, tmp_path: Path) -> None:
        data = read_projections(nikon(tmp_path, ObjectRoll="2"))
        lean = np.deg2rad(2)
        u = data.geometry.u_mm[0] / 0.2
        assert np.allclose(u, (-np.cos(lean), 0, -np.sin(lean)), atol=1e-12)
        assert np.allclose(
            data.geometry.angles_rad, read_projections(nikon(tmp_path)).geometry.angles_rad
        )
        assert any("a roll of 2°" in note for note in data.notes)

    def test_old_file_states_the_tilt_by_both_ends_of_the_axis(self, tmp_path: Path) -> None:
        ends = {"ObjectRoll": "", "CentreOfRotationTop": "0.01", "CentreOfRotationBottom": "-0.01"}
        lean = -np.arctan2(0.02, 3 * 0.25)
        old = read_projections(nikon(tmp_path, **ends)).geometry
        new = read_projections(nikon(tmp_path, ObjectRoll=f"{np.rad2deg(lean)}")).geometry
        assert np.allclose(old.u_mm, new.u_mm)

    def test_scanner_moves_with_the_axis_when_it_is_set_upright(self, tmp_path: Path) -> None:
        """The top of the tilted axis is away from the source, so upright the source is lower."""
        geometry = read_projections(nikon(tmp_path, ObjectRoll="2", ObjectTilt="5")).geometry
        source, detector = geometry.source_mm[0], geometry.detector_mm[0]
        u, v = geometry.u_mm[0] / 0.2, geometry.v_mm[0] / 0.25
        along = (detector - source) / 400
        assert np.allclose(np.stack([u, along, v]) @ np.stack([u, along, v]).T, np.eye(3))
        lean, tilt = np.deg2rad((2, 5))
        assert source[2] == pytest.approx(-100 * np.cos(lean) * np.sin(tilt))
        assert np.allclose(source + 100 * along, 0, atol=1e-9)

    def test_shifted_detector_is_read(self, tmp_path: Path) -> None:
        shifted = {"DetectorOffsetX": "0.5", "DetectorOffsetY": "0.75", "ObjectOffsetX": "0.3"}
        geometry = read_projections(nikon(tmp_path, **shifted)).geometry
        assert np.allclose(geometry.detector_mm[0], (0.8, 300, 0.75))

    def test_first_angle_counts_from_the_source_at_minus_y(self, tmp_path: Path) -> None:
        upright = read_projections(nikon(tmp_path)).geometry
        turned = read_projections(nikon(tmp_path, InitialAngle="210")).geometry
        assert np.allclose(turned.source_mm, upright.rotated(np.deg2rad(30)).source_mm)
        (tmp_path / "bean.ang").write_text("".join(f"{k}:\t{k * STEP}\n" for k in range(N)))
        listed = read_projections(nikon(tmp_path, InitialAngle="210")).geometry
        assert np.allclose(listed.source_mm, turned.source_mm)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            (
                "bean_ctdata.txt",
                "Projs\tmm\n12\t0.1\nProjection\tAngle\tTime\n"
                + "".join(f"{k + 1}\t{180 - STEP * k:.3f}\t0\n" for k in range(N)),
            ),
            ("bean.ang", "Proj\tAngle(deg)\n" + "".join(f"{k}:\t{k * STEP}\n" for k in range(N))),
        ],
    )
    def test_measured_angles_confirm_the_planned_ones(
        self, tmp_path: Path, name: str, text: str
    ) -> None:
        path = nikon(tmp_path)
        planned = read_projections(path).geometry
        (tmp_path / name).write_text(text)
        assert np.allclose(read_projections(path).geometry.source_mm, planned.source_mm)

    @pytest.mark.parametrize(
        ("rows", "match"),
        [
            (N - 1, "11 angles, but bean.xtekct states 12"),
            (N, "differ by up to 319° from those planned in bean.xtekct"),
        ],
    )
    def test_measured_angles_of_another_scan_are_refused(
        self, tmp_path: Path, rows: int, match: str
    ) -> None:
        path = nikon(tmp_path)
        (tmp_path / "bean.ang").write_text("".join(f"{k + 1}\t{k}\n" for k in range(rows)))
        with pytest.raises(GeometryError, match=match):
            read_projections(path)

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"DetectorPixelsX": "6"}, "3 x 5 pixels, but the settings state 3 x 6"),
            ({"Projections": "13"}, "only 12 of 13 projections"),
            ({"Projections": "10"}, "found 12 projections, but the settings state 10"),
            ({"WhiteLevel": "0"}, "'whitelevel' is 0"),
            (
                {"WhiteLevel": "1"},
                "reach 1,179, expected at most about 1 for the kind 'transmission'",
            ),
            ({"Name": "pea"}, None),
            ({"InputFolderName": "../elsewhere"}, "only files in the same folder"),
        ],
    )
    def test_fault_of_vectors_gives_one_sentence(
        self, tmp_path: Path, changes: dict[str, str], match: str | None
    ) -> None:
        path = nikon(tmp_path, **changes)
        if match is None:
            assert read_projections(path).n_views == N  # the only stack in the folder
            return
        with pytest.raises(EngineError, match=match):
            read_projections(path)

    def test_two_stacks_are_refused(self, tmp_path: Path) -> None:
        path = nikon(tmp_path, Name="pea")
        write_tiffs(tmp_path, "flat_", FLATS)
        with pytest.raises(FileFormatError, match="2 series of numbered TIFF images"):
            read_projections(path)


class TestBruker:
    def test_bruker_transmissions_are_fractions_of_full_scale(self, tmp_path: Path) -> None:
        data = read_projections(bruker(tmp_path))
        assert data.kind == "transmission"
        assert np.allclose(data.values, counts() / 65535)

    def test_bruker_pixels_and_sense_of_rotation_are_read(self, tmp_path: Path) -> None:
        geometry = read_projections(bruker(tmp_path)).geometry
        assert geometry.pixel_size_mm == pytest.approx((0.01, 0.005))
        turned = np.diff(np.unwrap(geometry.angles_rad))
        assert np.allclose(turned, -np.deg2rad(15))
        clockwise = read_projections(bruker(tmp_path, **{"Rotation Direction": "CW"})).geometry
        assert np.allclose(np.diff(np.unwrap(clockwise.angles_rad)), np.deg2rad(15))

    def test_source_and_camera_are_on_opposite_sides(self, tmp_path: Path) -> None:
        geometry = read_projections(bruker(tmp_path)).geometry
        assert np.allclose(geometry.source_mm[0], (0, -40, 0))
        assert np.allclose(geometry.detector_mm[0], (0, 160, 0))
        pixels = geometry.project([(0.001, 0, 0), (0, 0, 0.001), (0, 0, 0)])[0]
        # columns increase to the right of the source, rows downwards
        assert pixels[0, 0] > pixels[2, 0]
        assert pixels[1, 1] < pixels[2, 1]

    def test_optical_axis_is_level_with_the_source(self, tmp_path: Path) -> None:
        # counted from the bottom, so this is row 0
        path = bruker(tmp_path, **{"Optical Axis (line)": "2"})
        pixels = read_projections(path).geometry.project((0, 0, 0))
        assert np.allclose(pixels, (2, 0))

    def test_log_can_count_one_file_more(self, tmp_path: Path) -> None:
        assert read_projections(bruker(tmp_path, **{"Number of Files": "13"})).n_views == N

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"Number of Files": "20"}, "only 12 of 19 projections"),
            ({"Number of Files": "9"}, "found 12 projections, but the settings state 9"),
            ({"Number of Columns": "9"}, "3 x 5 pixels, but the settings state 3 x 9"),
            ({"Filename Prefix": "cat"}, "0 series of TIFF images such as cat0000.tif"),
            ({"Depth (bits)": "77"}, "expected 8, 10, 12, 14 or 16"),
            ({"Object to Source (mm)": "400"}, "the axis must be between the source"),
        ],
    )
    def test_fault_of_vectors_gives_one_sentence(
        self, tmp_path: Path, changes: dict[str, str], match: str
    ) -> None:
        with pytest.raises(EngineError, match=match):
            read_projections(bruker(tmp_path, **changes))

    def test_two_logs_are_refused(self, tmp_path: Path) -> None:
        bruker(tmp_path)
        (tmp_path / "fish~00.log").write_text((tmp_path / "fish.log").read_text())
        with pytest.raises(FileFormatError, match=r"the settings of 2 scans \(fish.log, fish~00"):
            read_projections(tmp_path)


class TestAstraVectors:
    def _vectors(self, n: int = N, rows: int = ROWS, columns: int = COLUMNS) -> np.ndarray:
        angles = np.arange(n) * 2 * np.pi / N
        return to_astra_vectors(
            circular_cone(
                angles,
                source_axis_mm=60,
                source_detector_mm=100,
                shape=(rows, columns),
                pixel_mm=0.1,
            )
        )

    def test_astra_vectors_are_read_with_their_images(self, tmp_path: Path) -> None:
        vectors = self._vectors()
        np.savetxt(tmp_path / "scan.geom", vectors)
        write_tiffs(tmp_path, "proj", counts())
        data = read_projections(tmp_path)
        assert np.allclose(to_astra_vectors(data.geometry), vectors)
        assert np.array_equal(data.values, counts())
        assert data.kind == "counts"

    def test_walnut_scan_is_rotated_and_reversed(self, tmp_path: Path) -> None:
        """The last vector repeats the first. The first file belongs to the last vector."""
        np.savetxt(tmp_path / "scan_geom_corrected.geom", self._vectors(N + 1, COLUMNS, ROWS))
        images = counts(N + 1)
        write_tiffs(tmp_path, "scan_", images)
        write_tiffs(tmp_path, "io", FLATS)
        write_tiffs(tmp_path, "di", DARKS)
        data = read_projections(tmp_path)
        assert data.shape == (N, COLUMNS, ROWS)
        for view in (0, 1, N - 1):
            assert np.array_equal(data.values[view], np.flipud(images[N - view]).T)
        assert data.flats is not None
        assert data.flats.shape == (2, COLUMNS, ROWS)
        assert data.info["flat_views"] == [N, 0]  # the first file is the last view
        assert data.calibrated

    @pytest.mark.parametrize(
        ("edit", "match"),
        [
            (lambda v: v[:-1], "projections is 12, but the number of angles is 11"),
            (lambda v: v[:, :11], None),
            (lambda v: v * np.nan, "must contain 12 finite"),
            (lambda v: v * 1e6, "convert the lengths to mm"),
        ],
    )
    def test_fault_of_vectors_gives_one_sentence(
        self, tmp_path: Path, edit: Callable[[np.ndarray], np.ndarray], match: str | None
    ) -> None:
        np.savetxt(tmp_path / "scan.geom", edit(self._vectors()))
        write_tiffs(tmp_path, "proj", counts())
        wrong = UnknownFormatError if match is None else EngineError
        with pytest.raises(wrong, match=match):
            read_projections(tmp_path / "scan.geom")
