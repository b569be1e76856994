"""Frames as messages of two parts: a header in JSON and the bytes of the values.

The header is that of the streams of beamlines,

    {"frame": i, "image_attributes": {"scan_index": 0 | 1 | 2}, "shape": [rows, columns],
     "type": "uint16"}

with 0 for darks, 1 for flats and 2 for projections. Our own part, "isocenter", adds the angle of a
frame. Separate messages contain the geometry of the whole scan (vectors of every view as float64)
and the end of the scan. Nothing is unpickled, and sizes must match.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.geometry.xray import Beam, XrayGeometry
from engine.live.core.frame import Frame, FrameKind
from engine.live.core.known_headers import Known, KnownHeaders
from engine.live.ct.playing import Played

OURS = "isocenter"
VECTORS = ("source_mm", "detector_mm", "u_mm", "v_mm")
MAX_HEADER_BYTES = 65_536
MAX_BYTES = 2**30
MAX_PIXELS = 65_536
"""Most rows or columns of a frame, and most views of a geometry."""
MAX_ANGLE_RAD = 1e6
"""Largest angle; a scan has at most some thousand turns."""
MAX_MM = 1e6
"""Largest coordinate of a geometry [mm]."""
KINDS = "uif"
FRAME_KINDS = tuple(FrameKind)
LONGEST_TYPE = 40
"""Most characters of the name of a type."""

Buffer: TypeAlias = "bytes | memoryview"


@dataclass(frozen=True)
class ScanEnd:
    """The sender has sent everything.

    Attributes
    ----------
    sent : number of projections sent
    """

    sent: int


Message: TypeAlias = Frame | XrayGeometry | ScanEnd


class FrameFacts(NamedTuple):
    """Facts that the headers of most frames of a stream share.

    Attributes
    ----------
    kind : dark, flat or projection
    shape : (n_rows, n_columns)
    dtype : number type
    n_bytes : size of the values
    ours : our own part of the header; its angle is that of an earlier frame
    """

    kind: FrameKind
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    n_bytes: int
    ours: Plain


_KNOWN = KnownHeaders[FrameFacts](OURS)


def message_of(frame: Played, *, is_bare: bool = False) -> list[Buffer]:
    """Return the message of a frame.

    Parameters
    ----------
    frame
        frame to send
    is_bare
        True to omit our own part, for receivers of other programs

    Returns
    -------
    message
        header and values; the values are not copied if they are contiguous and little-endian
    """
    begin, end = _header_around(frame.kind, frame.values.shape, frame.values.dtype)
    header = f"{begin}{frame.index}{end}"
    if frame.angle_rad is not None and not is_bare:
        header = f"{header[:-1]}, {json.dumps({OURS: {'angle_rad': frame.angle_rad}})[1:]}"
    return [header.encode(), _bytes_of(frame.values)]


def message_of_geometry(geometry: XrayGeometry) -> list[Buffer]:
    """Return the message that announces the geometry of a scan.

    Parameters
    ----------
    geometry
        geometry of all views
    """
    vectors = np.stack([getattr(geometry, name) for name in VECTORS], axis=1)
    header: Plain = {
        OURS: {"announce": "geometry", "beam": geometry.beam, "shape": list(geometry.shape)},
        "shape": list(vectors.shape),
        "type": _name_of(vectors.dtype),
    }
    return [json.dumps(header).encode(), _bytes_of(vectors)]


def message_of_end(sent: int) -> list[Buffer]:
    """Return the message that ends a scan."""
    return [json.dumps({OURS: {"announce": "end", "sent": sent}}).encode(), b""]


def read_message(parts: Sequence[Buffer], arrived_s: float, scan: int | None = None) -> Message:
    """Read a message.

    Parameters
    ----------
    parts
        parts of the message
    arrived_s
        time of arrival, by `time.monotonic` [s]
    scan
        number of the scan of a frame, if it is known

    Returns
    -------
    message
        a frame, the geometry of the scan, or its end

    Raises
    ------
    DataError
        if the message has another form or size than its header states, or is too large
    """
    if len(parts) != 2:
        raise DataError(
            f"the message has {len(parts)} parts, expected two (a JSON header and binary data); "
            "check the sending program."
        )
    text = bytes(parts[0])
    known = known_header(text)
    if known is not None:
        angle, (kind, shape, dtype, n_bytes, _) = known.angle_rad, known.facts
        is_angle = angle is None or -MAX_ANGLE_RAD <= angle <= MAX_ANGLE_RAD
        # All other headers, and wrong ones, are parsed
        if is_angle and memoryview(parts[1]).nbytes == n_bytes:
            values = np.ndarray(shape, dtype, parts[1])
            return Frame(kind, known.number, angle, values, arrived_s, 0, scan)
    header = header_of(text)
    ours = table_of(header, OURS)
    # Our own messages first: the end and the geometry have no frame number.
    # Receivers of other programs ignore unknown fields.
    announced = ours.get("announce")
    if announced == "end":
        return ScanEnd(integer_of(ours, "sent", 0, 2**53))
    if announced == "geometry":
        return _geometry(ours, _values(header, parts[1], 3))
    values = _values(header, parts[1], 2)
    kind = FRAME_KINDS[integer_of(table_of(header, "image_attributes"), "scan_index", 0, 2)]
    index, angle = integer_of(header, "frame", 0, 2**53), _angle(ours)
    facts = FrameFacts(kind, values.shape, values.dtype, values.nbytes, ours)
    _KNOWN.learn(text, header, facts)
    return Frame(kind, index, angle, values, arrived_s, 0, scan)


def known_header(text: bytes) -> Known[FrameFacts] | None:
    """Return the facts of a header like that of an earlier frame; None if it has to be parsed.

    Parameters
    ----------
    text
        header
    """
    return _KNOWN.find(text) if len(text) <= MAX_HEADER_BYTES else None


@lru_cache
def _name_of(kind: np.dtype[np.generic]) -> str:
    return kind.name  # NumPy needs 15 microseconds for it at each access


@lru_cache
def _header_around(
    kind: FrameKind, shape: tuple[int, ...], type_: np.dtype[np.generic]
) -> tuple[str, str]:
    """Return the parts of a frame's header before and after its number, which differs each time."""
    header = {
        "frame": 0,
        "image_attributes": {"scan_index": int(kind)},
        "shape": list(shape),
        "type": _name_of(type_),
    }
    begin, end = json.dumps(header).split("0", 1)
    return begin, end


