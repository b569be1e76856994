"""Read Interfile images: a header (.hv of STIR, .v.hdr of Siemens) and adjacent values (.v).

x varies fastest, then y, then z, along the axes of the scanner (`InterfileHeader.axes`). Along z,
the
volume is centred in the scanner, shifted by `first pixel offset (mm)`. CASToR writes such headers,
too
(.hdr), with a copy of the scan header at the end. Its axes are left-handed, as in its look-up
tables,
so y is reversed.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.patient_position import HFS_AXES
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.auxiliary.mu_units import CONTENT, PER_CM, PER_MM
from engine.io.auxiliary.provenance_file import adjacent_provenance
from engine.io.base import FramesReader
from engine.io.interfile.header import (
    FEETWARDS,
    InterfileHeader,
    is_interfile,
    read_header,
    refuse_others_data,
)
from engine.io.interfile.layout import (
    CASTOR,
    grid_of,
    parts_of,
    refuse_other_size,
    shape_of,
    times_of,
)
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.not_numbers import nan_as_zero
from engine.io.safety.open_input import InputFile, open_input, refuse_not_finite
from engine.io.safety.ranges import known_unit
from engine.io.volumes.frame_stack import framed
from engine.io.volumes.straight_axes import NO_SIDES, in_scanner_frame

HEADER, SIEMENS_HEADER, VALUES = ".hv", ".v.hdr", ".v"
UNIT, SIDES = "; unit of the values", "; sides of the patient"
"""Comments in our headers."""
MARKS = (b"petdatatype:=image", b"processstatus:=reconstructed", b"namespace:=imagesubheader")
"""Marks of image headers, in lower case without spaces and punctuation."""
REQUIRED = (b"matrixsize[1]:=", b"matrixsize[3]:=", b"(mm/pixel)[3]:=")
"""Marks of image headers that do not state their kind, in the same form."""
OTHERS = (
    b"ringdifference",
    b"numberofprojections",
    b"tomographic",
    b"namespace:=",
    b"matrixsize[5]",
)
"""Marks of scan headers."""
UNITS = {
    **dict.fromkeys(("1/cm", "/cm", "cm-1", "cm^-1", "per cm"), PER_CM),
    **dict.fromkeys(("1/mm", "/mm", "mm-1", "mm^-1", "per mm"), PER_MM),
    **dict.fromkeys(("bq/ml", "bqml", "becquerels/ml"), "Bq/mL"),
    **dict.fromkeys(("kbq/ml", "kbqml"), "kBq/mL"),
    **dict.fromkeys(("hu", "hounsfield units"), "HU"),
}
"""Unit in headers, in lower case -> unit of the program."""
NAMES_A_MAP = re.compile(r"mu[-_ ]?map|umap|att[-_ ]?map|attenuation", re.IGNORECASE)


class InterfileImage(FramesReader):
    """Images in Interfile."""

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        squeezed = _squeezed(file.head)
        marks = {b"castorversion": "CASToR", b"namespace:=imagesubheader": "Siemens"}
        # CASToR before STIR, because a CASToR header can contain keys of STIR.
        maker = next((name for mark, name in marks.items() if mark in squeezed), "")
        if not maker and (b"keys:=stir" in squeezed or file.path.suffix.lower() == HEADER):
            maker = "STIR"
        return f"Interfile ({maker})" if maker else "Interfile"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if not is_interfile(file.head):
            return False
        squeezed = _squeezed(file.head)
        if cls.ends(file.path):
            return True
        is_other = any(mark in squeezed for mark in OTHERS)
        # Old programs do not state that a file is an image, so exclude marks of scans.
        is_complete = all(mark in squeezed for mark in REQUIRED) and not is_other
        is_marked = any(mark in squeezed for mark in MARKS)
        return b"nameofdatafile:=" in squeezed and (is_marked or is_complete)

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        """Read all images of the data file.

        Parameters
        ----------
        file
            open header

        Returns
        -------
        images
            one image, or one for each time frame

        Raises
        ------
        EngineError
            if header and data contradict each other, or values are infinite
        """
        header = read_header(file)
        shape = shape_of(header)
        grid, moved = grid_of(header, shape)
        stack, of_nan = _values(header, shape)
        # CASToR's y axis points the other way, see the module docstring.
        if header.text(CASTOR):
            stack = np.ascontiguousarray(stack[..., ::-1, :])
        provenance, notes = adjacent_provenance(file)
        # Facts of the header replace those of the sidecar, because they describe the stored values.
        info = {**provenance, **_facts(header, is_map=bool(NAMES_A_MAP.search(file.name)))}
        sides, note = _sides(header)
        stated = {HFS_AXES: FEETWARDS, **header.axes_facts} if sides == NO_SIDES else {}
        all_notes = (*notes, *note, *moved, *of_nan, *header.order_note())
        volume = Volume(
            stack[0],
            grid,
            _unit(header),
            {**info, **times_of(header), **stated, "axes": sides},
            all_notes,
            header.text("patient id") or "",
        )
        frames = framed(file.path, stack if len(stack) > 1 else stack[0], volume)
        return tuple(FrameVolume(frame, _as_it_was(header, each)) for frame, each in frames)


def _as_it_was(header: InterfileHeader, volume: Volume) -> Volume:
    """Return one of our images in the axes that it had before it was written."""
    # The writer turned it because Interfile has no words for LPS.
    if header.text(SIDES) != "LPS":
        return volume
    return in_scanner_frame(replace(volume, info={**volume.info, "axes": "LPS"}))


def _values(
    header: InterfileHeader, shape: tuple[int, int, int]
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Return values [t, z, y, x] with 0 for NaN, and a note on these."""
    kind = np.dtype(header.number_type)
    n_bytes = math.prod(shape) * kind.itemsize
    parts = parts_of(header, n_bytes)
    refuse_large_data(4 * len(parts) * math.prod(shape), header.path.name)
    with open_input(header.data_file) as data:
        # The end of the last frame must be the end of the file. Otherwise sizes or offsets are
        # wrong.
        refuse_other_size(header, data, max(part.start for part in parts) + n_bytes)
        refuse_others_data(header, data)
        stack = np.empty((len(parts), *shape), np.float32)
        for values, part in zip(stack, parts, strict=True):
            values[...] = data.array(kind, shape, part.start)
            if (part.slope, part.offset) != (1.0, 0.0):
                values *= np.float32(part.slope)
                values += np.float32(part.offset)
    stack, notes = nan_as_zero(header.path, stack)
    refuse_not_finite(header.path, stack[0] if len(stack) == 1 else stack)
    return stack, notes


def _squeezed(head: bytes) -> bytes:
    """Return a header in lower case without spaces and punctuation."""
    return head.lower().translate(None, b" \t!%")


def _unit(header: InterfileHeader) -> str:
    ours = header.text(UNIT)
    if ours is not None:
        return known_unit(header.path, ours)
    return UNITS.get((header.text("quantification units") or "").lower(), "")


def _facts(header: InterfileHeader, *, is_map: bool) -> Plain:
    unit = _unit(header)
    # Interfile has no key for μ-maps, so only the name and the unit show it.
    named = is_map or bool(NAMES_A_MAP.search(header.data_file.name))
    return {"content": CONTENT} if named and unit in ("", PER_CM, PER_MM) else {}


def _sides(header: InterfileHeader) -> tuple[str, tuple[str, ...]]:
    """Return the sides to which the axes point, and a note if they are unknown."""
    name, axes = header.path.name, header.axes
    if axes and axes != NO_SIDES:
        return axes, ()
    if not axes:
        note = f"{name}: the patient position is not stated; the axes are the scanner's x, y and z."
    else:
        note = (
            f"{name}: the patient position is {header.position}, not head first, supine; the axes "
            "are the scanner's x, y and z."
        )
    return NO_SIDES, (note,)
