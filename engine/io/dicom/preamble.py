"""Recognise DICOM files by their first bytes.

A file normally begins with a preamble and a meta header (PS3.10, 7.1). Old archives omit both. Such
a
file is recognised by its first attributes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import islice, pairwise

MAGIC, MAGIC_AT = b"DICM", 128
UID_ROOT = b"1.2.840.10008."
"""Root of the UIDs of the standard, one of which every object contains."""
FIRST_GROUPS = (0x0002, 0x0008)
"""First groups of a file without a preamble."""
MIN_ATTRIBUTES = 3
"""Number of plausible attributes after which a file without a preamble counts as DICOM."""
LONG_VRS = (b"OB", b"OW", b"SQ", b"UN", b"UT", b"UC", b"UR")


def has_preamble(head: bytes) -> bool:
    """Return True if the first bytes contain the preamble of a DICOM file."""
    return head[MAGIC_AT : MAGIC_AT + len(MAGIC)] == MAGIC


def is_dicom(head: bytes) -> bool:
    """Return True if the first bytes are DICOM, with or without a preamble.

    Parameters
    ----------
    head
        first bytes of the file, at least a few hundred
    """
    return has_preamble(head) or begins_with_attributes(head)


def begins_with_attributes(head: bytes) -> bool:
    """Return True for ascending DICOM attributes with plausible lengths and a UID."""
    if UID_ROOT not in head:
        return False
    # Without a meta header, byte order and VR encoding are unknown, so all four are tried.
    return any(_is_plausible(head, order, explicit) for order in "<>" for explicit in (True, False))


def _is_plausible(head: bytes, order: str, explicit: bool) -> bool:
    tags = list(islice(_tags(head, order, explicit), MIN_ATTRIBUTES))
    rising = all(a < b for a, b in pairwise(tags))
    return len(tags) == MIN_ATTRIBUTES and tags[0] >> 16 in FIRST_GROUPS and rising


def _tags(head: bytes, order: str, explicit: bool) -> Iterator[int]:
    """Yield the tags of attributes until one is implausible or the bytes end."""
    at = 0
    while at + 12 <= len(head):
        group, element = struct.unpack_from(f"{order}HH", head, at)
        vr, start = head[at + 4 : at + 6], at + 8
        if explicit and not (vr.isalpha() and vr.isupper()):
            return
        # These VRs have 2 reserved bytes and a length of 32 bits, all others one of 16 (PS3.5,
        # 7.1.2).
        if explicit and vr in LONG_VRS:
            start += 4
        form = "H" if explicit and vr not in LONG_VRS else "I"
        (length,) = struct.unpack_from(order + form, head, start - struct.calcsize(form))
        # All lengths are even. A longer value ends the check, because the rest is not in the first
        # bytes.
        if length % 2 or start + length > len(head):
            return
        yield group << 16 | element
        at = start + length
