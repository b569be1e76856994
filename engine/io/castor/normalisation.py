"""Read CASToR normalisations: the corrections of all lines, `Data mode: normalization`.

A record is [attenuation correction f4]; [normalisation correction f4]; crystals u4, u4. The
probability of a line is 1 over its normalisation correction, and 0 for lines that are not in the
file. The attenuation belongs to one patient, but a normalisation to the scanner, so it is ignored.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.data.components import Components
from engine.data.line_table import LineTable
from engine.geometry.scanner import Scanner
from engine.io.castor.header import is_header, read_header
from engine.io.castor.records import ACF, FLAGS, NORM
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import InputFile, open_input

MODE = "norm"
BYTES = 40
"""Memory for a line during reading [bytes]."""


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
    if header.whole("maximum number of lines per event") > 1:
        raise FileFormatError(
            f"{file.name}: entries for several lines of response are not supported; write one "
            "entry per line of response."
        )
    parts = [(name, "<f4") for name, there in flags.items() if there]
    record = np.dtype([*parts, ("first", "<u4"), ("second", "<u4")])
    with open_input(header.data_file) as data:
        n, rest = divmod(data.size, record.itemsize)
        # CASToR calls the lines of a normalisation events, too.
        promised = header.whole("number of events") or n
        if rest or n != promised:
            raise FileFormatError(
                f"{data.name}: contains {n:,} lines of {record.itemsize} bytes and {rest} more "
                f"bytes, but {file.name} states {promised:,} lines; copy both files again."
            )
        refuse_large_data(n * BYTES, data.name, "its lines")
        lines = data.array(record, (n,))
        pairs = np.stack([lines["first"], lines["second"]], -1)
        corrections = np.asarray(lines[NORM], np.float64)
        name = data.name
    _refuse(pairs, corrections, scanner, name)
    with np.errstate(divide="ignore"):
        # A correction of 0 marks a line that detects nothing.
        values = np.where(corrections > 0, 1 / corrections, 0)
    table = LineTable.of(pairs, values, scanner.n_crystals, name)
    left_out = f"{name}: its attenuation corrections are not used; load the scan's μ-map."
    return Components(lines=table, notes=(left_out,) if flags[ACF] else ())


def _refuse(
    pairs: np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
    corrections: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    scanner: Scanner,
    name: str,
) -> None:
    if int(pairs.max()) >= scanner.n_crystals:
        raise GeometryError(
            f"{name}: refers to crystal {int(pairs.max()):,}, but {scanner.name!r} has only "
            f"{scanner.n_crystals:,} crystals; choose this scanner's normalisation."
        )
    bad = ~(corrections >= 0) | np.isinf(corrections)
    if bad.any():
        k = int(np.argmax(bad))
        raise DataError(
            f"{name}: the correction of line {k:,} is {corrections[k]:g}, expected at least 0; "
            "write the file again."
        )
    if not (corrections > 0).any():
        raise DataError(f"{name}: all normalisation factors are 0; choose another normalisation.")


def read_castor_normalisation(path: Path, scanner: Scanner) -> Components | None:
    """Read a normalisation, None if the file is no CASToR normalisation."""
    with open_input(path) as file:
        return read_normalisation(file, scanner) if is_normalisation(file.head) else None
