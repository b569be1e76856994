"""Read Zeiss / Xradia `.txrm`: a compound file with a stream for each projection and each fact.

Streams, sizes and units are those of the readers of dxchange and CIL. PixelSize is the voxel size
at the axis [µm]; the detector pixel is larger by the magnification. As in CIL, row 0 is the lowest,
columns run to the right as seen from the source, and at angle θ the object is rotated by +θ. No
public file distinguishes a scan from its mirror image, so a note warns about it.

A compound file (OLE2) contains named streams of bytes; olefile reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.folder import exists
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.angles import read_angles
from engine.io.xray.frames import Images, allocate_images, assemble
from engine.io.xray.pose import RIGHT, UP, turned_cone, turned_parallel
from engine.io.xray.text.keyvalue import refuse_distances
from engine.io.xray.view_shifts import shifted_views

Streams = Callable[[str], bytes | None]
TYPES = {5: "<u2", 10: "<f4"}
TOMOGRAPHY, CONE = 0, 1
IN_A_FOLDER = 100
"""Number of projections in one storage of the compound file."""
MAX_VIEWS, MAX_PIXELS = 10**6, 2**16
MIRROR = (
    "the format does not state if the image is mirrored; compare it with markings on the object, "
    "and flip it if needed."
)
MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Zeiss(ProjectionsReader):
    """Zeiss scan."""

    format_name: ClassVar[str] = "Zeiss XRM"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if not file.head.startswith(MAGIC):
            return False
        try:
            with compound_streams(file) as stream:
                return stream("ImageInfo/ImageWidth") is not None
        except EngineError:
            return cls.ends(file.path)  # read() explains the damage

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        with compound_streams(file) as stream:
            return read_streams(stream, file.path)


@dataclass(frozen=True)
class _Facts:
    """Numbers of the streams under `ImageInfo`; required ones raise an error if missing."""

    stream: Streams
    path: Path

    def optional(self, name: str, kind: str = "<i4") -> NDArray[np.generic] | None:
        data = self.stream(name)
        size = np.dtype(kind).itemsize
        return None if data is None else np.frombuffer(data[: len(data) // size * size], kind)

    def number(self, name: str, kind: str = "<i4") -> float:
        values = self.optional(f"ImageInfo/{name}", kind)
        if values is None or not values.size or not np.isfinite(values[0]):
            raise FileFormatError(f"{self.path.name}: {name!r} is missing; export the scan again.")
        return float(values[0])

    def whole(self, name: str, maximum: int) -> int:
        number = int(self.number(name))
        if not 0 < number <= maximum:
            raise FileFormatError(
                f"{self.path.name}: {name!r} is {number:,}, expected 1 to {maximum:,}; copy the "
                "file again."
            )
        return number

    def each(self, name: str, n: int) -> NDArray[np.float64]:
        """Return a number for each of n views."""
        values = self.optional(name, "<f4")
        n_found = 0 if values is None else len(values)
        if values is None or n_found < n:
            raise FileFormatError(
                f"{self.path.name}: the number of values of {name!r} is {n_found:,}, expected "
                f"{n:,} (one per projection); export the scan again."
            )
        return np.asarray(values[:n], np.float64)


def read_streams(stream: Streams, path: Path) -> Projections:
    """Return the scan in the streams of a compound file.

    Parameters
    ----------
    stream
        function that returns the bytes of a named stream, None if there is none
    path
        the file; a reference file can be next to it

    Raises
    ------
    FileFormatError
        if streams are missing or damaged, or the file is not a simple scan
    """
    facts = _Facts(stream, path)
    _refuse_others(facts)
    n_views = facts.whole("ImagesTaken", MAX_VIEWS)
    shape = facts.whole("ImageHeight", MAX_PIXELS), facts.whole("ImageWidth", MAX_PIXELS)
    angles = read_angles(facts.each("ImageInfo/Angles", n_views), "deg", f"{path.name}: Angles")
    kind = _type(path, int(facts.number("DataType")))
    values = _images(stream, path, (len(angles.rad), *shape), kind)
    notes = [*angles.notes, f"{path.name}: {MIRROR}"]
    # A scan that was stopped early has fewer images than planned; its streams are complete.
    planned = int(facts.number("NoOfImages"))
    if planned > n_views:
        notes.append(f"{path.name}: {n_views:,} of {planned:,} planned projections were recorded.")
    geometry = _geometry(facts, angles.rad, shape)
    flats = _reference(facts, shape, notes)
    moves = [facts.optional(f"Alignment/{axis}-Shifts", "<f4") for axis in "XY"]
    # Shifts are recorded for dynamic ring removal; scans without it lack the streams.
    if all(move is not None and len(move) >= len(values) for move in moves):
        x, y = (np.asarray(move, np.float64)[: len(values)] for move in moves)
        geometry = shifted_views(path, values, flats, geometry, x, y, notes)
    return assemble(
        path,
        values,
        geometry,
        "counts",
        flats=flats,
        whole_numbers=kind.kind == "u",
        info=_info(facts),
        notes=notes,
    )


def _refuse_others(facts: _Facts) -> None:
    """Refuse volumes, mosaics, and projections that are already divided by their reference."""
    mode = facts.optional("ImageInfo/AcquisitionMode")
    name = facts.path.name
    if mode is not None and mode.size and int(mode[0]) != TOMOGRAPHY:
        raise FileFormatError(
            f"{name}: contains a volume or single images, not a scan; open the .txrm file of the "
            "scan."
        )
    # "Mosiac" is the spelling in the files.
    fields = [facts.optional(f"ImageInfo/{name}") for name in ("MosiacRows", "MosiacColumns")]
    if all(n is not None and n.size and int(n[0]) > 1 for n in fields):
        raise FileFormatError(
            f"{name}: this is a mosaic of several fields; stitch it in the microscope software."
        )
    divided = facts.optional("ImageInfo/OriginalDataRefCorrected")
    if divided is not None and divided.size and int(divided[0]):
        raise FileFormatError(
            f"{name}: the projections are already divided by their reference; export them without "
            "this correction."
        )


def _type(path: Path, number: int) -> np.dtype[np.generic]:
    if number not in TYPES:
        raise FileFormatError(
            f"{path.name}: the data type is {number}, expected 5 (16-bit integers) or 10 (floating "
            "point); export the scan again."
        )
    return np.dtype(TYPES[number])


def _images(
    stream: Streams, path: Path, shape: tuple[int, int, int], kind: np.dtype[np.generic]
) -> Images:
    names = [f"ImageData{k // IN_A_FOLDER + 1}/Image{k + 1}" for k in range(shape[0])]
    # Check the last image first, before memory is allocated for all of them.
    _image(stream(names[-1]), path, names[-1], shape[1:], kind)
    values = allocate_images(shape, path.name)
    for k, name in enumerate(names):
        values[k] = _image(stream(name), path, name, shape[1:], kind)
    return values


def _image(
    data: bytes | None, path: Path, name: str, shape: tuple[int, int], kind: np.dtype[np.generic]
) -> NDArray[np.generic]:
    wanted = shape[0] * shape[1] * kind.itemsize
    if data is None or len(data) != wanted:
        raise FileFormatError(
            f"{path.name}: {name!r} has {len(data or b''):,} bytes, expected {wanted:,}; copy the "
            "file again."
        )
    return np.frombuffer(data, kind).reshape(shape)


def _geometry(facts: _Facts, angles: NDArray[np.float64], shape: tuple[int, int]) -> XrayGeometry:
    voxel = facts.number("PixelSize", "<f4") / 1000
    if voxel <= 0:
        raise FileFormatError(
            f"{facts.path.name}: PixelSize is {1000 * voxel:g} µm, expected more than 0; export "
            "the scan again."
        )
    if int(facts.number("XrayGeometry")) != CONE:
        # Microscopes with a condenser have a parallel beam.
        return turned_parallel(
            -angles, pixel_mm=(voxel, voxel), shape=shape, columns=RIGHT, rows=UP
        )
    source, detector = (
        # The sign only tells the side of the axis.
        float(abs(facts.each(f"ImageInfo/{end}toRADistance", 1)[0]))
        for end in "SD"
    )
    refuse_distances(facts.path, source, source + detector)
    # PixelSize is that at the axis.
    pixel = voxel * (source + detector) / source
    return turned_cone(
        -angles,
        source_mm=(0.0, -source, 0.0),
        detector_mm=(0.0, detector, 0.0),
        u_mm=(pixel, 0.0, 0.0),
        v_mm=(0.0, 0.0, pixel),
        shape=shape,
    )


def _reference(facts: _Facts, shape: tuple[int, int], notes: list[str]) -> Images | None:
    """Return the open beam: the reference in the file, otherwise the file that it names."""
    path = facts.path
    inside = facts.stream("ReferenceData/Image")
    if inside is not None:
        number = facts.optional("ReferenceData/DataType")
        kind = _type(path, int(number[0]) if number is not None and number.size else 10)
        image = _image(inside, path, "ReferenceData/Image", shape, kind)
        return np.asarray(image[None], np.float32)
    name = (facts.stream("ImageInfo/ReferenceFile") or b"").split(b"\0")[0].decode("latin-1")
    # The stored path is that of the microscope's Windows computer.
    adjacent = path.parent / PureWindowsPath(name).name
    if PureWindowsPath(name).name and exists(adjacent):
        with open_input(adjacent) as file, compound_streams(file) as stream:
            other = _Facts(stream, adjacent)
            size = other.whole("ImageHeight", MAX_PIXELS), other.whole("ImageWidth", MAX_PIXELS)
            return _images(
                stream, adjacent, (1, *size), _type(adjacent, int(other.number("DataType")))
            )
    if name:
        notes.append(
            f"{path.name}: contains no reference image, and {PureWindowsPath(name).name!r} is not "
            "next to it, so the open beam is unknown."
        )
    else:
        notes.append(f"{path.name}: contains no reference image, so the open beam is unknown.")
    return None


def _info(facts: _Facts) -> Plain:
    info: Plain = {"format": Zeiss.name}
    for key, name in (("voltage_kv", "Voltage"), ("current_ua", "Current")):
        number = facts.optional(f"ImageInfo/{name}", "<f4")
        if number is not None and number.size and float(number[0]) > 0:
            info[key] = float(number[0])
    return info


@contextmanager
def compound_streams(file: InputFile) -> Iterator[Callable[[str], bytes | None]]:
    """Open a compound file for reading streams.

    Parameters
    ----------
    file
        compound file

    Yields
    ------
    stream
        function that returns the bytes of a named stream, None if there is none

    Raises
    ------
    FileFormatError
        if the file is damaged, when it is opened or read
    """
    import olefile

    try:
        with olefile.OleFileIO(file.stream()) as tree:

            def stream(name: str) -> bytes | None:
                if not tree.exists(name):
                    return None
                return bytes(tree.openstream(name).read())

            yield stream
    # olefile raises errors of many types for damaged sector chains.
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as e:
        reason = " ".join(str(e).split())
        raise FileFormatError(
            f"{file.name}: damaged or truncated ({reason}); copy the file again."
        ) from e
