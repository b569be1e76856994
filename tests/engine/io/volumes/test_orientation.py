"""An asymmetric phantom has the same orientation in every format, also in other readers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import h5py
import nibabel
import nrrd
import numpy as np
import pydicom
import pytest
import tifffile
from PIL import Image, ImageDraw
from scipy.optimize import linear_sum_assignment
from scipy.spatial.transform import Rotation

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import WRITERS, read_volume, save
from engine.io.base import VolumeWriter
from engine.io.bids.dataset import BidsWriter
from engine.io.dicom.capture import DicomCaptureWriter
from engine.io.dicom.series import DicomSeriesWriter
from engine.io.hdf5.volume import VolumeHdf5Writer
from engine.io.interfile.image_writer import InterfileImageWriter
from engine.io.raster.cine import CineWriter
from engine.io.raster.png import FOOTER_PX, MARGIN_PX, PANEL_PX, TEXT_PX, PngWriter, font
from engine.io.tiff.volume import OmeTiffWriter, TiffWriter
from engine.io.volumes.metaimage_volume import MetaImageWriter
from engine.io.volumes.nifti import NiftiWriter
from engine.io.volumes.nrrd_volume import NrrdWriter
from engine.io.volumes.ome_zarr import OmeZarrWriter
from engine.io.volumes.tilted_axes import _nearest_axes

Point = tuple[float, float, float]
Read = Callable[[Path], dict[int, Point]]

MARKS: dict[int, Point] = {
    1: (30.0, 0.0, 0.0),
    2: (-22.0, 5.0, 0.0),
    3: (0.0, 20.0, 4.0),
    4: (6.0, -15.0, 0.0),
    5: (2.0, 0.0, 16.0),
    6: (0.0, 0.0, -12.0),
}
"""Position of each value: left, right, back, front, head and feet of the patient [mm, LPS]."""
AXES = ("LPS", "LPI")


def phantom(axes: str) -> Volume:
    """Return the marks in an off-centre box. In "LPI", z is that of a scanner, towards the feet."""
    up = -1.0 if axes == "LPI" else 1.0
    grid = ImageGrid((11, 21, 35), (2.0, 2.5, 4.0), (4.0, 2.5, 2.0 * up))
    values = np.zeros(grid.shape, np.float32)
    for value, (left, back, head) in MARKS.items():
        index = grid.index_of((left, back, up * head))
        assert index is not None
        values[index] = value
    return Volume(values, grid, "counts/mm", {"axes": axes})


def by_nibabel(path: Path) -> dict[int, Point]:
    image = nibabel.load(path)
    np.testing.assert_allclose(image.get_sform(), image.get_qform(), atol=1e-4)
    return _through(image.get_fdata(), image.affine, (-1.0, -1.0, 1.0))


def by_nibabel_in_a_dataset(path: Path) -> dict[int, Point]:
    (image,) = path.glob("sub-*/pet/*_pet.nii.gz")
    return by_nibabel(image)


def by_h5py(path: Path) -> dict[int, Point]:
    with h5py.File(path) as file:
        values = file["volume/values"][()]
        voxel, centre = file["volume/voxel_mm"][()], file["volume/centre_mm"][()]
        order, _, sides = file["volume/values"].attrs["axes"].decode().partition("; ")
    assert order == "z, y, x"
    return _named(values, voxel, centre, sides)


def by_the_specification_of_metaimage(path: Path) -> dict[int, Point]:
    """Position = Offset + TransformMatrix · (index · ElementSpacing), LPS; x varies fastest."""
    head, _, data = path.read_bytes().partition(b"ElementDataFile = LOCAL\n")
    fields = dict(line.split(" = ", 1) for line in head.decode().splitlines())
    assert fields["ElementType"] == "MET_FLOAT" and fields["BinaryDataByteOrderMSB"] == "False"
    numbers = {
        key: np.array(fields[key].split(), float)
        for key in ("TransformMatrix", "Offset", "ElementSpacing", "DimSize")
    }
    shape = numbers["DimSize"].astype(int)
    values = np.frombuffer(data, "<f4").reshape(shape[::-1]).transpose(2, 1, 0)
    affine = np.eye(4)
    directions = numbers["TransformMatrix"].reshape(3, 3).T  # each row is the direction of one axis
    affine[:3, :3] = directions * numbers["ElementSpacing"]
    affine[:3, 3] = numbers["Offset"]
    return _through(values, affine, (1.0, 1.0, 1.0))


def by_the_rule_of_stir(path: Path) -> dict[int, Point]:
    """Voxel i is at first + i · size. z is relative to the centre and points to the feet."""
    lines = (line.partition(":=") for line in path.read_text().splitlines())
    reported = {key.strip(" !"): value.strip() for key, _, value in lines}
    assert (reported["patient orientation"], reported["patient rotation"]) == ("head_in", "supine")
    shape, voxel, first = (
        [float(reported[f"{key} [{k}]"]) for k in (1, 2, 3)]
        for key in ("matrix size", "scaling factor (mm/pixel)", "first pixel offset (mm)")
    )
    values = np.fromfile(path.with_name(reported["name of data file"]), "<f4")
    affine = np.diag([*voxel, 1.0])
    affine[:3, 3] = [*first[:2], first[2] - (shape[2] - 1) / 2 * voxel[2]]
    n_x, n_y, n_z = (int(n) for n in shape)
    return _through(values.reshape(n_z, n_y, n_x).transpose(2, 1, 0), affine, (1.0, 1.0, -1.0))


def by_pynrrd(path: Path) -> dict[int, Point]:
    values, header = nrrd.read(str(path))
    assert header["space"] == "left-posterior-superior" and header["space units"] == ["mm"] * 3
    affine = np.eye(4)
    affine[:3, :3] = header["space directions"].T  # each row is the direction of one axis
    affine[:3, 3] = header["space origin"]
    return _through(values, affine, (1.0, 1.0, 1.0))


def by_pydicom(path: Path) -> dict[int, Point]:
    """PS3.3 C.7.6.2.1.1: place = position + column · x_mm · row direction + row · y_mm · column
    direction."""
    found: dict[int, Point] = {}
    for file in sorted(path.glob("*.dcm")):
        each = pydicom.dcmread(file)
        values = each.pixel_array * float(each.RescaleSlope) + float(each.RescaleIntercept)
        along_row, along_column = np.reshape(np.array(each.ImageOrientationPatient, float), (2, 3))
        y_mm, x_mm = (float(step) for step in each.PixelSpacing)
        for value in MARKS:
            for row, column in np.argwhere(np.rint(values) == value):
                step = column * x_mm * along_row + row * y_mm * along_column
                found[value] = tuple(np.array(each.ImagePositionPatient, float) + step)
    return found


def by_tifffile(path: Path) -> dict[int, Point]:
    with tifffile.TiffFile(path) as file:
        assert len(file.pages) == 11
        report = json.loads(file.pages[0].description)
        values = np.stack([page.asarray() for page in file.pages])
    values = np.rint(report["offset"] + report["slope"] * values.astype(float))
    return _named(
        values, report["voxel_mm"], report["centre_mm"], report["axes"].partition("; ")[2]
    )


def by_tifffile_as_ome(path: Path) -> dict[int, Point]:
    with tifffile.TiffFile(path) as file:
        assert file.is_ome and file.series[0].axes == "ZYX"
        values, text = file.asarray(), file.ome_metadata
    tree = ElementTree.fromstring(text)
    (pixels,) = [each for each in tree.iter() if each.tag.endswith("}Pixels")]
    assert {pixels.get(f"PhysicalSize{axis}Unit") for axis in "XYZ"} == {"mm"}
    voxel = [float(pixels.get(f"PhysicalSize{axis}")) for axis in "XYZ"]
    keys = {each.get("K"): each.text for each in tree.iter() if each.tag.endswith("}M")}
    centre = [float(place) for place in keys["isocenter:centre_mm"].split()]
    return _named(values, voxel, centre, keys["isocenter:axes"])


def by_zarr(path: Path) -> dict[int, Point]:
    zarr = pytest.importorskip("zarr", reason="the library zarr is not installed")
    group = zarr.open_group(path, mode="r")
    (multiscale,) = group.attrs["ome"]["multiscales"]
    scale, start = multiscale["datasets"][0]["coordinateTransformations"]
    affine = np.diag([*scale["scale"][::-1], 1.0])
    affine[:3, 3] = start["translation"][::-1]
    sides = group.attrs["isocenter"]["axes"].partition("; ")[2]
    signs = tuple(1.0 if side in "LPS" else -1.0 for side in sides)
    return _through(group["0"][:].transpose(2, 1, 0), affine, signs)


def _through(values: np.ndarray, affine: np.ndarray, signs: Point) -> dict[int, Point]:
    return {
        value: tuple((affine @ [*np.argwhere(values == value)[0], 1])[:3] * signs)
        for value in MARKS
    }


def _named(values: np.ndarray, voxel, centre, sides: str) -> dict[int, Point]:
    """Return positions of [z, y, x] values with axes towards the named sides."""
    signs = [1.0 if side in "LPS" else -1.0 for side in sides]
    middle = (np.array(values.shape[::-1]) - 1) / 2
    return {
        value: tuple(((np.argwhere(values == value)[0][::-1] - middle) * voxel + centre) * signs)
        for value in MARKS
    }


READ_BY: dict[type[VolumeWriter], tuple[str, Read]] = {
    NiftiWriter: (".nii.gz", by_nibabel),
    VolumeHdf5Writer: (".h5", by_h5py),
    DicomSeriesWriter: (".dicom", by_pydicom),
    BidsWriter: (".bids", by_nibabel_in_a_dataset),
    OmeZarrWriter: (".ome.zarr", by_zarr),
    MetaImageWriter: (".mha", by_the_specification_of_metaimage),
    TiffWriter: (".tif", by_tifffile),
    NrrdWriter: (".nrrd", by_pynrrd),
    InterfileImageWriter: (".hv", by_the_rule_of_stir),
    OmeTiffWriter: (".ome.tif", by_tifffile_as_ome),
}


def test_every_format_has_another_reader() -> None:
    assert {*READ_BY, PngWriter, CineWriter, DicomCaptureWriter} == set(WRITERS)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("writer", READ_BY, ids=lambda writer: writer.__name__)
def test_every_mark_is_at_its_patient_position(
    tmp_path: Path, writer: type[VolumeWriter], axes: str
) -> None:
    ending, read = READ_BY[writer]
    volume = phantom(axes)
    save(volume, tmp_path / f"a{ending}")
    assert_at_marks(read(tmp_path / f"a{ending}"), volume.grid)


STATED = ("RPS", "RAI", "LAS")
"""Feet first supine, head first prone and feet first prone, in a scanner of STIR or Siemens."""
STATE_SIDES = {
    each: read for each, read in READ_BY.values() if each in (".nii.gz", ".dicom", ".mha", ".nrrd")
}
"""Formats with headers that state the patient axes."""


def in_a_scanner(sides: str) -> Volume:
    """Return the marks in scanner axes of a patient with a stated position."""
    signs = np.array([1.0 if side in "LPS" else -1.0 for side in sides])
    grid = ImageGrid((11, 21, 35), (2.0, 2.5, 4.0), tuple(signs * (4.0, 2.5, 2.0)))
    values = np.zeros(grid.shape, np.float32)
    for value, place in MARKS.items():
        values[grid.index_of(tuple(signs * place))] = value
    return Volume(values, grid, "counts/mm", {"axes": "xyz"}).positioned(sides)


@pytest.mark.parametrize("sides", STATED)
@pytest.mark.parametrize("ending", STATE_SIDES)
def test_stated_patient_position_places_every_mark(tmp_path: Path, ending: str, sides: str) -> None:
    volume = in_a_scanner(sides)
    save(volume, tmp_path / f"a{ending}")
    assert_at_marks(STATE_SIDES[ending](tmp_path / f"a{ending}"), volume.grid)


@pytest.mark.parametrize("sides", STATED)
@pytest.mark.parametrize("ending", [".nii.gz", ".h5", ".mha", ".nrrd", ".hv", ".ome.tif"])
def test_stated_patient_position_is_restored(tmp_path: Path, ending: str, sides: str) -> None:
    volume = in_a_scanner(sides)
    save(volume, tmp_path / f"a{ending}", {"algorithm": "osem"})
    again = read_volume(tmp_path / f"a{ending}")
    np.testing.assert_array_equal(again.values, volume.values)
    assert (again.grid, again.axes, again.sides) == (volume.grid, "xyz", sides)


@pytest.mark.parametrize(("position", "sides"), [("FFS", "RPS"), ("HFP", "RAI"), ("FFP", "LAS")])
def test_header_of_an_interfile_image_states_the_patient_position(
    tmp_path: Path, position: str, sides: str
) -> None:
    """Without provenance, the letters follow the patient orientation in the header."""
    save(in_a_scanner(sides), tmp_path / "a.hv")
    for sidecar in tmp_path.glob("*.json"):
        sidecar.unlink()
    again = read_volume(tmp_path / "a.hv")
    assert (again.axes, again.sides) == ("xyz", sides)
    assert any(f"the patient position is {position}" in note for note in again.notes)


def assert_at_marks(found: dict[int, Point], grid: ImageGrid) -> None:
    within = np.array(grid.voxel_mm) / 2 + 1e-6  # half a voxel
    for value, place in MARKS.items():
        assert (np.abs(np.subtract(found[value], place)) <= within).all(), (value, found[value])


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("ending", [".nii", ".nii.gz", ".h5", ".mha", ".nrrd", ".hv", ".ome.tif"])
def test_written_volume_is_read_back_unchanged(tmp_path: Path, ending: str, axes: str) -> None:
    volume = phantom(axes)
    save(volume, tmp_path / f"a{ending}", {"algorithm": "osem"})
    again = read_volume(tmp_path / f"a{ending}")
    np.testing.assert_array_equal(again.values, volume.values)
    assert (again.grid, again.axes) == (volume.grid, axes)


def test_volume_without_provenance_is_placed_by_its_affine(tmp_path: Path) -> None:
    """A volume of ours without its provenance keeps the sides of the patient."""
    save(phantom("LPI"), tmp_path / "a.nii")
    (tmp_path / "a.nii.provenance.json").unlink()
    again = read_volume(tmp_path / "a.nii")
    found = _named(again.values, again.grid.voxel_mm, again.grid.centre_mm, again.axes)
    assert_at_marks(found, again.grid)


# The letters of the image.


def glyph(page: np.ndarray, x: int, y: int) -> str:
    """Return the letter at a position, recognised by its shape; six letters are possible."""
    ink = page[y - 12 : y + 12, x - 12 : x + 12] < 128
    assert ink.any()

    def rendered(letter: str) -> np.ndarray:
        image = Image.new("L", (24, 24), 255)
        ImageDraw.Draw(image).text((12, 12), letter, fill=20, font=font(TEXT_PX), anchor="mm")
        return np.asarray(image) < 128

    def unlike(letter: str) -> float:
        shape = _cut(rendered(letter))
        found = _cut(ink)
        if shape.shape != found.shape:
            return 1.0
        return float(np.mean(shape != found))

    return min("LRAPHF", key=unlike)


def _cut(ink: np.ndarray) -> np.ndarray:
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


SIDES = {"L": 1, "R": 2, "P": 3, "A": 4, "H": 5, "F": 6}
"""Mark on the side of each letter."""


@pytest.mark.parametrize("axes", AXES)
def test_every_mark_in_the_image_is_towards_the_letter_of_its_side(
    tmp_path: Path, axes: str
) -> None:
    """The frontal projection shows left, right, head and feet; each image contains one mark."""
    volume = phantom(axes)
    step = PANEL_PX + 2 * MARGIN_PX
    corner = step + MARGIN_PX  # the fourth panel
    wide, high = (n * mm for n, mm in zip((35, 11), (2.0, 4.0), strict=True))
    scale = PANEL_PX / max(wide, high, 21 * 2.5)
    width, height = round(wide * scale), round(high * scale)
    left, top = corner + (PANEL_PX - width) // 2, corner + (PANEL_PX - height) // 2
    spots = {
        "left": (left - 11, top + height // 2),
        "right": (left + width + 11, top + height // 2),
        "above": (left + width // 2, top - 9),
        "below": (left + width // 2, top + height + 9),
    }
    found = {}
    for letter in "LRHF":
        alone = np.where(volume.values == SIDES[letter], volume.values, 0)
        save(Volume(alone, volume.grid, volume.unit, volume.info), tmp_path / "a.png")
        page = np.asarray(Image.open(tmp_path / "a.png").convert("L")).astype(int)
        assert page.shape == (2 * step + FOOTER_PX, 2 * step)
        panel = 255 - page[top : top + height, left : left + width]
        rows, columns = np.nonzero(panel > 128)
        found[letter] = (columns.mean() - width / 2, rows.mean() - height / 2)
        letters = {where: glyph(page, *spot) for where, spot in spots.items()}
    assert found[letters["left"]][0] < -width / 8 and found[letters["right"]][0] > width / 8
    assert found[letters["above"]][1] < -height / 8 and found[letters["below"]][1] > height / 8
    assert "".join(letters.values()) == "RLHF"


def test_axes_are_assigned_as_by_an_optimal_solver():
    edge = 0.5**0.5
    ties = [
        [[edge, -edge, 0], [edge, edge, 0], [0, 0, 1]],
        [[1, 0, 0], [0, edge, -edge], [0, edge, edge]],
    ]
    turned = Rotation.random(200, random_state=4).as_matrix()
    for cosines in (*turned, *map(np.array, ties)):
        expected = linear_sum_assignment(-np.abs(cosines.T))[1]
        np.testing.assert_array_equal(_nearest_axes(cosines), expected)
