"""Tests of NIfTI: positions in every reader, reproducible bytes, refusal of damage."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import nibabel
import numpy as np
import pytest

from engine.core.errors import DataError, EngineError, FileFormatError, GeometryError, ResourceError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.io.auxiliary.provenance_file import found_sidecar, sidecar_path
from engine.io.volumes.straight_axes import straightened

MARKERS = {1: (30.0, 0.0, 0.0), 2: (0.0, 20.0, 0.0), 3: (0.0, 0.0, 10.0)}
"""Position of each value, as in conftest: value -> (x, y, z) [mm, LPS]."""
SUFFIXES = [".nii", ".nii.gz"]


def write(path: Path, values: np.ndarray, affine: np.ndarray) -> Path:
    nibabel.save(nibabel.Nifti1Image(values, affine), path)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
class TestWriting:
    def test_nibabel_finds_the_markers_at_their_ras_positions(
        self, tmp_path: Path, phantom: Volume, suffix: str
    ) -> None:
        save(phantom, tmp_path / f"a{suffix}")
        image = nibabel.load(tmp_path / f"a{suffix}")
        for affine in (image.get_sform(), image.get_qform()):
            for value, (x, y, z) in MARKERS.items():
                index = np.argwhere(image.get_fdata() == value)[0]
                found = (affine @ [*index, 1])[:3]
                # within half a voxel
                assert (np.abs(found - [-x, -y, z]) <= np.array(phantom.grid.voxel_mm) / 2).all()

    def test_header_has_units_and_orientation(
        self, tmp_path: Path, phantom: Volume, suffix: str
    ) -> None:
        save(phantom, tmp_path / f"a{suffix}")
        header = nibabel.load(tmp_path / f"a{suffix}").header
        assert (int(header["sform_code"]), int(header["qform_code"])) == (1, 1)
        assert header.get_xyzt_units() == ("mm", "sec")
        assert header.get_data_dtype() == np.float32
        assert header.get_zooms() == (2.0, 2.5, 4.0)

    def test_volume_is_restored(self, tmp_path: Path, phantom: Volume, suffix: str) -> None:
        save(phantom, tmp_path / f"a{suffix}", {"algorithm": "osem"})
        again = read_volume(tmp_path / f"a{suffix}")
        np.testing.assert_array_equal(again.values, phantom.values)
        assert again.grid == phantom.grid
        assert (again.unit, again.info) == ("counts/mm", {"algorithm": "osem"})
        assert again.values.dtype == np.float32
        assert again.values.flags.c_contiguous

    def test_same_volume_gives_the_same_bytes(
        self, tmp_path: Path, phantom: Volume, suffix: str
    ) -> None:
        save(phantom, tmp_path / f"a{suffix}")
        save(phantom, tmp_path / f"b{suffix}")
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()

    def test_provenance_is_written_next_to_the_volume(
        self, tmp_path: Path, phantom: Volume, suffix: str
    ) -> None:
        save(phantom, tmp_path / f"a{suffix}", {"z": 1, "a": float("nan"), "p": Path("x")})
        text = sidecar_path(tmp_path / f"a{suffix}").read_text()
        content = json.loads(text, parse_constant=pytest.fail)
        assert content["provenance"] == {"a": "nan", "p": "x", "z": 1}
        digest = sha256((tmp_path / f"a{suffix}").read_bytes()).hexdigest()
        assert content["sha256"] == digest
        assert text.index('"a"') < text.index('"p"') < text.index('"z"')

    def test_volume_with_nan_is_not_written(
        self, tmp_path: Path, phantom: Volume, suffix: str
    ) -> None:
        phantom.values[1, 2, 3] = np.nan
        with pytest.raises(DataError, match=r"\[1, 2, 3\]"):
            save(phantom, tmp_path / f"a{suffix}")
        assert not list(tmp_path.iterdir())


def test_gzip_header_has_no_time_and_no_name(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.nii.gz")
    head = (tmp_path / "a.nii.gz").read_bytes()[:10]
    assert (head[3], head[4:8]) == (0, bytes(4))


class TestSidecar:
    """The provenance next to a volume is used only if it belongs to this volume."""

    @pytest.fixture
    def path(self, tmp_path: Path, phantom: Volume) -> Path:
        save(phantom, tmp_path / "a.nii", {"of": "a"})
        return tmp_path / "a.nii"

    def test_changed_volume_is_refused(self, path: Path, phantom: Volume) -> None:
        save(replace(phantom, values=2 * phantom.values), path.with_name("b.nii"), {"of": "b"})
        path.write_bytes(path.with_name("b.nii").read_bytes())
        with pytest.raises(FileFormatError, match=r"a\.nii: .* so it has been changed. .* remove"):
            read_volume(path)
        sidecar_path(path).unlink()
        assert read_volume(path).info == {}

    @pytest.mark.parametrize(
        ("old", "new", "sentence"),
        [
            ('"of": "a"', '"of": "b"', r"checksum does not match"),
            ('"unit": "counts/mm"', '"unit": "1/mm"', r"checksum does not match"),
            ('"seal"', '"sdal"', r"checksum does not match"),
            ('"provenance": {', '"provenance" {', r"is damaged.* remove a\.nii\.provenance\.json"),
        ],
    )
    def test_changed_sidecar_is_refused(
        self, path: Path, old: str, new: str, sentence: str
    ) -> None:
        sidecar = sidecar_path(path)
        assert old in sidecar.read_text()
        sidecar.write_text(sidecar.read_text().replace(old, new))
        with pytest.raises(FileFormatError, match=sentence):
            read_volume(path)

    def test_volume_and_sidecar_can_be_renamed_together(self, path: Path) -> None:
        path.rename(path.with_name("b.nii"))
        sidecar_path(path).rename(sidecar_path(path.with_name("b.nii")))
        assert read_volume(path.with_name("b.nii")).info == {"of": "a"}

    def test_compressed_and_uncompressed_volume_of_one_name_have_separate_sidecars(
        self, path: Path, phantom: Volume
    ) -> None:
        save(replace(phantom, values=2 * phantom.values), path.with_name("a.nii.gz"), {"of": "gz"})
        assert read_volume(path).info == {"of": "a"}
        assert read_volume(path.with_name("a.nii.gz")).info == {"of": "gz"}

    def test_sidecar_with_the_name_of_older_versions_is_found(self, path: Path) -> None:
        sidecar_path(path).rename(path.with_name("a.provenance.json"))
        assert read_volume(path).info == {"of": "a"}

    def test_sidecar_of_another_file_is_ignored(self, path: Path, phantom: Volume) -> None:
        other = path.with_name("b.nii.gz")
        save(replace(phantom, values=2 * phantom.values), other, {"of": "b"})
        sidecar_path(other).replace(sidecar_path(path))
        found = read_volume(path)
        assert found.info == {}
        assert "belongs to 'b.nii.gz'" in found.notes[0]

    def test_sidecar_without_a_seal_is_used_with_a_note(self, path: Path) -> None:
        sidecar = sidecar_path(path)
        content = json.loads(sidecar.read_text())
        del content["seal"], content["format"]
        sidecar.write_text(json.dumps(content))
        found = read_volume(path)
        assert found.info == {"of": "a"}
        assert "has no checksum" in found.notes[0]

    def test_volume_and_sidecar_are_replaced_together(self, path: Path, phantom: Volume) -> None:
        """If the disk is too full for the new volume, the old one and its provenance stay."""
        resource = pytest.importorskip("resource", reason="file size limits need POSIX")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            with pytest.raises(ResourceError, match="nothing was changed"):
                save(phantom, path, {"of": "b"})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert read_volume(path).info == {"of": "a"}


@pytest.mark.parametrize("flips", [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, -1)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_any_axis_order_and_direction_is_straightened(
    tmp_path: Path, phantom: Volume, flips: tuple[int, ...], order: tuple[int, ...]
) -> None:
    """The same volume, stored along other axes, is read as the same LPS volume."""
    save(phantom, tmp_path / "a.nii")
    image = nibabel.load(tmp_path / "a.nii")
    other = image.as_reoriented(np.column_stack([order, flips]).astype(float))
    again = read_volume(write(tmp_path / "b.nii", other.get_fdata(dtype=np.float32), other.affine))
    np.testing.assert_array_equal(again.values, phantom.values)
    np.testing.assert_allclose(again.grid.voxel_mm, phantom.grid.voxel_mm)
    np.testing.assert_allclose(again.grid.centre_mm, phantom.grid.centre_mm)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float64])
def test_other_number_types_become_float32(tmp_path: Path, dtype: type) -> None:
    values = np.arange(24, dtype=dtype).reshape(2, 3, 4)
    volume = read_volume(write(tmp_path / "a.nii", values, np.eye(4)))
    assert volume.values.dtype == np.float32
    assert sorted(volume.values.ravel()) == list(range(24))
    assert volume.unit == ""


def test_scaled_values_are_unscaled(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(np.full((2, 2, 2), 10, np.int16), np.eye(4))
    image.header.set_slope_inter(0.5, 1)
    content = bytearray(image.to_bytes())
    (tmp_path / "a.nii").write_bytes(bytes(content))
    reread = nibabel.load(tmp_path / "a.nii")
    expected = float(reread.get_fdata()[0, 0, 0])
    assert read_volume(tmp_path / "a.nii").values[0, 0, 0] == expected


def test_single_frame_of_four_axes_is_a_volume(tmp_path: Path) -> None:
    path = write(tmp_path / "a.nii", np.ones((2, 3, 4, 1), np.float32), np.eye(4))
    assert read_volume(path).grid.shape == (4, 3, 2)


@pytest.mark.parametrize(
    ("values", "affine", "kind", "message"),
    [
        (np.ones((2, 2, 2, 1, 3), np.float32), np.eye(4), GeometryError, "2 × 2 × 2 × 1 × 3"),
        (np.ones((2, 2), np.float32), np.eye(4), GeometryError, "2 × 2 values"),
        (np.ones((2, 2, 2), np.complex64), np.eye(4), FileFormatError, "complex64"),
    ],
)
def test_invalid_volume_is_refused(
    tmp_path: Path, values: np.ndarray, affine: np.ndarray, kind: type[EngineError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        read_volume(write(tmp_path / "a.nii", values, affine))


def test_volume_without_orientation_is_refused(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(np.ones((2, 2, 2), np.float32), np.eye(4))
    image.set_sform(None, 0)
    image.set_qform(None, 0)
    nibabel.save(image, tmp_path / "a.nii")
    with pytest.raises(GeometryError, match="states no orientation"):
        read_volume(tmp_path / "a.nii")


def test_infinite_values_are_counted(tmp_path: Path) -> None:
    values = np.ones((4, 3, 2), np.float32)
    values[-2:, -1, 1] = np.inf  # x and y of RAS: the LPS index counts from the other end
    with pytest.raises(DataError, match=r"a\.nii: 2 of 24 values .* \[z, y, x\] = \[1, 0, 0\]"):
        read_volume(write(tmp_path / "a.nii", values, np.eye(4)))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("size", [1, 0.01, 0.1, 0.5, 0.9, -1])
def test_truncated_file_is_refused(
    tmp_path: Path, phantom: Volume, suffix: str, size: float
) -> None:
    save(phantom, tmp_path / f"a{suffix}")
    content = (tmp_path / f"a{suffix}").read_bytes()
    n = int(size * len(content)) if isinstance(size, float) else size
    (tmp_path / f"a{suffix}").write_bytes(content[:n])
    with pytest.raises(FileFormatError, match=rf"a{suffix}"):
        read_volume(tmp_path / f"a{suffix}")


def test_flipped_bit_in_a_compressed_file_is_detected(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.nii.gz")
    content = bytearray((tmp_path / "a.nii.gz").read_bytes())
    content[-6] ^= 1  # in the checksum at the end of the file
    (tmp_path / "a.nii.gz").write_bytes(bytes(content))
    with pytest.raises(FileFormatError, match="damaged"):
        read_volume(tmp_path / "a.nii.gz")


@pytest.mark.parametrize("packed", [False, True])
def test_absurd_dimensions_are_refused_without_reading(tmp_path: Path, packed: bool) -> None:
    image = nibabel.Nifti1Image(np.ones((2, 2, 2), np.float32), np.eye(4))
    content = bytearray(image.to_bytes())
    content[42:48] = np.array([32767, 32767, 32767], "<i2").tobytes()
    path = tmp_path / ("a.nii.gz" if packed else "a.nii")
    path.write_bytes(gzip.compress(bytes(content)) if packed else bytes(content))
    with pytest.raises(FileFormatError, match="32767 × 32767 × 32767 values"):
        read_volume(path)


def test_renamed_file_is_read_by_its_content(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.nii.gz")
    (tmp_path / "a.nii.gz").rename(tmp_path / "a.bin")
    assert read_volume(tmp_path / "a.bin").grid == phantom.grid


def test_large_grid_offset_is_restored(tmp_path: Path) -> None:
    grid = ImageGrid((2, 3, 4), (1.5, 2.5, 3.5), (-101.25, 33.0, 512.5))
    volume = Volume(np.zeros(grid.shape, np.float32), grid, "1/mm")
    save(volume, tmp_path / "a.nii")
    assert read_volume(tmp_path / "a.nii").grid == grid


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("place", [(0, 3), (1, 1)])
def test_invalid_affine_is_refused(place: tuple[int, int], value: float) -> None:
    affine = np.eye(4)
    affine[place] = value
    with pytest.raises(GeometryError, match="its affine matrix is singular or contains NaN"):
        straightened(Path("a.nii"), np.zeros((2, 2, 2), np.float32), affine)


def test_affine_without_thickness_is_refused() -> None:
    with pytest.raises(GeometryError, match="its affine matrix is singular or contains NaN"):
        straightened(Path("a.nii"), np.zeros((2, 2, 2), np.float32), np.diag([1.0, 1.0, 0.0, 1.0]))


def test_voxels_below_a_millimetre_keep_their_direction(tmp_path: Path) -> None:
    grid = ImageGrid((3, 4, 5), (0.25, 0.5, 0.125), (1.0, -2.0, 3.0))
    values = np.arange(60, dtype=np.float32).reshape(grid.shape)
    save(Volume(values, grid, "counts/mm"), tmp_path / "fine.nii.gz")
    back = read_volume(tmp_path / "fine.nii.gz")
    np.testing.assert_array_equal(back.values, values)
    assert back.grid == grid


def test_scan_does_not_use_the_provenance_of_an_image_of_the_same_name(tmp_path: Path) -> None:
    for name in ("scan.h5", "scan.nii.gz", "scan.provenance.json"):
        (tmp_path / name).touch()
    assert found_sidecar(tmp_path / "scan.h5") is None
    assert found_sidecar(tmp_path / "scan.nii.gz") == tmp_path / "scan.provenance.json"
    assert found_sidecar(tmp_path / "scan.nii") == tmp_path / "scan.provenance.json", (
        "sidecar named by an older version"
    )
