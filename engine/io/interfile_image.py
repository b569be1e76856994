"""Images in Interfile: a header (.hv of STIR, .v.hdr of Siemens) and the values beside it (.v).

x runs fastest, then y, then z, along the axes of the scanner (`InterfileHeader.axes`). Voxel i of n
along x or y lies at f + i v, where f is `first pixel offset (mm)`, and −(n // 2) v where none is
stated, as in STIR; the middle of the volume along z lies in the middle of the scanner, moved by its
f. Values are those of the file times `image scaling factor` or a number in `quantification units`.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import ClassVar

import numpy as np

from engine.data.volume import Volume
from engine.errors import FileFormatError, GeometryError
from engine.geometry.grid import ImageGrid
from engine.io.base import VolumeReader
from engine.io.interfile import (
    InterfileHeader,
    is_interfile,
    read_header,
    refuse_others_data,
)
from engine.io.mu_units import CONTENT, PER_CM, PER_MM
from engine.io.open_input import InputFile, open_input, refuse_not_finite
from engine.io.provenance_file import provenance_beside
from engine.io.ranges import known_unit, stated_grid
from engine.io.straight_axes import NO_SIDES, in_scanner_frame
from engine.plain import Plain

HEADER, SIEMENS_HEADER, VALUES = ".hv", ".v.hdr", ".v"
AXES = ("x", "y", "z")
UNIT, SIDES = "; unit of the values", "; sides of the patient"
"""In our headers, comments to others."""
MARKS = (b"petdatatype:=image", b"processstatus:=reconstructed", b"namespace:=imagesubheader")
"""What headers of images say, lower-case and without spaces and signs."""
UNITS = {
    **dict.fromkeys(("1/cm", "/cm", "cm-1", "cm^-1", "per cm"), PER_CM),
    **dict.fromkeys(("1/mm", "/mm", "mm-1", "mm^-1", "per mm"), PER_MM),
    **dict.fromkeys(("bq/ml", "bqml", "becquerels/ml"), "Bq/mL"),
    **dict.fromkeys(("kbq/ml", "kbqml"), "kBq/mL"),
    **dict.fromkeys(("hu", "hounsfield units"), "HU"),
}
"""As headers write units, lower-case, and as we do."""
NAMES_A_MAP = re.compile(r"mu[-_ ]?map|umap|att[-_ ]?map|attenuation", re.IGNORECASE)


class InterfileImage(VolumeReader):
    """Images in Interfile."""

    name: ClassVar[str] = "Interfile image (STIR, Siemens)"
    suffixes: ClassVar[tuple[str, ...]] = (HEADER, ".ahv", SIEMENS_HEADER)
    companions: ClassVar[tuple[str, ...]] = (VALUES,)

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        said = _squeezed(file.head)
        marks = {b"castorversion": "CASToR", b"namespace:=imagesubheader": "Siemens"}
        maker = next((name for mark, name in marks.items() if mark in said), "")
        if not maker and (b"keys:=stir" in said or file.path.suffix.lower() == HEADER):
            maker = "STIR"
        return f"Interfile ({maker})" if maker else "Interfile"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if not is_interfile(file.head):
            return False
        said = _squeezed(file.head)
        names_values = b"nameofdatafile:=" in said
        return cls.ends(file.path) or (names_values and any(mark in said for mark in MARKS))

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        header = read_header(file)
        shape = _shape(header)
        grid, moved = _grid(header, shape)
        kind, scale, start = np.dtype(header.number_type), _scale(header), _start(header)
        with open_input(header.data_file) as data:
            _refuse_other_size(header, data, start + math.prod(shape) * kind.itemsize)
            refuse_others_data(header, data)
            values = np.ascontiguousarray(data.array(kind, shape, start), np.float32)
        if scale != 1:
            values *= np.float32(scale)
        refuse_not_finite(file.path, values)
        provenance, notes = provenance_beside(file)
        info = {**provenance, **_facts(header, is_map=bool(NAMES_A_MAP.search(file.name)))}
        lies, note = _sides(header)
        volume = Volume(
            values,
            grid,
            _unit(header),
            {**info, "axes": lies},
            (*notes, *note, *moved),
            header.text("patient id") or "",
        )
        if header.text(SIDES) != "LPS":
            return volume
        as_it_was = replace(volume, info={**volume.info, "axes": "LPS"})
        return in_scanner_frame(as_it_was)  # turned when it was written


def _squeezed(head: bytes) -> bytes:
    """Return a header in lower case, without spaces and signs."""
    return head.lower().translate(None, b" \t!%")


def _shape(header: InterfileHeader) -> tuple[int, int, int]:
    """Return (n_z, n_y, n_x)."""
    name = header.path.name
    n_frames = max(header.whole("number of time frames") or 1, 1)
    if (header.whole("number of dimensions") or 3) != 3 or n_frames != 1:
        raise GeometryError(
            f"{name}: {header.text('number of dimensions') or 3} dimensions and {n_frames} frames "
            "of time, want one volume of three axes; export a single frame."
        )
    labels = [(header.of_axis("matrix axis label", k) or AXES[k - 1]).lower() for k in (1, 2, 3)]
    if labels != list(AXES):
        raise GeometryError(
            f"{name}: axes {', '.join(labels)}, want x, y and z; choose the header of an image."
        )
    sizes = [_number(header, "matrix size", k) for k in (3, 2, 1)]
    if any(size is None or size < 1 or not size.is_integer() for size in sizes):
        raise FileFormatError(
            f"{name}: does not say how many voxels it has along each axis ('matrix size [1]' to "
            "'[3]'); complete the header."
        )
    n_z, n_y, n_x = (int(size or 0) for size in sizes)
    return n_z, n_y, n_x


def _number(header: InterfileHeader, key: str, axis: int) -> float | None:
    given = f"{key} [{axis}]"
    return header.number(given if header.text(given) else f"{key}[{axis}]")


def _grid(
    header: InterfileHeader, shape: tuple[int, int, int]
) -> tuple[ImageGrid, tuple[str, ...]]:
    """Return where the voxels are, and what is to be said about it."""
    keys = ("scaling factor (mm/pixel)", "scale factor (mm/pixel)")
    edges = [
        next((edge for key in keys if (edge := _number(header, key, k)) is not None), None)
        for k in (1, 2, 3)
    ]
    if any(edge is None for edge in edges):
        raise GeometryError(
            f"{header.path.name}: does not say how large a voxel is ({keys[0]!r}); complete the "
            "header."
        )
    voxel = [edge or 0.0 for edge in edges]
    first = [_number(header, "first pixel offset (mm)", k) for k in (1, 2, 3)]
    across = list(zip(first, voxel, reversed(shape), strict=True))[:2]
    is_stated = all(begin is not None for begin in first[:2]) and any(first[:2])
    middle = [
        ((begin or 0.0) if is_stated else -(n // 2) * edge) + (n - 1) / 2 * edge
        for begin, edge, n in across
    ]
    centre = [round(place, 9) for place in (*middle, first[2] or 0.0)]
    note: tuple[str, ...] = ()
    if not is_stated and any(begin is not None for begin in first[:2]):
        note = (f"{header.path.name}: first pixel at 0, which is taken as not stated.",)
    return stated_grid(header.path, shape, voxel, centre), note


def _start(header: InterfileHeader) -> int:
    keys = ("data offset in bytes[1]", "data offset in bytes [1]", "data offset in bytes")
    start = next((n for key in keys if (n := header.whole(key)) is not None), 0)
    if start < 0:
        raise FileFormatError(
            f"{header.path.name}: values begin at byte {start}, want 0 or more; correct the header."
        )
    return start


def _scale(header: InterfileHeader) -> float:
    keys = ("image scaling factor[1]", "image scaling factor [1]", "image scaling factor")
    said = next((n for key in keys if (n := header.number(key)) is not None), 1.0)
    units = header.text("quantification units") or "1"
    number = 1.0 if _is_word(units) else header.number("quantification units") or 1.0
    if 1.0 not in (said, number) and said != number:
        raise FileFormatError(
            f"{header.path.name}: a scaling factor of {said:g} and quantification units of "
            f"{number:g}; which of them holds is not clear, so correct the header."
        )
    return said if said != 1 else number


def _is_word(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return False


def _unit(header: InterfileHeader) -> str:
    ours = header.text(UNIT)
    if ours is not None:
        return known_unit(header.path, ours)
    return UNITS.get((header.text("quantification units") or "").lower(), "")


def _refuse_other_size(header: InterfileHeader, data: InputFile, n_bytes: int) -> None:
    """Refuse values that are fewer, or more, than the header counts."""
    if n_bytes != data.size:
        raise FileFormatError(
            f"{header.path.name}: counts {n_bytes:,} bytes of values, and {data.name} has "
            f"{data.size:,}; it is cut off, or belongs to another header: copy both files again."
        )


def _facts(header: InterfileHeader, *, is_map: bool) -> Plain:
    unit = _unit(header)
    named = is_map or bool(NAMES_A_MAP.search(header.data_file.name))
    return {"content": CONTENT} if named and unit in ("", PER_CM, PER_MM) else {}


def _sides(header: InterfileHeader) -> tuple[str, tuple[str, ...]]:
    """Return the sides to which the axes lead, and a note where they are not known."""
    name, axes = header.path.name, header.axes
    if axes and axes != NO_SIDES:
        return axes, ()
    if not axes:
        note = "does not say how the patient lay"
    else:
        note = f"the patient lay in another way than head first on the back ({header.position})"
    return NO_SIDES, (f"{name}: {note}; its axes are the scanner's, x, y and z.",)
