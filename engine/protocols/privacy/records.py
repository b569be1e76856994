"""Scan facts without those that identify a patient."""

from __future__ import annotations

import re
from pathlib import Path

from engine.core.json_types import Plain
from engine.protocols.privacy.key import ending_of
from engine.protocols.privacy.names import Names

HARMLESS = frozenset(
    (
        *("scanner", "crystals", "sensitivity", "response", "format", "source", "phantom", "axes"),
        *("patient_position", "stated_axes", "hfs_axes"),
        *(
            "isotope",
            "radiopharmaceutical",
            "administration",
            "patient_orientation",
            "scan_start",
            "injected_at",
        ),
        *("coordinates", "beam", "detector", "counts", "along", "values_sha256", "unit"),
        *("scanner_sha256", "efficiencies_sha256", "decay", "calibration_made_utc", "sex"),
        *("voltage_kv", "current_ma", "current_ua", "exposure_ms", "power_w", "averages"),
    )
)
"""Facts whose text may be passed on.

Of all other facts only numbers are: a file may contain any text.
"""
MADE_BY_US = "isocenter-provenance-"
PSEUDONYM = re.compile(r"[a-z_]+-[0-9a-f]{8,}")


def shareable(facts: Plain) -> Plain:
    """Return the facts of a scan that may be passed on.

    Parameters
    ----------
    facts
        facts by name, possibly nested

    Returns
    -------
    shareable
        numbers of all facts, and the texts of those in `HARMLESS`
    """
    # An allow list: vendors and sites can put a patient's name into any unknown field.
    return {
        key: cleaned
        for key, value in facts.items()
        if (cleaned := _cleaned(key, value)) is not None
    }


def without_names(info: Plain) -> Plain:
    """Return the origin of a volume or a scan without patient names.

    In a provenance written by Isocenter, pseudonyms from the digests replace the names of the
    files.

    Parameters
    ----------
    info
        `info` of a volume or a scan
    """
    if not str(info.get("format", "")).startswith(MADE_BY_US):
        return shareable(info)
    inputs = {role: dict(file) for role, file in info.get("inputs", {}).items()}
    instead: dict[str, str] = {}
    for role, file in inputs.items():
        kind = "study" if role.startswith("data") else role
        name = str(file.get("name", ""))
        # Names that are already pseudonyms are kept, so that the key still finds their files.
        if not PSEUDONYM.match(name):
            # A digest is the same on every machine, unlike the pseudonyms of the local key.
            file["name"] = f"{kind}-{str(file.get('sha256', ''))[:8]}{ending_of(name)}"
            instead |= {re.escape(name): file["name"]}
    # Names also occur in the replay command and in warnings, so the whole record is searched.
    names = Names(tuple(instead.items()))
    return names.values(info | {"inputs": inputs, "scan": shareable(info.get("scan", {}))})


def _cleaned(key: str, value: object) -> object:
    if isinstance(value, dict):
        return shareable(value)
    if isinstance(value, list | tuple):
        return [cleaned for each in value if (cleaned := _cleaned(key, each)) is not None]
    return value if not isinstance(value, str | Path) or key in HARMLESS else None
