"""Foreign volumes show the same patient for any order and direction of their axes.

The libraries of the formats write them, or code that follows their specifications.
"""

from __future__ import annotations

import itertools
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import nibabel
import nrrd
import numpy as np
import pytest

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, scan_file

Write = Callable[[Path, np.ndarray, np.ndarray], Path]
TURNS = [
    (order, flips)
    for order in ((0, 1, 2), (2, 0, 1))
    for flips in itertools.product((1, -1), repeat=3)
]
"""Two axis orders, each with all eight combinations of directions."""
LPS = np.diag([-1.0, -1.0, 1.0, 1.0])


def patient() -> Volume:
    """Return values that all differ, in anisotropic voxels, off-centre."""
    grid = ImageGrid((3, 4, 5), (1.5, 2.0, 2.5), (10.0, -20.0, 30.0))
    values = np.arange(grid.n_voxels, dtype=np.float32).reshape(grid.shape)
    return Volume(values, grid, "")


def turned(order: tuple[int, ...], flips: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the patient's values (i, j, k) along other axes, and their affine to LPS."""
    volume = patient()
    affine = np.diag([*volume.grid.voxel_mm, 1.0])
    affine[:3, 3] = [volume.grid.centres_mm(axis)[0] for axis in range(3)]
    image = nibabel.Nifti1Image(volume.values.transpose(2, 1, 0), LPS @ affine)
    other = image.as_reoriented(np.column_stack([order, flips]).astype(float))
    return other.get_fdata(dtype=np.float32), LPS @ other.affine


def by_pynrrd(path: Path, values: np.ndarray, affine: np.ndarray) -> Path:
    path = path.with_suffix(".nrrd")
    header = {
        "space": "left-posterior-superior",
        "space directions": affine[:3, :3].T,
        "space origin": affine[:3, 3],
        "encoding": "gzip",
    }
    nrrd.write(str(path), values, header)
    return path


def by_pynrrd_detached(path: Path, values: np.ndarray, affine: np.ndarray) -> Path:
    path = path.with_suffix(".nhdr")
    header = {
        "space": "left-posterior-superior",
        "space directions": affine[:3, :3].T,
        "space origin": affine[:3, 3],
        "encoding": "gzip",
    }
    nrrd.write(str(path), values, header, detached_header=True)
    return path


def by_pynrrd_in_ras(path: Path, values: np.ndarray, affine: np.ndarray) -> Path:
    path, affine = path.with_suffix(".nrrd"), LPS @ affine
    header = {
        "space": "right-anterior-superior",
        "space directions": affine[:3, :3].T / 10,
        "space origin": affine[:3, 3] / 10,
        "space units": ["cm"] * 3,
        "encoding": "bzip2",
    }
    nrrd.write(str(path), values.astype(">i2"), header)
    return path


def by_the_specification_of_metaimage(
    path: Path, values: np.ndarray, affine: np.ndarray, **more: object
) -> Path:
    """Write the values in a separate compressed file, as MetaIO documents it."""
    path = path.with_suffix(".mhd")
    spacing = np.linalg.norm(affine[:3, :3], axis=0)
    data = values.astype("<u2").tobytes(order="F")
    fields = {
        "ObjectType": "Image",
        "NDims": 3,
        "CompressedData": True,
        "CompressedDataSize": len(zlib.compress(data)),
        "TransformMatrix": " ".join(f"{c:g}" for c in (affine[:3, :3] / spacing).T.ravel()),
        "Offset": " ".join(f"{c:g}" for c in affine[:3, 3]),
        "ElementSpacing": " ".join(f"{c:g}" for c in spacing),
        "DimSize": " ".join(str(n) for n in values.shape),
        "ElementType": "MET_USHORT",
        **more,
        "ElementDataFile": f"{path.stem}.zraw",
    }
    path.write_text("".join(f"{key} = {value}\n" for key, value in fields.items()))
    path.with_suffix(".zraw").write_bytes(zlib.compress(data))
    return path


def by_nibabel_in_two_files(path: Path, values: np.ndarray, affine: np.ndarray) -> Path:
    path = path.with_suffix(".hdr")
    nibabel.save(nibabel.Nifti1Pair(values.astype(">i2"), LPS @ affine), path)
    return path


def by_simpleitk(path: Path, values: np.ndarray, affine: np.ndarray) -> Path:
    sitk = pytest.importorskip("SimpleITK")
    spacing = np.linalg.norm(affine[:3, :3], axis=0)
    image = sitk.GetImageFromArray(values.transpose(2, 1, 0))
    image.SetSpacing(spacing.tolist())
    image.SetOrigin(affine[:3, 3].tolist())
    image.SetDirection((affine[:3, :3] / spacing).ravel().tolist())
    path = path.with_suffix(".mha")
    sitk.WriteImage(image, str(path), True)
    return path


@pytest.mark.parametrize(
    "write",
    [
        by_pynrrd,
        by_pynrrd_detached,
        by_pynrrd_in_ras,
        by_the_specification_of_metaimage,
        by_nibabel_in_two_files,
        by_simpleitk,
    ],
    ids=lambda w: w.__name__,
)
def test_any_axis_order_and_direction_gives_the_same_patient(tmp_path: Path, write: Write) -> None:
    for number, (order, flips) in enumerate(TURNS):
        again = read_volume(write(tmp_path / str(number), *turned(order, flips)))
        np.testing.assert_array_equal(again.values, patient().values)
        np.testing.assert_allclose(again.grid.voxel_mm, patient().grid.voxel_mm)
        np.testing.assert_allclose(again.grid.centre_mm, patient().grid.centre_mm, atol=1e-6)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"space directions": np.eye(3)}, "patient orientation is missing"),
        ({"spacings": [1, 1, 1]}, "patient orientation is missing"),
        ({"space": "scanner-xyz", "space directions": np.eye(3)}, "scanner-xyz"),
    ],
)
def test_nrrd_without_position_is_refused(
    tmp_path: Path, header: dict[str, object], words: str
) -> None:
    nrrd.write(str(tmp_path / "a.nrrd"), np.ones((2, 2, 2), np.float32), dict(header))
    with pytest.raises(EngineError, match=words):
        read_volume(tmp_path / "a.nrrd")


