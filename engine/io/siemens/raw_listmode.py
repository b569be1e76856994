"""Read Siemens mMR list mode in raw DICOM (.dcm with .bf, .IMA, .ptd); words as in `mmr`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.io.base import ListModeReader
from engine.io.interfile.header import InterfileHeader
from engine.io.safety.open_input import InputFile
from engine.io.siemens.mmr import MARK, MmrWords, ring_named
from engine.io.siemens.raw import (
    BYTES,
    LIST_MODE,
    RawData,
    kind_behind,
    opened_behind,
)
from engine.io.siemens.raw_length import refuse_other_length


class SiemensRawListMode(ListModeReader):
    """Siemens Biograph mMR, list mode in raw DICOM."""

    name: ClassVar[str] = "Siemens raw DICOM list mode"
    format_name: ClassVar[str] = "Siemens raw DICOM"
    suffixes: ClassVar[tuple[str, ...]] = (".ptd", ".IMA", ".dcm")
    companions: ClassVar[tuple[str, ...]] = (BYTES,)

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
