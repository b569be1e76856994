"""Pseudonymous patient numbers for unnamed patients."""

from __future__ import annotations

import re

PREFIX = "isocenter-"
PSEUDONYM = re.compile(PREFIX + "[0-9a-f]{12}")


def pseudonym_for(key: str) -> str:
    """Return the number of whoever the scan with this digest is of."""
    return f"{PREFIX}{key[:12]}"


def named(patient_id: str) -> str:
    """Return the number of a patient, empty where it is a pseudonym of ours, which names nobody.

    Examples
    --------
    >>> from engine.io.dicom.pseudonyms import named, pseudonym_for
    >>> named("4711"), named(pseudonym_for("0123456789abcdef"))
    ('4711', '')
    """
    return "" if PSEUDONYM.fullmatch(patient_id) else patient_id
