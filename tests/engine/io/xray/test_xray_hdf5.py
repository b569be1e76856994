"""Tests of Data Exchange and NXtomo: contents, links, refusal of every fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import DataError, EngineError, FileFormatError, GeometryError
from engine.geometry.orbits import circular_cone
from engine.io import inspect, read_projections, write_projections
from tests.engine.io.xray.xray_files import (
    COLUMNS,
    DARKS,
    FLATS,
    KEYS,
    ROWS,
    N,
    counts,
    dxchange,
    nxtomo,
)


class TestDataExchange:
    def test_data_exchange_has_counts_flats_darks_and_angles(self, tmp_path: Path) -> None:
        data = read_projections(dxchange(tmp_path))
        assert data.kind == "counts"
        assert np.array_equal(data.values, counts())
        assert data.flats is not None
        assert np.array_equal(data.flats, FLATS)
        assert data.darks is not None
        assert np.array_equal(data.darks, DARKS)
        assert not data.pixel_mm_known
        assert "the pixel size is unknown and set to 1 mm" in data.notes[-1]

    def test_columns_follow_x_cos_plus_y_sin_and_rows_go_down(self, tmp_path: Path) -> None:
        geometry = read_projections(dxchange(tmp_path)).geometry
        theta = np.arange(N) * np.pi / N
        pixels = geometry.project((1.5, -0.5, 0.75))
        assert np.allclose(pixels[:, 0], 2 + 1.5 * np.cos(theta) - 0.5 * np.sin(theta))
        assert np.allclose(pixels[:, 1], 1 - 0.75)

    def test_sinogram_order_is_transposed(self, tmp_path: Path) -> None:
        turned = counts().transpose(1, 0, 2)
        path = dxchange(tmp_path, data=turned, axes="y:theta:x")
        assert np.array_equal(read_projections(path).values, counts())

    def test_known_pixel_size_is_used(self, tmp_path: Path) -> None:
        path = dxchange(tmp_path)
        with h5py.File(path, "a") as file:
            where = "measurement/instrument/detection_system/objective/resolution"
            file[where] = 1.5
            file[where].attrs["units"] = "microns"
        data = read_projections(path)
        assert data.pixel_mm_known
        assert data.geometry.pixel_size_mm == pytest.approx((0.0015, 0.0015))

    def test_angles_default_to_even_steps_over_half_a_turn(self, tmp_path: Path) -> None:
        data = read_projections(dxchange(tmp_path, theta=None))
        assert np.allclose(np.diff(data.geometry.angles_rad[:6]), np.pi / N)
        assert "evenly spaced" in data.notes[0]

    def test_repeated_last_view_is_left_out(self, tmp_path: Path) -> None:
        data = read_projections(dxchange(tmp_path, theta=np.arange(N) * 360 / (N - 1)))
        assert data.n_views == N - 1
        assert np.array_equal(data.values, counts()[:-1])

    @pytest.mark.parametrize(
        ("values", "kind"),
        [(np.full((N, 1, 9), 1.0), "transmission"), (np.full((N, 1, 9), 0.01), "integrals")],
    )
    def test_kind_of_values_without_flats_is_recognised_from_air(
        self, tmp_path: Path, values: np.ndarray, kind: str
    ) -> None:
        values[:, :, 4] = 0.4
        path = dxchange(tmp_path, data=values.astype("f4"), data_white=None, data_dark=None)
        data = read_projections(path)
        assert data.kind == kind
        assert "the values look like" in data.notes[0]

    def test_written_scan_is_restored(self, tmp_path: Path) -> None:
        geometry = circular_cone(
            np.linspace(0, 6, N),
            source_axis_mm=100,
            source_detector_mm=150,
            shape=(ROWS, COLUMNS),
            pixel_mm=(0.5, 0.7),
            detector_shift_mm=(3.0, -1.0),
            roll_rad=0.01,
        )
        data = read_projections(dxchange(tmp_path))
        bad = np.zeros((ROWS, COLUMNS), bool)
        bad[1, 2] = True
        data = replace(
            data, geometry=geometry, bad_pixels=bad, pixel_mm_known=True, info={"voltage_kv": 60}
        )
        write_projections(data, tmp_path / "ours.h5")
        again = read_projections(tmp_path / "ours.h5")
        for name in ("values", "flats", "darks", "bad_pixels"):
            assert np.array_equal(getattr(again, name), getattr(data, name)), name
        for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
            assert np.array_equal(getattr(again.geometry, name), getattr(geometry, name)), name
        assert (again.kind, again.pixel_mm_known, again.info["voltage_kv"]) == ("counts", True, 60)

    def test_parallel_angles_are_written_as_read(self, tmp_path: Path) -> None:
        write_projections(read_projections(dxchange(tmp_path)), tmp_path / "ours.h5")
        with h5py.File(tmp_path / "ours.h5") as file:
            assert np.allclose(file["exchange/theta"][:], np.arange(N) * 180 / N)

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            (
                {"theta": np.deg2rad(np.arange(N) * 15.0)},
                r"span 2\.88° in degrees.*In radians they span 165°.*attribute `units`",
            ),
            (
                {"theta": np.arange(N) * 15.0, "units": "rad"},
                r"turns in radians.*In degrees they span 165°",
            ),
            ({"theta": np.arange(N - 2.0)}, "projections is 12, but the number of angles is 10"),
            ({"theta": np.zeros(N)}, "have the same angle"),
            (
                {"data_white": FLATS[:, :, 1:]},
                "'flats' have 3 x 4 pixels, but the projections have 3 x 5",
            ),
            ({"data_dark": DARKS[:, 1:]}, "'darks' have 2 x 5 pixels"),
            ({"data_white": 0 * FLATS}, "not brighter than the dark"),
            ({"data_white": DARKS, "data_dark": FLATS}, "empty or swapped"),
            ({"data": np.zeros((N, ROWS, COLUMNS))}, r"\(only zeros: 12, no numbers: 0\)"),
            ({"data": np.full((N, ROWS, COLUMNS), np.nan)}, "all values are NaN or infinite"),
            (
                {"data_white": np.full((1, ROWS, COLUMNS), np.nan)},
                "'flats' contain NaN or infinite values",
            ),
            ({"data": np.zeros((N, ROWS))}, "has 2 axes"),
            ({"axes": "x:y:theta"}, "expected theta:y:x"),
        ],
    )
    def test_fault_of_nxtomo_gives_one_sentence(
        self, tmp_path: Path, changes: dict[str, object], match: str
    ) -> None:
        with pytest.raises(EngineError, match=match) as refusal:
            read_projections(dxchange(tmp_path, **changes))
        text = str(refusal.value)
        assert "scan.h5" in text
        assert "\n" not in text

    def test_unusual_but_usable_values_give_a_note(self, tmp_path: Path) -> None:
        values = counts().astype(float)
        values[3] = 0
        values[:, 1, 1] = np.nan
        values[5, 0, 0] = np.inf
        flats = FLATS.copy()
        flats[:, 2, 4] = 50
        data = read_projections(dxchange(tmp_path, data=values, data_white=flats))
        message = " ".join(data.notes)
        assert "(values: 13, pixels without a number in any view: 1)" in message
        assert "1 of 15 pixels get no light" in message
        assert data.bad_pixels is not None
        assert np.argwhere(data.bad_pixels).tolist() == [[1, 1], [2, 4]]

    @pytest.mark.parametrize("top", [4095, 65535])
    def test_saturated_pixels_are_counted(self, tmp_path: Path, top: int) -> None:
        values = counts()
        values[:, 0, 0] = top
        notes = read_projections(dxchange(tmp_path, data=values)).notes
        assert any(f"12 values (0.067 of all) are saturated at {top}" in note for note in notes)

    @pytest.mark.parametrize("cut", [100, 2000])
    def test_truncated_file_is_refused(self, tmp_path: Path, cut: int) -> None:
        path = dxchange(tmp_path)
        size = path.stat().st_size
        path.write_bytes(path.read_bytes()[:-cut])
        message = (
            f"truncated HDF5 file, {size - cut:,} of {size:,} bytes are present; copy or export"
        )
        assert message in inspect(path).faults[0]

    def test_file_that_states_more_than_it_stores_is_refused(self, tmp_path: Path) -> None:
        path = dxchange(tmp_path, data=None)
        with h5py.File(path, "a") as file:
            file.create_dataset("exchange/data", (10**6, 1000, 1000), "u2", chunks=(1, 1000, 1000))
        with pytest.raises(FileFormatError, match="to 2,000,000,000,000 bytes"):
            read_projections(path)


class TestNxTomo:
    def test_image_key_separates_projections_flats_and_darks(self, tmp_path: Path) -> None:
        data = read_projections(nxtomo(tmp_path))
        assert np.array_equal(data.values, counts())
        assert data.flats is not None
        assert np.array_equal(data.flats, FLATS)
        assert data.darks is not None
        assert np.array_equal(data.darks, DARKS)
        assert data.geometry.pixel_size_mm == pytest.approx((0.002, 0.003))
        assert "1 images marked invalid" in data.notes[0]

    def test_radians_give_the_same_scan(self, tmp_path: Path) -> None:
        degrees = read_projections(nxtomo(tmp_path)).geometry
        radians = read_projections(nxtomo(tmp_path, angles=np.arange(N) * np.pi / N, units="rad"))
        assert np.allclose(degrees.u_mm, radians.geometry.u_mm)

    def test_radians_labelled_degrees_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"In radians they span 165°, .* attribute `units`"):
            read_projections(nxtomo(tmp_path, angles=np.arange(N) * np.pi / N))

    def _linked(self, tmp_path: Path, target: str) -> Path:
        """Write a scan with images and keys in another file, under other names."""
        whole = nxtomo(tmp_path)
        folder = tmp_path / "scan"
        folder.mkdir()
        (folder / "raw").mkdir()
        with h5py.File(whole) as source, h5py.File(folder / "raw" / "eye.h5", "w") as file:
            eye = source["entry1/tomo_entry/instrument/eye"]
            file["entry/frames"] = eye["data"][:]
            file["entry/keys"] = eye["image_key"][:]
        with h5py.File(folder / "scan.nxs", "w") as file:
            entry = file.create_group("entry")
            entry.attrs["NX_class"] = "NXentry"
            for name, nx_class in (("imaging", "NXdata"), ("instrument", "NXinstrument")):
                entry.create_group(name).attrs["NX_class"] = nx_class
            entry["imaging/data"] = h5py.ExternalLink(target, "/entry/frames")
            eye = entry.create_group("instrument/imaging")
            eye.attrs["NX_class"] = "NXdetector"
            eye["image_key"] = h5py.ExternalLink(target, "/entry/keys")
            angles = np.zeros(len(KEYS))
            angles[KEYS == 0] = np.arange(N) * 180 / N
            entry["imaging/gts_theta_value"] = angles
            entry["imaging/gts_theta_value"].attrs["units"] = "deg"
        return folder / "scan.nxs"

    def test_links_within_the_folder_are_followed(self, tmp_path: Path) -> None:
        data = read_projections(self._linked(tmp_path, "raw/eye.h5"))
        assert np.array_equal(data.values, counts())
        assert not data.pixel_mm_known

    @pytest.mark.parametrize("folder", ["..", "/elsewhere", "C:\\beamline"])
    def test_links_out_of_the_folder_are_searched_in_it(self, tmp_path: Path, folder: str) -> None:
        """Facilities write such master files. The HDF5 library also searches the folder."""
        path = self._linked(tmp_path, f"{folder}/eye.h5")
        with pytest.raises(FileFormatError, match=r"eye.h5', which is missing"):
            read_projections(path)
        (path.parent / "raw" / "eye.h5").rename(path.parent / "eye.h5")
        assert read_projections(path).n_views == N

    def test_symbolic_link_is_followed(self, tmp_path: Path) -> None:
        path = self._linked(tmp_path, "raw/eye.h5")
        eye = path.parent / "raw" / "eye.h5"
        eye.rename(tmp_path / "eye.h5")
        eye.symlink_to(tmp_path / "eye.h5")
        assert read_projections(path).n_views == N

    def test_missing_unused_file_is_ignored(self, tmp_path: Path) -> None:
        path = nxtomo(tmp_path)
        with h5py.File(path, "r+") as file:
            file["more"] = h5py.ExternalLink("gone.h5", "/entry")
        assert read_projections(path).n_views == N

    def test_missing_linked_file_is_named(self, tmp_path: Path) -> None:
        path = self._linked(tmp_path, "raw/nose.h5")
        with pytest.raises(FileFormatError, match=r"'raw/nose.h5', which is missing"):
            read_projections(path)

    @pytest.mark.parametrize(
        ("where", "values", "error", "match"),
        [
            (
                "instrument/eye/image_key",
                KEYS[:-1],
                FileFormatError,
                "16 entries, expected one for each of the 17 images",
            ),
            ("instrument/eye/image_key", KEYS + 3, FileFormatError, "contains 4, expected 0"),
            ("instrument/eye/image_key", 0 * KEYS + 1, DataError, "marks none of the 17 images"),
            ("instrument/eye/image_key", None, FileFormatError, "no image_key"),
            ("sample/rotation_angle", None, FileFormatError, "no rotation_angle"),
            (
                "sample/rotation_angle",
                np.arange(5.0),
                GeometryError,
                "projections is 17, but the number of angles is 5",
            ),
            ("instrument/eye/data", None, FileFormatError, "no images"),
        ],
    )
    def test_fault_of_nxtomo_gives_one_sentence(
        self,
        tmp_path: Path,
        where: str,
        values: np.ndarray | None,
        error: type[EngineError],
        match: str,
    ) -> None:
        path = nxtomo(tmp_path)
        with h5py.File(path, "a") as file:
            del file[f"entry1/tomo_entry/{where}"]
            if values is not None:
                file[f"entry1/tomo_entry/{where}"] = values
        with pytest.raises(error, match=match):
            read_projections(path)


@pytest.mark.parametrize("value", ["b2017b74-c39d", h5py.Empty("f8"), np.zeros((2, 2)), 1j])
def test_invalid_pixel_size_leaves_the_pixel_unknown(tmp_path: Path, value: object) -> None:
    path = nxtomo(tmp_path)
    with h5py.File(path, "a") as file:
        del file["entry1/tomo_entry/instrument/eye/x_pixel_size"]
        file["entry1/tomo_entry/instrument/eye/x_pixel_size"] = value
    data = read_projections(path)
    assert data.n_views == N
    assert not data.pixel_mm_known


@pytest.mark.parametrize("shape", [(-1, 1), (1, -1)])
def test_angles_of_nxtomo_can_be_a_row_or_column_in_any_order(
    tmp_path: Path, shape: tuple[int, int]
) -> None:
    turned = np.array([0, 45, 90, 135, 15, 60, 105, 150, 30, 75, 120, 165.0])
    path = nxtomo(tmp_path, angles=turned)
    place = "entry1/tomo_entry/sample/rotation_angle"
    with h5py.File(path, "a") as file:
        stored = file[place][()].reshape(shape)
        del file[place]
        file[place] = stored
        file[place].attrs["units"] = "deg"
    # the first source position is at -y
    found = np.rad2deg(read_projections(path).geometry.angles_rad) + 90
    assert np.allclose(found % 360, turned)