def test_nrrd_of_colours_is_refused(tmp_path: Path) -> None:
    header = {
        "space": "LPS",
        "space directions": np.vstack([np.full(3, np.nan), np.eye(3)]),
        "space origin": np.zeros(3),
        "kinds": ["RGB-color", *["domain"] * 3],
    }
    nrrd.write(str(tmp_path / "a.nrrd"), np.ones((3, 2, 2, 2), np.float32), header)
    with pytest.raises(GeometryError, match=r"each voxel has 3 values \(kind 'rgb-color'\)"):
        read_volume(tmp_path / "a.nrrd")


def test_values_outside_the_folder_are_refused(tmp_path: Path) -> None:
    path = by_the_specification_of_metaimage(tmp_path / "a", *turned((0, 1, 2), (1, 1, 1)))
    path.write_text(path.read_text().replace("a.zraw", "../a.zraw"))
    with pytest.raises(FileFormatError, match="same folder"):
        read_volume(path)
    path = by_pynrrd_detached(tmp_path / "b", *turned((0, 1, 2), (1, 1, 1)))
    path.write_text(re.sub("data ?file: ", "data file: ../", path.read_text()))
    with pytest.raises(FileFormatError, match="same folder"):
        read_volume(path)


@pytest.mark.parametrize("write", [by_pynrrd, by_the_specification_of_metaimage])
def test_truncated_file_is_refused(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "a", *turned((0, 1, 2), (1, 1, 1)))
    data = path.with_suffix(".zraw") if path.suffix == ".mhd" else path
    data.write_bytes(data.read_bytes()[:-20])
    with pytest.raises(FileFormatError, match=r"truncated|damaged"):
        read_volume(path)


def test_pair_of_files_is_scaled_and_refused_if_truncated(tmp_path: Path) -> None:
    values, affine = turned((0, 1, 2), (1, 1, 1))
    image = nibabel.Nifti1Pair(values * 0.1, LPS @ affine)
    image.header.set_data_dtype(np.int16)
    nibabel.save(image, tmp_path / "a.hdr")
    expected = nibabel.load(tmp_path / "a.hdr").get_fdata(dtype=np.float32)
    assert not np.array_equal(expected, np.rint(expected))
    found = read_volume(tmp_path / "a.hdr").values
    np.testing.assert_array_equal(np.sort(found.ravel()), np.sort(expected.ravel()))
    data = (tmp_path / "a.img").read_bytes()
    (tmp_path / "a.img").write_bytes(data[:-2])
    with pytest.raises(FileFormatError, match=r"a\.img has only .* copy both"):
        read_volume(tmp_path / "a.hdr")


@pytest.mark.parametrize("dropped", ["a.hdr", "a.img"])
@pytest.mark.parametrize(("kind", "scale"), [("AnalyzeImage", 1.0), ("Spm99AnalyzeImage", 0.25)])
def test_analyze_opens_without_patient_sides(tmp_path: Path, dropped: str, kind: str, scale: float):
    """Values have SPM's origin and scale. Analyze does not state the left side."""
    values = np.random.default_rng(1).integers(0, 100, (2, 3, 4)).astype(np.int16)
    image = getattr(nibabel, kind)(values, np.diag([2.0, 3.0, 4.0, 1.0]))
    nibabel.save(image, tmp_path / "a.img")
    (tmp_path / "a.mat").unlink(missing_ok=True)
    header = bytearray((tmp_path / "a.hdr").read_bytes())
    if scale != 1:
        header[112:116] = struct.pack("<f", scale)  # SPM stores the scale in funused1
    (tmp_path / "a.hdr").write_bytes(header)
    found = read_volume(scan_file(tmp_path / dropped))
    np.testing.assert_allclose(found.values, scale * values.T, rtol=1e-6)
    assert found.grid.voxel_mm == (2, 3, 4) and found.info["axes"] == "xyz"
    assert "no orientation letters" in found.notes[0]


def test_damaged_analyze_header_is_refused(tmp_path: Path) -> None:
    nibabel.save(nibabel.AnalyzeImage(np.ones((2, 3, 4), np.int16), np.eye(4)), tmp_path / "a.img")
    header = (tmp_path / "a.hdr").read_bytes()
    (tmp_path / "a.hdr").write_bytes(header[:80] + struct.pack("<f", np.nan) + header[84:])
    with pytest.raises(GeometryError, match="voxel size"):
        read_volume(tmp_path / "a.hdr")
    (tmp_path / "a.hdr").write_bytes(header)
    (tmp_path / "a.img").write_bytes(b"1234")
    with pytest.raises(FileFormatError, match="bytes; copy both files again"):
        read_volume(tmp_path / "a.hdr")
