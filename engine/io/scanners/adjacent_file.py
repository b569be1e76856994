"""Find the scanner of a scan: the one that it states, or the only scanner file in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, ScannerMissingError
from engine.io.folder import entries
from engine.io.scanners import MAP_SUFFIXES, read_scanner
from engine.io.scanners.toml_scanner import builtin_keys, is_scanner_toml

if TYPE_CHECKING:
    from engine.geometry.scanner import Scanner


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


def stated_scanner(name: str, path: Path, of: str) -> Scanner:
    """Return the scanner that a scan states: a built-in one, or a scanner file in its folder.

    The name comes from a file of a stranger, so no other path is followed. Windows would send the
    user's login to another computer.

    Parameters
    ----------
    name
        key of a built-in scanner, or name of a scanner file or crystal map next to the scan
    path
        the scan
    of
        format of the scan, which the error passes on to the window

    Raises
    ------
    ScannerMissingError
        if there is no such scanner
    """
    if name in builtin_keys():
        return read_scanner(name)
    if any(each.name == name for each in entries(path.parent)):
        return read_scanner(str(path.parent / name))
    raise ScannerMissingError(
        f"{path.name}: the scan states the scanner {name!r}, which is neither a built-in scanner "
        "nor a file in the same folder. Choose the scanner of this scan.",
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
