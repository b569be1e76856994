"""Facts of a scan without those that identify a patient."""

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
"""Facts of a scan whose words may go along. Of any other fact only numbers do: a file may hold what
its maker liked to write."""
MADE_BY_US = "isocenter-provenance-"
PSEUDONYM = re.compile(r"[a-z_]+-[0-9a-f]{8,}")


def harmless(facts: Plain) -> Plain:
    """Return the facts of a scan that may leave."""
    return {
        key: cleaned
        for key, value in facts.items()
        if (cleaned := _cleaned(key, value)) is not None
    }


def without_names(info: Plain) -> Plain:
    """Return where a volume or a scan comes from, without what may say whose it is.

    In a provenance of ours the files' pseudonyms, from their digests, stand for their names.
    """
    if not str(info.get("format", "")).startswith(MADE_BY_US):
        return harmless(info)
    inputs = {role: dict(file) for role, file in info.get("inputs", {}).items()}
    instead: dict[str, str] = {}
    for role, file in inputs.items():
        kind = "study" if role.startswith("data") else role
        name = str(file.get("name", ""))
        if not PSEUDONYM.match(name):
            file["name"] = f"{kind}-{str(file.get('sha256', ''))[:8]}{ending_of(name)}"
            instead |= {re.escape(name): file["name"]}
    names = Names(tuple(instead.items()))
    return names.values(info | {"inputs": inputs, "scan": harmless(info.get("scan", {}))})


def _cleaned(key: str, value: object) -> object:
    if isinstance(value, dict):
        return harmless(value)
    if isinstance(value, list | tuple):
        return [cleaned for each in value if (cleaned := _cleaned(key, each)) is not None]
    return value if not isinstance(value, str | Path) or key in HARMLESS else None
