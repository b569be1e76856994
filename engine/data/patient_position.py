"""Facts about the patient position, which the files of a scan do not always state."""

from __future__ import annotations

from engine.core.json_types import Plain

ASSUMED = "not stated (head first, supine is assumed)"
HFS_AXES = "hfs_axes"
"""Key of the patient sides of the scanner's axes for head first, supine."""
BY_USER = "stated by the user"
KEY = "patient_position"
STATED_AXES = "stated_axes"
"""Key of the patient sides of the scanner's axes for the stated position."""
KNOWN_BY = ("axes", "patient_orientation")
"""Facts of a scan that state the patient position, or that there is no patient."""


def position_facts(info: Plain) -> Plain:
    """Return the fact that the patient position is assumed.

    Parameters
    ----------
    info
        facts of the scan

    Returns
    -------
    empty if the scan states the position
    """
    return {} if any(key in info for key in KNOWN_BY) else {KEY: ASSUMED}


def axes_facts(info: Plain) -> Plain:
    """Return the facts about the axes of a scan or image; empty for "LPS"."""
    facts = {key: info[key] for key in ("axes", STATED_AXES, KEY) if info.get(key)}
    return facts if facts.get("axes", "LPS") != "LPS" else {}


def with_axes_facts(provenance: Plain, info: Plain) -> Plain:
    """Return a provenance with the facts about the axes of an image, which its caller can lack.

    Parameters
    ----------
    provenance
        origin of the image as JSON values
    info
        facts of the image itself, which a user can have changed
    """
    return {**provenance, **axes_facts(info)}


def is_position_by_user(info: Plain) -> bool:
    """Return True if the user stated the patient position of an image."""
    return info.get(KEY) == BY_USER


def is_position_assumed(info: Plain) -> bool:
    """Return True if the provenance of an image records an assumed patient position."""
    scan = info.get("scan")
    return isinstance(scan, dict) and scan.get(KEY) == ASSUMED
