"""Conditions that a file meets if a reader can accept it, from its name and its first bytes.

They cost little and load no reader. A condition may be true for a file that its reader refuses,
but never false for one that it accepts. `tests/engine/io/test_format_list.py` compares them with
the readers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.io.safety.open_input import InputFile

Condition = Callable[["InputFile"], bool]

HDF5 = b"\x89HDF\r\n\x1a\n"
# MATLAB 7.3 files are HDF5 behind a 512-byte text (HDF5 user block).
BLOCK_OF_MATLAB = slice(512, 520)
# DICOM PS3.10, section 7.1: a preamble of 128 bytes, then "DICM". Old files lack both and are
# recognised by a UID that begins with the root of DICOM.
DICOM_AT = slice(128, 132)
UID_ROOT = b"1.2.840.10008."
GZIP = b"\x1f\x8b"
# Little and big endian; "*" is version 42, "+" is version 43 (BigTIFF).
TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
HEADER_LENGTHS = (b"\x5c\x01\0\0", b"\0\0\x01\x5c")
"""Length of the header of Analyze and NIfTI, in both byte orders."""
# The magic follows the 348-byte header of NIfTI-1, but precedes all fields of NIfTI-2.
NIFTI_AT, NIFTI_2_AT = slice(344, 347), slice(4, 7)
# MRC2014: word 53 of the header is "MAP ".
MRC_AT = slice(208, 211)
SIEMENS_RAW, LENGTH_BYTES = b"LARGE_PET_LM_RAWDATA", 4
"""Mark at the end of a Siemens raw file, without the length of its DICOM part."""


def begins(*marks: bytes, at: int = 0) -> Condition:
    """Return the condition that a file has one of these marks at a position.

    Parameters
    ----------
    *marks
        marks; any of them is enough
    at
        byte at which they are expected
    """
    return lambda file: file.head.startswith(marks, at)


def contains(*marks: bytes) -> Condition:
    """Return the condition that the first bytes contain all marks, whatever their case.

    Parameters
    ----------
    *marks
        bytes in lower case
    """

    def holds(file: InputFile) -> bool:
        head = file.head.lower()
        return all(mark in head for mark in marks)

    return holds


def ends(*suffixes: str) -> Condition:
    """Return the condition that a name has one of these suffixes, given in lower case."""
    return lambda file: file.path.name.lower().endswith(suffixes)


def either(*conditions: Condition) -> Condition:
    """Return the condition that at least one condition is met.

    Parameters
    ----------
    *conditions
        conditions, the cheapest first; later ones are skipped when one is met
    """
    return lambda file: any(one(file) for one in conditions)


def both(one: Condition, other: Condition) -> Condition:
    """Return the condition that two conditions are met.

    Parameters
    ----------
    one
        tested first, so it should be the cheaper one
    other
        tested only if the first is met
    """
    return lambda file: one(file) and other(file)


def named(name: str) -> Condition:
    """Return the condition that a file has this name, given in lower case."""
    return lambda file: file.path.name.lower() == name


def is_hdf5(file: InputFile) -> bool:
    """Return True if a file is HDF5, perhaps behind the text of MATLAB 7.3."""
    # The first file in a tar archive begins at the same byte.
    is_behind = file.head[BLOCK_OF_MATLAB] == HDF5 and not begins(b"ustar", at=257)(file)
    return file.head.startswith(HDF5) or is_behind


def is_ours(name: str) -> Condition:
    """Return the condition that an HDF5 file states one of our formats.

    Parameters
    ----------
    name
        value of its format attribute, such as "isocenter-volume"

    Returns
    -------
    condition
        also true for HDF5 that cannot be opened, so that its reader can state why
    """

    def holds(file: InputFile) -> bool:
        # h5py is slow to import, so only HDF5 files load it.
        from engine.io.hdf5.opening import format_of

        return is_hdf5(file) and format_of(file) in (name, None)

    return holds


def is_other_hdf5(file: InputFile) -> bool:
    """Return True if a file is HDF5 and does not state one of our formats."""
    from engine.io.hdf5.opening import format_of

    return is_hdf5(file) and not (format_of(file) or "").startswith("isocenter-")


def is_interfile(file: InputFile) -> bool:
    """Return True if a file begins as an Interfile header."""
    return file.head.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"!INTERFILE")


def may_be_dicom(file: InputFile) -> bool:
    """Return True if the first bytes contain the preamble of DICOM or a DICOM UID."""
    return file.head[DICOM_AT] == b"DICM" or UID_ROOT in file.head


def may_be_yardl(file: InputFile) -> bool:
    """Return True if a file, perhaps compressed with gzip, begins in the yardl encoding."""
    head = file.head
    if head.startswith(GZIP):
        try:
            # wbits = 31 selects the gzip container. A decompressor object accepts the incomplete
            # stream of the first bytes, while `gzip.decompress` would refuse it.
            head = zlib.decompressobj(wbits=31).decompress(head, 512)
        except zlib.error:
            return False
    return head.startswith(b"yardl")


def may_be_nifti(file: InputFile) -> bool:
    """Return True if a file has the magic or a suffix of NIfTI, or is compressed with gzip."""
    head = file.head
    # Any gzip file passes: its content is only known after decompression, which the reader does.
    is_marked = head[NIFTI_AT] == b"n+1" or head[NIFTI_2_AT] == b"n+2"
    return is_marked or head.startswith(GZIP) or ends(".nii", ".nii.gz")(file)


def is_root(file: InputFile) -> bool:
    """Return True if a file has the header of ROOT; /etc/passwd has only the word "root"."""
    # The third number, fBEGIN, is the place of the first record, and the same in every file (TFile)
    return file.head.startswith(b"root") and file.head[8:12] == (100).to_bytes(4, "big")


def is_mrc(file: InputFile) -> bool:
    """Return True if a file has the mark of MRC."""
    return file.head[MRC_AT] == b"MAP"


def may_be_siemens_raw(file: InputFile) -> bool:
    """Return True if a file is DICOM, or has the suffix or the end of Siemens raw data."""
    if file.head[DICOM_AT] == b"DICM" or ends(".bf", ".ptd")(file):
        return True
    # A .ptd file is list mode followed by its DICOM header, so its mark is at the end.
    n_bytes = len(SIEMENS_RAW) + LENGTH_BYTES
    return file.read(n_bytes, max(file.size - n_bytes, 0)).endswith(SIEMENS_RAW)
