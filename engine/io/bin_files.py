"""Read bin values of a scan: sinograms, components, and bins without a header."""

from __future__ import annotations

from pathlib import Path

from engine.data.bin_values import BareBins, BinValues, StatedBins
from engine.io.base import SinogramReader
from engine.io.folder import is_file
from engine.io.formats import SINOGRAM_READERS
from engine.io.interfile.header_search import header_for
from engine.io.safety.open_input import InputFile, open_input, refuse_not_finite
from engine.io.siemens.ecat8_norm import is_ecat8_norm, read_ecat8_norm
from engine.io.siemens.folder import BARE
from engine.io.siemens.sinogram import SiemensSinogram
from engine.io.unknown import unknown

NUMBERS = "<f4"


def read_bin_values(path: Path) -> BinValues:
    """Read values for the bins of a scan, such as a correction sinogram.

    Parameters
    ----------
    path
        a header, or the data that an adjacent header describes; Siemens data without a header are
        accepted too

    Returns
    -------
    values
        values with a stated layout, Siemens normalisation components, or bare float32 numbers whose
        layout follows from the scan

    Raises
    ------
    UnknownFormatError
        if the file is not a sinogram
    """
    sidecar = path.with_name(f"{path.name}.hdr")
    # Siemens appends ".hdr" to the full name of the data ("scan.s.hdr"), STIR replaces the suffix.
    described = sidecar if is_file(sidecar) else header_for(path) or path
    with open_input(described) as file:
        if is_ecat8_norm(file):
            return read_ecat8_norm(file)
        reader: type[SinogramReader] | None = SINOGRAM_READERS.accepting(file)
        if reader is not None:
            return StatedBins(reader.read(file), file.name, reader is SiemensSinogram)
        # Siemens software also writes such data without a header. Only its suffixes count, because
        # any file could be read as float32 numbers.
        if path.suffix.lower() in BARE:
            return _bare(file)
        raise unknown(file, "sinogram", SINOGRAM_READERS)


def _bare(file: InputFile) -> BareBins:
    values = file.array(NUMBERS, (file.size // 4,))
    refuse_not_finite(file.path, values)
    return BareBins(values, file.name)
