"""Straight and oblique slices in files are at the right position in other readers."""

from __future__ import annotations

import json

import nibabel
import numpy as np
import pytest
import tifffile

from engine.core.errors import UnknownFormatError
from engine.geometry.plane import orthogonal
from engine.io import read_volume, refuse_unplaced, save, slice_files, slice_names, thin_volume

STRAIGHT = orthogonal((6, 8), 1.5, (3.0, -4.0, 20.0))
TURNED = STRAIGHT[0].turned((1.0, 2.0, 0.5), 0.7)
MARKED = (4, 6)
"""Row and column of the nonzero pixel."""


@pytest.fixture
def values():
    image = np.zeros((6, 8), np.float32)
    image[MARKED] = 1.0
    return image


def place_of_mark(plane) -> np.ndarray:
    row, column = MARKED
    return (plane.to_mm @ (column + 0.5, row + 0.5, 0.5, 1.0))[:3]


@pytest.mark.parametrize("plane", [*STRAIGHT, TURNED])
def test_nifti_states_the_position_of_a_pixel(tmp_path, values, plane):
    save(thin_volume(values, plane, "1/mm", {"axes": "xyz"}), tmp_path / "s.nii.gz")
    image = nibabel.load(tmp_path / "s.nii.gz")
    index = np.argwhere(image.get_fdata() == 1)[0]
    ras = (image.affine @ [*index, 1])[:3]
    np.testing.assert_allclose(ras * (-1, -1, 1), place_of_mark(plane), atol=1e-4)
    np.testing.assert_allclose(image.get_qform(), image.get_sform(), atol=1e-4)


@pytest.mark.parametrize("plane", [*STRAIGHT, TURNED])
def test_metaimage_states_the_position_of_a_pixel(tmp_path, values, plane):
    """Position = Offset + TransformMatrix · (index · ElementSpacing), LPS; x varies fastest."""
    save(thin_volume(values, plane, "1/mm", {"axes": "xyz"}), tmp_path / "s.mha")
    head, _, data = (tmp_path / "s.mha").read_bytes().partition(b"ElementDataFile = LOCAL\n")
    fields = dict(line.split(" = ", 1) for line in head.decode().splitlines())
    shape, spacing, offset, directions = (
        np.array(fields[key].split(), float)
        for key in ("DimSize", "ElementSpacing", "Offset", "TransformMatrix")
    )
    index = np.argwhere(np.frombuffer(data, "<f4").reshape(shape[::-1].astype(int)) == 1)[0][::-1]
    found = offset + directions.reshape(3, 3).T @ (index * spacing)
    np.testing.assert_allclose(found, place_of_mark(plane), atol=1e-6)


def test_tiff_states_the_frame_of_an_oblique_slice(tmp_path, values):
    save(thin_volume(values, TURNED, "1/mm", {"axes": "xyz"}), tmp_path / "s.tif")
    with tifffile.TiffFile(tmp_path / "s.tif") as file:
        stated = json.loads(file.pages[0].description)["slice_frame"]
        row, column = np.argwhere(file.pages[0].asarray() > 0)[0]
    across, down = (np.array(stated[key]) * TURNED.pixel_mm for key in ("across", "down"))
    found = stated["centre_mm"] + (column + 0.5 - 4) * across + (row + 0.5 - 3) * down
    np.testing.assert_allclose(found, place_of_mark(TURNED), atol=1e-9)


def test_format_without_orientation_is_refused_for_an_oblique_slice(tmp_path, values):
    refuse_unplaced(tmp_path / "s.h5", STRAIGHT)
    with pytest.raises(UnknownFormatError, match=r"choose \.nii\.gz, \.mha or \.tif"):
        refuse_unplaced(tmp_path / "s.h5", [TURNED])
    with pytest.raises(UnknownFormatError, match="rotated"):
        save(thin_volume(values, TURNED, "1/mm", {}), tmp_path / "s.h5")
    assert not (tmp_path / "s.h5").exists()


def test_straight_slices_are_read_back_as_volumes(tmp_path, values):
    for plane, file in zip(STRAIGHT, slice_files(tmp_path / "s.nii.gz"), strict=True):
        save(thin_volume(values, plane, "1/mm", {"axes": "xyz"}), file)
        found = read_volume(file)
        index = found.grid.index_of(tuple(place_of_mark(plane)))
        assert found.values[index] == 1.0 and found.values.sum() == 1.0


def test_files_are_named_by_orientation_or_number(tmp_path):
    assert slice_names(STRAIGHT) == ("axial", "coronal", "sagittal")
    assert slice_names([TURNED, *STRAIGHT[1:]]) == ("slice1", "slice2", "slice3")
    names = [file.name for file in slice_files(tmp_path / "a.nii.gz", ("slice1", "slice2"))]
    assert names == ["a-slice1.nii.gz", "a-slice2.nii.gz"]
