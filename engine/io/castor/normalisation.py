"""Read CASToR normalisations: the corrections of all lines, `Data mode: normalization`.

A record is [attenuation correction f4]; [normalisation correction f4]; crystals u4, u4. The
probability of a line is 1 over its normalisation correction, and 0 for lines that are not in the
file. The attenuation belongs to one patient, but a normalisation to the scanner, so it is ignored.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.components import Components
from engine.geometry.scanner import Scanner
from engine.io.castor.header import is_header, read_header
from engine.io.castor.records import (
    ACF,
    FLAGS,
    NO_ATTENUATION,
    NORM,
    efficiencies_of,
    lines_of,
    pairs_of,
    refuse_several_lines,
)
from engine.io.safety.open_input import InputFile, open_input

MODE = "norm"


def is_normalisation(head: bytes) -> bool:
    """Return True if a file begins like the header of a normalisation."""
    if not is_header(head):
        return False
    # Decided from the first bytes, because this is asked for every file of a folder.
    mode = head.lower().partition(b"data mode")[2].partition(b"\n")[0]
    return mode.lstrip(b" \t:").startswith(MODE.encode())


def read_normalisation(file: InputFile, scanner: Scanner) -> Components:
    """Read the efficiencies of all lines.

    Parameters
    ----------
    file
        open header
    scanner
        scanner of the crystal numbers

    Raises
    ------
    EngineError
        if the file is damaged, has no normalisation, or belongs to another scanner
    """
    header = read_header(file)
    flags = {name: bool(header.number(*FLAGS[name][1])) for name in (ACF, NORM)}
    if not flags[NORM]:
        raise FileFormatError(
            f"{file.name}: contains no normalisation (its `Normalization correction flag` is 0); "
            "choose another file, or load a μ-map to correct for attenuation."
        )
    # Such an entry is the mean over several lines, which cannot be separated again.
    refuse_several_lines(header)
    parts = [(name, "<f4") for name, there in flags.items() if there]
    record = np.dtype([*parts, ("first", "<u4"), ("second", "<u4")])
    with open_input(header.data_file) as data:
        lines, name = lines_of(data, header, record), data.name
    pairs = pairs_of(lines, scanner, name, "Choose this scanner's normalisation.")
    table = efficiencies_of(lines, pairs, scanner, name)
    return Components(lines=table, notes=(f"{name}: {NO_ATTENUATION}",) if flags[ACF] else ())


def read_castor_normalisation(path: Path, scanner: Scanner) -> Components | None:
    """Read a normalisation, None if the file is no CASToR normalisation."""
    with open_input(path) as file:
        return read_normalisation(file, scanner) if is_normalisation(file.head) else None