def _bytes_of(values: Array) -> Buffer:
    # Little-endian on the wire, whatever the sender's machine is
    if values.flags.c_contiguous and values.dtype.isnative and sys.byteorder == "little":
        return values.data.cast("B")
    if not (values.flags.c_contiguous and values.dtype.str[0] != ">"):
        values = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return values.reshape(-1).view(np.uint8).data


def header_of(text: bytes) -> Plain:
    """Return the header of a message.

    Parameters
    ----------
    text
        UTF-8 JSON

    Raises
    ------
    DataError
        if the header is too long, or not a JSON object
    """
    # Before parsing: JSON of an unknown sender may be arbitrarily large or deep
    if len(text) > MAX_HEADER_BYTES:
        raise DataError(
            f"the message header has {len(text):,} bytes, but at most {MAX_HEADER_BYTES:,} are "
            "allowed; check the sending program."
        )
    try:
        header = _parsed(text)
    except (ValueError, RecursionError) as e:
        raise DataError(
            f"the message header is not valid JSON ({e}); check the sending program."
        ) from e
    if not isinstance(header, dict):
        raise DataError(
            f"the message header is {str(header)[:40]!r}, expected a JSON object; check the "
            "sending program."
        )
    return header


@lru_cache(1)
def _parsed(text: bytes) -> object:
    """Return the parsed header; the check of the sender and the reader need the same one."""
    # As text: bytes would be searched for other encodings
    return json.loads(text.decode())


