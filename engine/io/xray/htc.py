"""Read MATLAB files of the Helsinki Tomography Challenge 2022: a fan-beam slice and its parameters.

Only structs of simple numbers and texts. At angle 0 the source is at (0, distance, 0). The object
turns counter-clockwise, so the source turns clockwise. Columns run to the left as seen from the
source.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.io.base import ProjectionsReader
from engine.io.safety.open_input import InputFile
from engine.io.xray.angles import read_angles
from engine.io.xray.frames import assemble, refuse_count
from engine.io.xray.matlab import MARK, Value, entries, variables
from engine.io.xray.pose import turned_cone
from engine.io.xray.text.keyvalue import refuse_distances

NAMES = ("CtDataFull", "CtDataLimited")
MAX_BYTES = 2**28
FACTS = {"voltage_kv": "voltage", "current_ma": "current", "exposure_ms": "exposureTime"}


class HtcMatlab(ProjectionsReader):
    """Sinogram of the Helsinki Tomography Challenge."""

    format_name: ClassVar[str] = "HTC 2022 (MATLAB)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if not file.head.startswith(MARK) or file.size > MAX_BYTES:
            return False
        try:
            return any(each.name in NAMES for each in entries(file.read, file.size))
        except (ValueError, struct.error, zlib.error):
            return True  # read() explains the damage

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path = file.path
        found = next((value for name, value in _variables(file) if name in NAMES), None)
        data = _Struct(found, path)
        parameters = _Struct(data.field("parameters"), path)
        sinogram = data.numbers("sinogram")
        if sinogram.ndim != 2:
            raise FileFormatError(
                f"{path.name}: the sinogram has {sinogram.ndim} axes, expected two (angle, pixel); "
                "export it again."
            )
        stated = parameters.numbers("angles").reshape(-1)
        refuse_count(path, len(sinogram), len(stated))
        angles = read_angles(stated, "deg", f"{path.name}: angles")
        values = np.ascontiguousarray(sinogram[: len(angles.rad), None], np.float32)
        sod = parameters.number("distanceSourceOrigin")
        sdd = parameters.number("distanceSourceDetector")
        refuse_distances(path, sod, sdd)
        # "Post" values apply after binning, like the sinogram.
        pixel = parameters.number("pixelSizePost")
        n_pixels = int(parameters.number("numDetectorsPost"))
        if n_pixels != sinogram.shape[1]:
            raise GeometryError(
                f"{path.name}: the sinogram has {sinogram.shape[1]:,} pixels, but its parameters "
                f"state {n_pixels:,}; export it again."
            )
        geometry = turned_cone(
            # At angle 0 the source is at +y, half a turn from that of `turned_cone`, and it turns
            # clockwise.
            np.pi - angles.rad,
            source_mm=(0.0, -sod, 0.0),
            detector_mm=(0.0, sdd - sod, 0.0),
            u_mm=(-pixel, 0.0, 0.0),
            v_mm=(0.0, 0.0, pixel),
            shape=(1, n_pixels),
        )
        return assemble(
            path,
            values,
            geometry,
            "integrals",
            info={"format": cls.name, **parameters.facts()},
            notes=angles.notes,
        )


def _variables(file: InputFile) -> Iterator[tuple[str, Value]]:
    """Yield name and value of each variable; report damage as `FileFormatError`."""
    try:
        yield from variables(memoryview(file.read()), MAX_BYTES)
    except (ValueError, struct.error, zlib.error) as e:
        raise FileFormatError(
            f"{file.name}: damaged or truncated MATLAB file; copy it again. Reason: {e}."
        ) from e


class _Struct:
    """A MATLAB struct with one element and fields that are simple arrays."""

    def __init__(self, value: Value, path: Path) -> None:
        if not isinstance(value, dict):
            raise FileFormatError(
                f"{path.name}: the scan is not stored as a single struct; export it again from "
                "MATLAB."
            )
        self._value, self._path = value, path

    def field(self, name: str) -> Value:
        if name not in self._value:
            raise FileFormatError(
                f"{self._path.name}: has no field {name!r}; export it again from MATLAB."
            )
        value = self._value[name]
        if value is None:
            raise FileFormatError(
                f"{self._path.name}: the field {name!r} contains an object, expected numbers; "
                "export it again from MATLAB."
            )
        return value

    def numbers(self, name: str) -> NDArray[np.float64]:
        value = self.field(name)
        if not isinstance(value, np.ndarray) or not value.size:
            raise FileFormatError(
                f"{self._path.name}: the field {name!r} contains no numbers; export it again from "
                "MATLAB."
            )
        return np.asarray(value, np.float64)

    def number(self, name: str) -> float:
        number = float(self.numbers(name).reshape(-1)[0])
        if not 0 < number < np.inf:
            raise FileFormatError(
                f"{self._path.name}: {name!r} is {number:g}, expected a number above 0; export the "
                "file again from MATLAB."
            )
        return number

    def facts(self) -> Plain:
        """Facts of the scan, without names of people."""
        texts = {key: self._value.get(name) for key, name in FACTS.items()}
        return {key: text for key, text in texts.items() if isinstance(text, str) and text}
