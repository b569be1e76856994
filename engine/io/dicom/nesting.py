"""Limit how deeply the sequences of a DICOM object are nested, without recursion."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from engine.io.dicom.preamble import LONG_VRS

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

MAX_LEVELS = 64
"""Maximum number of nested sequences. Structured reports have about ten; pydicom fails at 190."""
TOO_DEEP = "its sequences are nested too deeply, more than {:,} levels"
DELIMITERS, ITEM, END_OF_ITEM = 0xFFFE, 0xE000, 0xE00D
HEAD_BYTES = 8
"""Tag and length of an item."""
UNDEFINED = 0xFFFFFFFF


def refuse_deep(found: Dataset) -> None:
    """Refuse an object with too many nested sequences, before its values are parsed.

    Parameters
    ----------
    found
        object as read, with unparsed values

    Raises
    ------
    ValueError
        states the limit
    """
    is_implicit, is_little = found.original_encoding
    # Sequences of undefined length are parsed while reading. Those of defined length are bytes.
    waiting = [(found, 1)]
    while waiting:
        dataset, level = waiting.pop()
        for tag in tuple(dataset.keys()):
            element = dataset.get_item(tag, keep_deferred=True)
            value = getattr(element, "value", None)
            if isinstance(value, bytes) and str(getattr(element, "VR", "")) in ("SQ", "None", "UN"):
                inner = _levels(value, is_implicit=bool(is_implicit), is_little=bool(is_little))
                if level + inner > MAX_LEVELS:
                    raise ValueError(TOO_DEEP.format(MAX_LEVELS))
            elif getattr(element, "VR", "") == "SQ" and value:
                if level + 1 > MAX_LEVELS:
                    raise ValueError(TOO_DEEP.format(MAX_LEVELS))
                waiting += [(item, level + 1) for item in value]


def _levels(data: bytes, *, is_implicit: bool, is_little: bool) -> int:
    """Return the number of nested items in a value, at most one more than is allowed."""
    order, at, deepest = "<" if is_little else ">", 0, 0
    ends: list[float] = []  # of the items around the position
    while at + HEAD_BYTES <= len(data) and deepest <= MAX_LEVELS:
        while ends and at >= ends[-1]:
            ends.pop()
        group, element, length = struct.unpack_from(order + "HHI", data, at)
        if group != DELIMITERS:
            at = _end_of_attribute(data, at, order, is_implicit=is_implicit)
            continue
        at += HEAD_BYTES
        if element == ITEM:
            ends.append(math.inf if length == UNDEFINED else at + length)
            deepest = max(deepest, len(ends))
        elif element == END_OF_ITEM and ends:
            ends.pop()
    return deepest


def _end_of_attribute(data: bytes, at: int, order: str, *, is_implicit: bool) -> int:
    """Return the position after an attribute, or of the first item if it is a sequence."""
    vr = b"" if is_implicit else data[at + 4 : at + 6]
    # Some VRs have 2 reserved bytes and a length of 32 bits, all others one of 16 (PS3.5, 7.1.2).
    place, form = (at + 8, "I") if vr in LONG_VRS else (at + 6, "H") if vr else (at + 4, "I")
    start = place + struct.calcsize(form)
    if start > len(data):
        return len(data)
    (length,) = struct.unpack_from(order + form, data, place)
    begins = struct.unpack_from(order + "HH", data, start) if start + 4 <= len(data) else ()
    is_sequence = vr == b"SQ" or length == UNDEFINED or begins == (DELIMITERS, ITEM)
    return start if is_sequence else start + int(length)
