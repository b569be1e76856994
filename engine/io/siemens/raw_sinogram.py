"""Sinograms of Siemens' PET scanners in raw DICOM (.dcm with .bf, .IMA, .ptd)."""

from __future__ import annotations

from typing import ClassVar

from engine.core.errors import FileFormatError
from engine.data.sinogram import Sinogram
from engine.io.base import SinogramReader
from engine.io.safety.open_input import InputFile
from engine.io.siemens.raw import BYTES, SINOGRAM, kind_behind, opened_behind
from engine.io.siemens.raw_length import refuse_other_length
from engine.io.siemens.sinogram import sinogram_of


class SiemensRawSinogram(SinogramReader):
    """Sinograms of Siemens' PET scanners in raw DICOM."""

    name: ClassVar[str] = "Siemens raw DICOM sinograms"
    format_name: ClassVar[str] = "Siemens raw DICOM"
    suffixes: ClassVar[tuple[str, ...]] = (".ptd", ".IMA", ".dcm")
    companions: ClassVar[tuple[str, ...]] = (BYTES,)

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
