"""Find the scanner of a scan that does not name one: the only scanner file in its folder."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import EngineError, ScannerMissingError
from engine.io.folder import entries
from engine.io.scanners import MAP_SUFFIXES
from engine.io.scanners.toml_scanner import is_scanner_toml


def adjacent_scanner(path: Path, of: str) -> str:
    """Return the path of the only scanner file or crystal map next to a scan.

    Parameters
    ----------
    path
        the scan
    of
        format of the scan, which the error passes on to the window

    Raises
    ------
    ScannerMissingError
        if the folder has no such file, or several
    """
    found = [each for each in entries(path.parent) if _is_map(each) or is_scanner_file(each)]
    if len(found) == 1:
        return str(found[0])
    raise ScannerMissingError(
        f"{path.name}: the crystal positions are unknown. Scanner files in the same folder: "
        f"{len(found)}, expected: 1. Choose the scanner that was simulated, or "
        "keep only its .toml or crystal_map.txt in this folder.",
        of,
    )


def is_scanner_file(path: Path) -> bool:
    """Return True for a scanner file (.toml); a damaged one is none."""
    try:
        return path.suffix.lower() == ".toml" and is_scanner_toml(path)
    except EngineError:
        return False


def _is_map(path: Path) -> bool:
    return path.suffix.lower() in MAP_SUFFIXES and "crystal_map" in path.name.lower()
