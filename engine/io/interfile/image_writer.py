"""Write Interfile images as STIR does: a header (.hv) and its values (.v).

Interfile has no letters for patient sides. For a patient in HFS, z points to the feet. So a volume
in
LPS is turned round, and for an unknown position none is stated. Values are written unchanged, with
their unit in a comment.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import sidecar_path, writing_provenance
from engine.io.base import VolumeWriter
from engine.io.interfile.header import DIGEST, FEETWARDS, position_lines
from engine.io.interfile.image import SIDES, UNIT, VALUES
from engine.io.safety.atomic_write import refuse_impossible, write_all
from engine.io.volumes.header_name import named
from engine.io.volumes.straight_axes import in_scanner_frame


class InterfileImageWriter(VolumeWriter):
    """Interfile image, with its provenance in an adjacent JSON file."""

    detail: ClassVar[str] = "for STIR and SIRF; values and provenance in separate files"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, path.with_suffix(VALUES), sidecar_path(path)

    @classmethod
    def refuse_place(cls, path: Path) -> None:
        name = path.name
        # The header contains the name of the data, and readers strip spaces and refuse separators.
        if not name.isprintable() or name != name.strip() or any(sign in name for sign in "\\:"):
            raise FileFormatError(
                f"{name!r}: this name cannot be used in an Interfile header; avoid colons, "
                "backslashes, and spaces at the start or end."
            )
        for each in (path, path.with_suffix(VALUES)):
            refuse_impossible(each)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        cls.refuse_place(path)
        data = path.with_suffix(VALUES)
        # Interfile readers expect z towards the feet. Our own reader reverts this.
        turned = in_scanner_frame(volume) if volume.axes == "LPS" else volume
        stored = np.ascontiguousarray(turned.values, "<f4").tobytes()
        lines = _lines(turned, volume, data.name, sha256(stored).hexdigest())
        # Interfile 3.3 requires CR LF at line ends.
        head = ("\r\n".join(lines) + "\r\n").encode()
        digest = sha256(head).hexdigest()
        with writing_provenance(path, digest, volume.unit, provenance) as forget_older:
            # The header is last: a header without its data would be a broken image.
            write_all({data: stored, path: head}, forget_older)


def _lines(volume: Volume, before: Volume, data: str, digest: str) -> list[str]:
    grid = volume.grid
    x, y = (float(grid.centres_mm(axis)[0]) for axis in range(2))
    # STIR reads the z offset as a shift of the centre, but the x and y offsets as the first voxel.
    z = float(grid.centre_mm[2])
    lines = [
        "!INTERFILE  :=",
        f"; {named(volume)}",
        "!imaging modality := PT",
        f"name of data file := {data}",
        f"{DIGEST} := {digest}",
        f"{UNIT} := {volume.unit}",
        f"{SIDES} := {before.axes}",
        "!version of keys := STIR4.0",
        "!GENERAL DATA :=",
        *position_lines(FEETWARDS if before.axes == "LPS" else before.sides),
        "!GENERAL IMAGE DATA :=",
        "!type of data := PET",
        "imagedata byte order := LITTLEENDIAN",
        "!PET STUDY (General) :=",
        "!PET data type := Image",
        "process status := Reconstructed",
        "!number format := float",
        "!number of bytes per pixel := 4",
        "number of dimensions := 3",
    ]
    sizes = zip("xyz", reversed(grid.shape), grid.voxel_mm, (x, y, z), strict=True)
    for k, (axis, n, edge, first) in enumerate(sizes, start=1):
        lines += [
            f"matrix axis label [{k}] := {axis}",
            f"!matrix size [{k}] := {n}",
            f"scaling factor (mm/pixel) [{k}] := {float(edge)!r}",
            # `repr` writes the shortest text that gives the same number. Adding 0.0 avoids "-0.0".
            f"first pixel offset (mm) [{k}] := {first + 0.0!r}",
        ]
    return [
        *lines,
        "number of time frames := 1",
        "image scaling factor[1] := 1",
        "data offset in bytes[1] := 0",
        "!END OF INTERFILE :=",
    ]
