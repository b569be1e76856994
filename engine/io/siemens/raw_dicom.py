"""Read list mode and sinograms of Siemens PET scanners in raw DICOM (.dcm with .bf, .IMA, .ptd).

The words of list mode are those of `mmr`.

The data must have the length that their header states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.data.sinogram import Sinogram
from engine.io.base import ListModeReader, SinogramReader
from engine.io.interfile.header import InterfileHeader
from engine.io.safety.open_input import InputFile
from engine.io.siemens.mmr import MARK, MmrWords, ring_named
from engine.io.siemens.raw import (
    LIST_MODE,
    SINOGRAM,
    RawData,
    kind_behind,
    opened_behind,
)
from engine.io.siemens.sinogram import sinogram_of

WORD_BYTES = 4
"""Size of a list-mode word and of a normalisation factor."""


class SiemensRawListMode(ListModeReader):
    """Siemens Biograph mMR, list mode in raw DICOM."""

    format_name: ClassVar[str] = "Siemens raw DICOM"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return kind_behind(file) == LIST_MODE

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        with cls.pieces(file, scanner=scanner) as words:
            return words.whole()

    @classmethod
    @contextmanager
    def pieces(cls, file: InputFile, *, scanner: str | None = None) -> Iterator[MmrWords]:
        ring = ring_named(scanner)
        with opened_behind(file) as (raw, stated, data):
            _refuse_other_words(raw, stated)
            yield MmrWords(data, stated, ring)


def _refuse_other_words(raw: RawData, header: InterfileHeader) -> None:
    """Refuse words of another scanner or with another length than the header states."""
    # Words of other Siemens scanners have other formats, such as 64 bits with TOF.
    if MARK not in raw.text.lower().encode():
        raise FileFormatError(
            f"{header.path.name}: only list mode from the mMR is supported; to use this file in "
            "another program, extract it with `isocenter dicom extract`."
        )
    refuse_other_length(raw, header)


class SiemensRawSinogram(SinogramReader):
    """Sinograms of Siemens' PET scanners in raw DICOM."""

    format_name: ClassVar[str] = "Siemens raw DICOM"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return kind_behind(file) == SINOGRAM

    @classmethod
    def read(cls, file: InputFile) -> Sinogram:
        with opened_behind(file) as (raw, header, data):
            # The message differs from that of `refuse_compressed`, because the data must be
            # extracted first.
            if (header.text("compression") or "off").lower() == "on":
                raise FileFormatError(
                    f"{header.path.name}: its bins use a compression that only Siemens software "
                    "can read; extract it with `isocenter dicom extract`, decompress it with "
                    "intfcompr, and open the result."
                )
            refuse_other_length(raw, header)
            return sinogram_of(header, data)


def refuse_other_length(raw: RawData, header: InterfileHeader) -> None:
    """Refuse data with another length than their header states.

    Parameters
    ----------
    raw
        data of any kind
    header
        header of the same file

    Raises
    ------
    FileFormatError
        if words are missing, or the bytes do not fill the bins
    """
    one = header.whole("number of bytes per pixel") or 1 if raw.kind == SINOGRAM else WORD_BYTES
    if raw.kind == LIST_MODE:
        _refuse_words(raw, header)
    if raw.kind == SINOGRAM:
        # The size of compressed bins is unknown.
        if (header.text("compression") or "off").lower() != "off":
            return
        sizes = (header.text(f"matrix size [{k}]") for k in range(1, 5))
        one *= math.prod(int(size) for size in sizes if size and size.isdigit())
    # A multiple: a file can contain several sinograms (prompts, randoms).
    if one < 1 or raw.n_bytes % one:
        raise FileFormatError(
            f"{raw.data.name}: contains {raw.n_bytes:,} bytes, but its header "
            f"{header.path.name} requires a multiple of {one:,}; copy both files from the scanner "
            "again."
        )


def _refuse_words(raw: RawData, header: InterfileHeader) -> None:
    """Refuse list mode with another number of words than its header states."""
    name, n_words = header.path.name, header.whole("total listmode word counts")
    if n_words is None:
        raise FileFormatError(
            f"{name}: the header does not state the number of words ('total listmode word "
            "counts'), so missing data would go undetected; copy the file from the scanner again."
        )
    n_bits = header.whole("lm event and tag words format (bits)") or 8 * WORD_BYTES
    if 8 * raw.n_bytes != n_words * n_bits:
        raise FileFormatError(
            f"{raw.data.name}: contains {raw.n_bytes:,} bytes of list mode, but the header in "
            f"{name} states {n_words:,} words of {n_bits} bits; copy both files from the scanner "
            "again."
        )
