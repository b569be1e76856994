"""Named protocols: those that come with the program and the user's own."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import EngineError
from engine.modalities import (
    MODALITIES,
    AnyModality,
    Protocol,
    modality_of,
    read_protocol,
    shipped_protocols,
)


def known_protocols(folder: Path, modality: AnyModality) -> list[Protocol]:
    """Return the shipped protocols of a modality, then the user's own, without damaged ones."""
    own = [each for each in _own(folder) if modality_of(each) is modality]
    return [*protocols_that_come(modality), *own]


def protocols_that_come(modality: AnyModality) -> list[Protocol]:
    """Return the protocols of a modality that come with the program, the standard one first."""
    standard = modality.standard()
    found = [each for each in shipped_protocols().values() if modality_of(each) is modality]
    if all(protocol.name != standard.name for protocol in found):
        found.insert(0, standard)
    return sorted(found, key=lambda protocol: protocol.name != standard.name)


def user_protocol_path(folder: Path, name: str, modality: AnyModality) -> Path:
    """Return the file of a protocol of the user's own."""
    stem = re.sub(r"[^\w-]+", "-", name).strip("-").lower() or "protocol"
    kind = "" if modality is MODALITIES[0] else f"{modality.key}-"
    return folder / "protocols" / f"{kind}{stem}.toml"


def protocols_left_out(folder: Path) -> list[str]:
    """Return why each of the user's own protocols that cannot be used is left out."""
    return _read_own(folder)[1]


def _own(folder: Path) -> list[Protocol]:
    return _read_own(folder)[0]


def _read_own(folder: Path) -> tuple[list[Protocol], list[str]]:
    found, faults = [], []
    for path in sorted((folder / "protocols").glob("*.toml")):
        try:
            found.append(read_protocol(path))
        except EngineError as e:
            faults.append(str(e))
    return found, faults
