"""Tests of version 2 sidecars: sense of rotation, scale, images in several files and folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

from engine.core.errors import EngineError, FileFormatError
from engine.io import read_projections
from engine.io.input_files import files_behind
from tests.engine.io.xray.test_xray_sidecar import write
from tests.engine.io.xray.xray_files import DARKS, FLATS, STEP, N, counts, write_tiffs

MINIMAL: dict[str, Any] = {"version": 2, "flats": None, "darks": None}
STACK: dict[str, Any] = {"version": 2, "file": None, "dtype": None, "flats": None, "darks": None}
TURNED = {"values": [127.0 + k * STEP for k in range(N)]}


def source_degrees(path: Path) -> np.ndarray[Any, Any]:
    """Return the angle of the source in each view [°], from 0 to 360."""
    return np.rad2deg(read_projections(path).geometry.angles_rad) % 360


class TestSense:
    @pytest.mark.parametrize("clockwise", [False, True])
    @pytest.mark.parametrize(
        "angles",
        [
            {"first": 127.0, "step": STEP},
            TURNED,
            {"first": 127.0, "values": [5.0 + k * STEP for k in range(N)]},
            {"first": np.deg2rad(127.0), "step": np.deg2rad(STEP), "unit": "rad"},
        ],
    )
    def test_source_starts_at_the_first_angle_for_either_rotation(
        self, tmp_path: Path, angles: dict[str, Any], clockwise: bool
    ) -> None:
        path = write(tmp_path, {"angles": angles, "clockwise": clockwise}, **MINIMAL)
        expected = 127.0 + (-1 if clockwise else 1) * STEP * np.arange(N)
        assert np.allclose(source_degrees(path), expected % 360)
        assert not any("version" in note for note in read_projections(path).notes)

    @pytest.mark.parametrize("angles", [{"first": 127.0, "step": STEP}, TURNED])
    def test_version_1_is_read_with_its_old_meaning_and_a_note(
        self, tmp_path: Path, angles: dict[str, Any]
    ) -> None:
        old = write(tmp_path, {"angles": angles, "clockwise": True}, **{**MINIMAL, "version": 1})
        found = source_degrees(old)
        assert np.allclose(found, (-127.0 - STEP * np.arange(N)) % 360)
        (note,) = (each for each in read_projections(old).notes if "version 1" in each)
        assert "at -127 degrees in view 0; write version = 2 and first = -127 to" in note
        retained = {"angles": {**angles, "first": -127.0}, "clockwise": True}
        assert np.allclose(source_degrees(write(tmp_path, retained, **MINIMAL)), found)

    def test_version_1_gives_no_note_without_a_difference(self, tmp_path: Path) -> None:
        for first, clockwise in ((0.0, True), (180.0, True), (127.0, False)):
            angles = {"first": first, "step": STEP}
            path = write(tmp_path, {"angles": angles, "clockwise": clockwise})
            assert not any("version" in note for note in read_projections(path).notes)


class TestScale:
    @pytest.mark.parametrize(("scale", "kind"), [(1e-3, "integrals"), (-1e-3, "integrals")])
    def test_logarithms_of_other_units_are_converted(
        self, tmp_path: Path, scale: float, kind: str
    ) -> None:
        data = read_projections(write(tmp_path, kind=kind, scale=scale, **MINIMAL))
        assert np.allclose(data.values, counts() * scale)
        assert data.info["scale"] == scale

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"scale": 0.5}, "scale cannot be used with counts"),
            ({"scale": 0.0, "kind": "integrals"}, "must not be 0"),
            ({"scale": 2.0, "kind": "transmission", "white_level": 9.0}, "cannot be used together"),
            ({"kind": "integrals"}, "Correct the kind, or set `scale`"),
        ],
    )
    def test_impossible_scale_is_refused(
        self, tmp_path: Path, changes: dict[str, Any], match: str
    ) -> None:
        with pytest.raises(EngineError, match=match):
            read_projections(write(tmp_path, **MINIMAL | changes))


class TestFiles:
    def test_list_of_raw_files_is_one_scan(self, tmp_path: Path) -> None:
        path = write(tmp_path, **MINIMAL | {"file": ["a.raw", "b/c.raw"]}, reverse=True)
        (tmp_path / "b").mkdir()
        counts()[:5].astype("<u2").tofile(tmp_path / "a.raw")
        counts()[5:].astype("<u2").tofile(tmp_path / "b" / "c.raw")
        assert np.array_equal(read_projections(path).values, counts()[::-1])
        counts()[6:].astype("<u2").tofile(tmp_path / "b" / "c.raw")
        with pytest.raises(FileFormatError, match="the sidecar states 12 x 3 x 5"):
            read_projections(path)

    @pytest.mark.parametrize("named", [{"files": "views/p_"}, {"files": "views/"}])
    def test_flats_in_another_folder_and_as_single_files_are_read(
        self, tmp_path: Path, named: dict[str, Any]
    ) -> None:
        for folder in ("views", "white", "dark"):
            (tmp_path / folder).mkdir()
        write_tiffs(tmp_path / "views", "p_", counts())
        for name, image in zip(("before", "after"), FLATS, strict=True):
            tifffile.imwrite(tmp_path / "white" / f"{name}.tif", image)
        tifffile.imwrite(tmp_path / "dark" / "d.tif", DARKS[0])
        references = {"flats": ["white/before.tif", "white/after.tif"], "darks": "dark/"}
        path = write(tmp_path, **{**STACK, **named, **references})
        dropped = (path, tmp_path, tmp_path / "views", tmp_path / "views" / "p_000003.tif")
        for each in dropped:
            data = read_projections(each)
            assert np.array_equal(data.values, counts())
            assert data.flats is not None
            assert np.array_equal(data.flats, FLATS)
            assert data.darks is not None
            assert len(data.darks) == 1
        inside = set(tmp_path.rglob("*.tif"))
        assert inside | {path} <= set(files_behind(path))
        assert path in files_behind(tmp_path / "white" / "after.tif")

    def test_folder_of_two_stacks_and_an_empty_one_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "views").mkdir()
        path = write(tmp_path, **STACK, files="views/")
        with pytest.raises(FileFormatError, match=r"no TIFF images such as views/0000\.tif"):
            read_projections(path)
        for stack in "ab":
            write_tiffs(tmp_path / "views", stack, counts())
        with pytest.raises(
            FileFormatError, match=r"2 image stacks .* one of them, such as views/a"
        ):
            read_projections(path)

    def test_two_sidecars_of_one_image_are_refused(self, tmp_path: Path) -> None:
        other = write(tmp_path, **MINIMAL).rename(tmp_path / "other.toml")
        write(tmp_path, **MINIMAL)
        with pytest.raises(FileFormatError, match="found 2 matching sidecars"):
            read_projections(tmp_path / "scan.raw")
        assert read_projections(other).n_views == N

    @pytest.mark.parametrize("name", ["../up.raw", "/up.raw", "a//b.raw", "a/./b.raw", "a\\b.raw"])
    def test_names_point_only_into_the_folder(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(EngineError, match="or below it are opened"):
            read_projections(write(tmp_path, **MINIMAL | {"file": name}))


class TestAngleLists:
    def write(self, folder: Path, **more: Any) -> Path:
        """Write angles of two flats, six views, two darks and six more views."""
        views = [k * STEP for k in range(N)]
        lines = [0.0, 0.0, *views[:6], 150.0, 150.0, *views[6:]]
        (folder / "angles.txt").write_text("".join(f"{each}\n" for each in lines))
        return write(folder, {"angles": {"file": "angles.txt", **more}}, version=2)

    def test_angles_of_flats_and_darks_are_left_out(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, leave_out=[[0, 1], [8, 9]])
        assert np.allclose(source_degrees(path), STEP * np.arange(N))

    def test_wrong_number_of_angles_is_explained(self, tmp_path: Path) -> None:
        with pytest.raises(EngineError, match=r"16 angles for 12 .* leave_out = \[\[0, 3\]\] if"):
            read_projections(self.write(tmp_path))
        with pytest.raises(EngineError, match="ends at angle 20, but the last angle is 15"):
            read_projections(self.write(tmp_path, leave_out=[[0, 20]]))
        with pytest.raises(EngineError, match="pairs of a first and a last number"):
            read_projections(self.write(tmp_path, leave_out=[[3, 2]]))
