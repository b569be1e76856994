"""What a file is for, so that it can be dropped anywhere on the window."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from engine.errors import UnknownFormatError
from engine.settings import read_toml

Purpose = Literal[
    "data",
    "scanner",
    "attenuation",
    "normalisation",
    "response",
    "study",
    "protocol",
    "volume",
]
BY_FORMAT: dict[str, Purpose] = {
    "Crystal efficiencies": "normalisation",
    "Crystal map": "scanner",
}


def purpose_of(path: Path) -> Purpose:
    """Return what a file is for; raises `EngineError` where nobody knows."""
    from engine.io import (
        HISTOGRAM_READERS,
        LISTMODE_READERS,
        VOLUME_READERS,
        inspect,
        is_projections,
    )
    from engine.io.open_input import open_head
    from engine.io.response_hdf5 import is_response

    if path.is_dir() and is_projections(path):
        return "data"
    head = open_head(path)
    if is_projections(path):
        return "data"
    if path.suffix.lower() == ".toml":
        return _purpose_of_toml(path)
    scans = [reader.accepts for reader in HISTOGRAM_READERS]
    scans += [reader.accepts for reader in LISTMODE_READERS]
    if any(accepts(path, head) for accepts in scans):
        return "data"
    if is_response(path, head):
        return "response"
    if any(reader.accepts(path, head) for reader in VOLUME_READERS):
        return "volume"
    report = inspect(path)
    if report.format in BY_FORMAT:
        return BY_FORMAT[report.format]
    raise UnknownFormatError(
        report.faults[0] if report.faults else f"{path.name}: this is a {report.format}."
    )


def _purpose_of_toml(path: Path) -> Purpose:
    values = read_toml(path)
    if "n_rings" in values or values.get("kind") in ("ring", "dual-head"):
        return "scanner"
    return "study" if "data" in values else "protocol"


def is_attenuation(unit: str, peak: float) -> bool:
    """Whether a volume is a μ-map rather than a picture: by its unit, else by its values."""
    return unit in ("1/mm", "1/cm") or (not unit and 0.001 < peak < 0.05)