def _values(header: Plain, data: Buffer, n_axes: int) -> NDArray[np.generic]:
    shape = header.get("shape")
    if not isinstance(shape, list) or len(shape) != n_axes:
        raise DataError(
            f"in the header, 'shape' is {str(shape)[:80]}, expected a list of {n_axes} integers."
        )
    for n in shape:
        if not (type(n) is int and 1 <= n <= MAX_PIXELS):
            integer_of({"shape": n}, "shape", 1, MAX_PIXELS)  # names the wrong number
    kind = _type(header.get("type"))
    # The size is checked before any memory is reserved for it
    wanted = prod(shape) * kind.itemsize
    n_bytes = memoryview(data).nbytes
    if wanted != n_bytes:
        raise DataError(
            f"the message has {n_bytes:,} bytes of values, but its header describes "
            f"{' x '.join(map(str, shape))} values of type {kind.name}, which need {wanted:,} "
            "bytes."
        )
    return np.frombuffer(data, kind).reshape(shape)


def _type(name: object) -> np.dtype[np.generic]:
    kind = _type_named(name) if isinstance(name, str) and len(name) <= LONGEST_TYPE else None
    if kind is None:
        raise DataError(
            f"in the header, 'type' is {str(name)[:40]!r}, expected a number type such as uint16 "
            "or float32."
        )
    return kind


@lru_cache
def _type_named(name: str) -> np.dtype[np.generic] | None:
    """Return the type with this name; None if it is not a number type. Every frame asks for it."""
    try:
        kind = np.dtype(name)
    # NumPy parses strings such as "i4,f4" and raises several kinds of errors
    except (TypeError, ValueError, SyntaxError):
        return None
    if kind.kind not in KINDS or kind.itemsize > 8:
        return None
    return kind.newbyteorder("<") if kind.byteorder == "=" else kind


def integer_of(values: Plain, key: str, minimum: int, maximum: int) -> int:
    """Return an integer of a header.

    Parameters
    ----------
    values
        header or a part of it
    key
        name of the number
    minimum, maximum
        allowed range

    Raises
    ------
    DataError
        if the value is missing, not an integer, or out of range
    """
    number = values.get(key)
    # In Python True is an integer, too
    if not isinstance(number, int) or isinstance(number, bool) or not minimum <= number <= maximum:
        raise DataError(
            f"in the header, {key!r} is {str(number)[:40]}, expected an integer from "
            f"{minimum} to {maximum:,}."
        )
    return number


def table_of(values: Plain, key: str) -> Plain:
    """Return an object within a header; empty if there is none."""
    table = values.get(key)
    return table if isinstance(table, dict) else {}


def _angle(ours: Plain) -> float | None:
    angle = ours.get("angle_rad")
    if angle is None:
        return None
    # A long integer has no float, and its digits can exceed the limit of `str`
    is_number = isinstance(angle, int | float) and not isinstance(angle, bool)
    if not is_number or not -MAX_ANGLE_RAD <= angle <= MAX_ANGLE_RAD:
        raise DataError(
            f"in the header, 'angle_rad' is {str(angle)[:40]}, expected a number in radians from "
            f"-{MAX_ANGLE_RAD:g} to {MAX_ANGLE_RAD:g}."
        )
    return float(angle)


def _beam(ours: Plain) -> Beam:
    match ours.get("beam"):
        case "parallel":
            return "parallel"
        case "cone":
            return "cone"
        case other:
            raise DataError(
                f"in the header, 'beam' is {str(other)[:40]!r}, expected 'cone' or 'parallel'."
            )


def _geometry(ours: Plain, vectors: NDArray[np.generic]) -> XrayGeometry:
    shape = ours.get("shape")
    if vectors.shape[1:] != (4, 3) or not isinstance(shape, list) or len(shape) != 2:
        raise DataError(
            f"the geometry has vectors of shape {vectors.shape} and a detector of shape "
            f"{str(shape)[:40]}, expected four vectors (x, y, z) for each view and [rows, "
            "columns] of the detector."
        )
    rows, columns = (integer_of({"shape": n}, "shape", 1, MAX_PIXELS) for n in shape)
    beam = _beam(ours)
    # Also refuses values that are not finite
    if not (np.abs(vectors) <= MAX_MM).all():
        raise DataError(
            f"the geometry has coordinates that are not numbers from -{MAX_MM:,.0f} to "
            f"{MAX_MM:,.0f} mm; check the sending program."
        )
    # A copy: the message's buffer belongs to ZeroMQ
    source, detector, u, v = (np.array(vectors[:, k], np.float64) for k in range(4))
    return XrayGeometry(beam, source, detector, u, v, (rows, columns))
