"""Find the DICOM series of a volume, if a second file belongs to the same series."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.io import scan_file
from engine.io.dicom.headers import Header, header_at
from engine.io.dicom.reader import headers_of


def series_behind(volume: Path, like: Path | None) -> Sequence[Header]:
    """Return the headers of a volume's series if `like` belongs to the same series.

    Parameters
    ----------
    volume
        image file
    like
        file of `--like`, or None

    Returns
    -------
    Sequence[Header]
        headers of all slices; empty if the series differ or a file is not DICOM
    """
    if like is None:
        return ()
    found = [header_at(scan_file(each)) for each in (volume, like)]
    # An empty UID means that a file is not DICOM: it belongs to no series
    series = {"" if each is None else each.series for each in found}
    return headers_of(scan_file(volume)) if len(series) == 1 and "" not in series else ()
