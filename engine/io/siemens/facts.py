"""Read the facts of a Siemens list-mode header, and write notes on the scan."""

from __future__ import annotations

import math
import re
from pathlib import Path

from engine.core.json_types import Plain
from engine.data.formatting import Information
from engine.io.interfile.header import FEETWARDS, InterfileHeader
from engine.io.siemens.petlink import CountedWords

NAME = "Siemens mMR list mode"
FACTS: dict[str, tuple[str, type[str] | type[float]]] = {
    "isotope": ("isotope name", str),
    "half_life_s": ("isotope gamma halflife (sec)", float),
    "branching": ("isotope branching factor", float),
    "radiopharmaceutical": ("radiopharmaceutical", str),
    "injected_bq": ("tracer activity at time of injection (bq)", float),
    "patient_orientation": ("patient orientation", str),
    "frame_s": ("image duration (sec)", float),
    "energy_low_kev": ("energy window lower level (kev) [1]", float),
    "energy_high_kev": ("energy window upper level (kev) [1]", float),
}
"""Keys read from the header. All others are ignored, which excludes patient names."""


def info_of(header: InterfileHeader | None, counted: CountedWords | None, data_file: Path) -> Plain:
    """Return the known facts of a scan for `ListMode.info`.

    Parameters
    ----------
    header
        None if no header names the data file
    counted
        counts over all words; None while the scan is still being written
    data_file
        list-mode words; only its name is stored

    Returns
    -------
    info
        without the facts that the header does not state
    """
    # Only the file name: folders can contain the patient's name.
    info: Plain = {"format": NAME, "data_file": data_file.name}
    if counted is not None:
        info["n_time_tags"] = counted.n_time_tags
        info["n_other_tags"] = counted.n_other_tags
        info["n_events_in_gaps"] = counted.n_in_gaps
    if header is None:
        return info
    info["header_file"] = header.path.name
    # The axes follow from the patient position that the header states.
    info |= header.axes_facts
    info |= {name: _fact(header, key, kind) for name, (key, kind) in FACTS.items()}
    info["scan_start"] = _moment(header, "study")
    info["injected_at"] = _moment(header, "tracer injection")
    return {name: value for name, value in info.items() if value is not None}


def _fact(header: InterfileHeader, key: str, kind: type[str] | type[float]) -> str | float | None:
    text = header.text(key)
    if text is None:
        return None
    try:
        # A damaged optional fact must not prevent reading the scan.
        value = kind(text)
    except ValueError:
        return None
    return value if isinstance(value, str) or math.isfinite(value) else None


def _moment(header: InterfileHeader, what: str) -> str | None:
    """Return date and time of an event as ISO 8601; the date alone if the time is missing."""
    date = header.text(f"{what} date (yyyy:mm:dd)")
    if date is None or not re.fullmatch(r"\d{4}:\d\d:\d\d", date):
        return None
    day = date.replace(":", "-")
    # The time zone is part of the key: `study time (hh:mm:ss GMT+00:00)`.
    key = next((key for key in header.values if key.startswith(f"{what} time")), "")
    time = header.values.get(key, "")
    zone = re.search(r"gmt([+-]\d\d:\d\d)", key)
    if not re.fullmatch(r"\d\d:\d\d:\d\d", time):
        return day
    return f"{day}T{time}{zone[1] if zone else ''}"


def notes_of(header: InterfileHeader | None, counted: CountedWords) -> tuple[str, ...]:
    """Return notes for the user.

    Parameters
    ----------
    header
        None if no header names the data file
    counted
        counts over all words

    Returns
    -------
    notes
        one sentence each; those of type `Information` need no action
    """
    notes = []
    if header is None:
        notes.append("No header names this file, so isotope, dates and frame are unknown.")
    if header is not None and header.axes == FEETWARDS:
        notes.append(
            Information(
                "Positions are in scanner coordinates. For this head-first supine patient, +z "
                "points to the feet."
            )
        )
    elif header is not None and header.axes:
        notes.append(
            f"Patient position {header.position}: images are in scanner coordinates, and "
            "orientation letters follow that position. A μ-map must use the same coordinates."
        )
    if counted.first_ms > 0:
        notes.append(
            Information(
                f"The first time tag is {counted.first_ms:,} ms; times are counted from there."
            )
        )
    if counted.n_in_gaps:
        notes.append(f"{counted.n_in_gaps:,} events are in gaps between detector blocks.")
    return tuple(notes)
