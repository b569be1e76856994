"""Pseudonyms for patients whose identity is unknown."""

from __future__ import annotations

import re

PREFIX = "isocenter-"
PSEUDONYM = re.compile(PREFIX + "[0-9a-f]{12}")


def pseudonym_for(key: str) -> str:
    """Return the pseudonym for the patient of a scan.

    Parameters
    ----------
    key
        digest of the scan; the same scan always gets the same pseudonym
    """
    return f"{PREFIX}{key[:12]}"


def named(patient_id: str) -> str:
    """Return a patient ID, or "" if it is one of our pseudonyms, which name nobody.

    Examples
    --------
    >>> from engine.io.dicom.pseudonyms import named, pseudonym_for
    >>> named("4711"), named(pseudonym_for("0123456789abcdef"))
    ('4711', '')
    """
    return "" if PSEUDONYM.fullmatch(patient_id) else patient_id
