"""Check that raw data have the length that their header states."""

from __future__ import annotations

import math

from engine.core.errors import FileFormatError
from engine.io.interfile.header import InterfileHeader
from engine.io.siemens.raw import LIST_MODE, SINOGRAM, RawData

WORD_BYTES = 4
"""Size of a list-mode word and of a normalisation factor."""


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
            f"{raw.data.name}: contains {raw.n_bytes:,} bytes of {raw.kind}, but its header "
            f"{header.path.name} requires a multiple of {one:,}; copy both files from the scanner "
            "again."
        )


def _refuse_words(raw: RawData, header: InterfileHeader) -> None:
    """Refuse list mode with another number of words than its header states."""
    name, n_words = header.path.name, header.whole("total listmode word counts")
    if n_words is None:
        raise FileFormatError(
            f"{name}: the header does not state the number of words ('total listmode word "
            "counts'), so missing data could not be detected; copy the file from the scanner again."
        )
    n_bits = header.whole("lm event and tag words format (bits)") or 8 * WORD_BYTES
    if 8 * raw.n_bytes != n_words * n_bits:
        raise FileFormatError(
            f"{raw.data.name}: contains {raw.n_bytes:,} bytes of list mode, but the header in "
            f"{name} states {n_words:,} words of {n_bits} bits; copy both files from the scanner "
            "again."
        )
