"""State the assumed patient position where the files of a scan do not give it."""

from __future__ import annotations

from engine.core.json_types import Plain

ASSUMED = "not stated (head first, supine is assumed)"
HFS_AXES = "hfs_axes"
"""Key of the sides to which the scanner's axes grow for a patient head first and supine."""
BY_USER = "stated by the user"
KEY = "patient_position"
STATED_AXES = "stated_axes"
"""Key of the sides to which the scanner's axes grow, by the position that a scan states."""
KNOWN_BY = ("axes", "patient_orientation")
"""Facts of a scan that say how the patient lay, or that there is none."""


def position_facts(info: Plain) -> Plain:
    """Return the fact that the patient position is assumed; {} if the scan states it."""
    return {} if any(key in info for key in KNOWN_BY) else {KEY: ASSUMED}


def axes_facts(info: Plain) -> Plain:
    """Return what the facts of a scan or image state of its axes; {} for "LPS"."""
    facts = {key: info[key] for key in ("axes", STATED_AXES, KEY) if info.get(key)}
    return facts if facts.get("axes", "LPS") != "LPS" else {}


def is_position_by_user(info: Plain) -> bool:
    """Return whether the user stated the patient position of an image."""
    return info.get(KEY) == BY_USER


def is_position_assumed(info: Plain) -> bool:
    """Return whether the provenance of an image records an assumed patient position."""
    scan = info.get("scan")
    return isinstance(scan, dict) and scan.get(KEY) == ASSUMED
