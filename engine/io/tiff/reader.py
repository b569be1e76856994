"""Read volumes from TIFF stacks that state their voxel size: pages along z, rows along y.

Stacks without it are not volumes: they can be projections, slices or photographs, and the user has
to state their sizes and order.

Our files, OME-TIFF and ImageJ state the voxel size. Ours is in a JSON text. OME-TIFF has an XML
text (`Pixels`: PhysicalSizeX and so on, µm if no unit is given). ImageJ uses the resolution of the
page, with `spacing` and `unit` in the description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import adjacent_provenance
from engine.io.base import VolumeReader
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid
from engine.io.text.json_text import from_json
from engine.io.text.lengths import MM_OF
from engine.io.xray.tiff import DAMAGE, is_tiff, tiff_of

if TYPE_CHECKING:
    import tifffile

MAX_TEXT = 2**20
OURS = "isocenter:"
"""Prefix of our keys in an OME-TIFF."""


class TiffVolume(VolumeReader):
    """TIFF stack, OME-TIFF or ImageJ stack that states its voxel size."""

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        return dialect_of(file)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_tiff(file.head) and sizes_of(file) is not None

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        """Read the slices as float32 in the unit of the file.

        Parameters
        ----------
        file
            a file that `accepts`; without scale, the stored numbers are the values

        Raises
        ------
        FileFormatError
            if the pages are not a stack of slices, or values are not finite
        GeometryError
            if the stated voxel size or position is not plausible
        """
        stated = sizes_of(file) or TiffSizes((1.0, 1.0, 1.0))
        numbers = tiff_of(file)
        # tifffile drops the page axis of a file with one page.
        numbers = numbers[None] if numbers.ndim == 2 else numbers
        if numbers.ndim != 3 or not numbers.size:
            raise FileFormatError(
                f"{file.name}: the array has the shape {numbers.shape}, expected a stack of "
                "slices; export a single volume."
            )
        grid = stated_grid(file.path, numbers.shape, stated.voxel_mm, stated.centre_mm)
        values = np.empty(numbers.shape, np.float32)
        # Page by page in double precision: the whole stack in float64 would take four times the
        # memory.
        for k, page in enumerate(numbers):
            values[k] = stated.offset + stated.slope * page.astype(np.float64)
        refuse_not_finite(file.path, values)
        provenance, notes = adjacent_provenance(file)
        # LPS is the default of a volume; other axes must be stated, "xyz" if unknown.
        info = provenance if stated.axes == "LPS" else {**provenance, "axes": stated.axes}
        return Volume(values, grid, stated.unit, info, notes)


@dataclass(frozen=True)
class TiffSizes:
    """A stack of slices with the size of its voxels.

    Attributes
    ----------
    voxel_mm : along columns, rows and pages [mm]
    centre_mm : centre of the whole stack [mm]
    axes : sides of the patient to which x, y and z grow, "xyz" if unknown
    unit : unit of the values, "" if unknown
    slope, offset : value = offset + slope · number
    """

    voxel_mm: tuple[float, ...]
    centre_mm: tuple[float, ...] = (0.0, 0.0, 0.0)
    axes: str = "xyz"
    unit: str = ""
    slope: float = 1.0
    offset: float = 0.0


def sizes_of(file: InputFile) -> TiffSizes | None:
    """Return the voxel sizes that a TIFF file states.

    Parameters
    ----------
    file
        any file; other formats give None

    Returns
    -------
    sizes
        None if the file is damaged or does not state the size along each axis

    Raises
    ------
    FileFormatError
        if an OME-TIFF contains several images, channels or times, or its XML defines entities
    """
    import tifffile

    if not is_tiff(file.head):
        return None
    try:
        with tifffile.TiffFile(file.stream(), name=file.name) as images:
            text = str(images.pages.first.description)
            # The description is parsed as JSON or XML, so its length limits the time of a hostile
            # file.
            if not text or len(text) > MAX_TEXT:
                return None
            if text.lstrip().startswith("{"):
                return _ours(from_json(text))
            if images.is_ome:
                return _ome(text, file)
            return _imagej(images) if images.is_imagej else None
    except EngineError:
        raise
    except (*DAMAGE, ElementTree.ParseError):
        return None  # not a volume with sizes; the reader of the image reports the damage


def dialect_of(file: InputFile) -> str:
    """Return the kind of a TIFF file: "OME-TIFF", "ImageJ TIFF" or "TIFF" for all others.

    Parameters
    ----------
    file
        a TIFF file; a damaged one counts as "TIFF"
    """
    import tifffile

    try:
        with tifffile.TiffFile(file.stream(), name=file.name) as images:
            if images.is_ome:
                return "OME-TIFF"
            return "ImageJ TIFF" if images.is_imagej else "TIFF"
    except DAMAGE:
        return "TIFF"


def _ours(stated: Plain) -> TiffSizes | None:
    if not {"slope", "offset", "voxel_mm", "centre_mm", "axes"} <= set(stated):
        return None
    return TiffSizes(
        tuple(float(n) for n in stated["voxel_mm"]),
        tuple(float(n) for n in stated["centre_mm"]),
        # Our text is "z, y, x; LPS": order of the array axes, then patient axes.
        str(stated["axes"]).partition("; ")[2],
        str(stated.get("unit", "")),
        float(stated["slope"]),
        float(stated["offset"]),
    )


def _ome(text: str, file: InputFile) -> TiffSizes | None:
    # Nested entities can grow to gigabytes (billion laughs attack).
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FileFormatError(
            f"{file.name}: its OME-XML defines entities, which are not allowed for security "
            "reasons; save the file without them."
        )
    tree = ElementTree.fromstring(text)
    images = [each for each in tree.iter() if each.tag.endswith("}Pixels")]
    if not images:
        return None
    fields = images[0].attrib
    if len(images) > 1 or any(int(fields.get(name, 1)) > 1 for name in ("SizeC", "SizeT")):
        raise FileFormatError(
            f"{file.name}: contains several images, channels or time points; export a single "
            "volume."
        )
    edges = [_length(fields, f"PhysicalSize{axis}") for axis in "XYZ"]
    if any(edge is None for edge in edges):
        return None
    keys = {
        each.get("K", "").removeprefix(OURS): each.text or ""
        for each in tree.iter()
        if each.tag.endswith("}M") and each.get("K", "").startswith(OURS)
    }
    centre = tuple(float(n) for n in keys.get("centre_mm", "0 0 0").split())
    voxel = tuple(edge for edge in edges if edge is not None)
    return TiffSizes(voxel, centre, keys.get("axes", "xyz"), keys.get("unit", ""))


def _length(fields: Mapping[str, str], name: str) -> float | None:
    # The OME schema defines µm as the default of PhysicalSizeXUnit.
    unit = MM_OF.get(fields.get(f"{name}Unit", "µm"))
    return float(fields[name]) * unit if name in fields and unit is not None else None


def _imagej(images: tifffile.TiffFile) -> TiffSizes | None:
    stated = images.imagej_metadata or {}
    unit = MM_OF.get(str(stated.get("unit", "")).lower())
    tags = images.pages.first.tags
    steps = []
    for name in ("XResolution", "YResolution"):
        # TIFF stores pixels per unit as a fraction; the voxel edge is its inverse.
        per, of = tags[name].value if name in tags else (0, 1)
        steps.append(of / per if per else None)
    spacing = stated.get("spacing")
    if unit is None or spacing is None or None in steps:
        return None
    return TiffSizes(tuple(float(edge) * unit for edge in (*steps, spacing)))
