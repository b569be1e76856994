"""State the assumed patient position where the files of a scan do not give it."""

from __future__ import annotations

from engine.plain import Plain

ASSUMED = "not stated; head first, supine is assumed"
KEY = "patient_position"
KNOWN_BY = ("axes", "patient_orientation")
"""Facts of a scan that say how the patient lay, or that there is none."""


def position_facts(info: Plain) -> Plain:
    """Return the fact that the patient position is assumed; {} if the scan states it."""
    return {} if any(key in info for key in KNOWN_BY) else {KEY: ASSUMED}


def is_position_assumed(info: Plain) -> bool:
    """Return whether the provenance of an image records an assumed patient position."""
    scan = info.get("scan")
    return isinstance(scan, dict) and scan.get(KEY) == ASSUMED
