"""Find the scanner of a scan that does not name one: the only scanner file in its folder."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import EngineError, ScannerMissingError
from engine.io.folder import entries
from engine.io.scanners import MAP_SUFFIXES
from engine.io.scanners.toml_scanner import is_scanner_toml


def adjacent_scanner(path: Path, of: str) -> str:
    """Return the one scanner file or crystal map in the folder of a scan of the format `of`."""
    beside = [each for each in entries(path.parent) if _is_scanner(each)]
    if len(beside) == 1:
        return str(beside[0])
    found = f"{len(beside)} scanner files" if beside else "no scanner file"
    raise ScannerMissingError(
        f"{path.name}: {found} next to it, so the crystal positions are unknown; name the "
        "simulated scanner, or put its .toml or crystal_map.txt in the folder.",
        of,
    )


def _is_scanner(path: Path) -> bool:
    if path.suffix.lower() in MAP_SUFFIXES:
        return "crystal_map" in path.name.lower()
    try:
        return path.suffix.lower() == ".toml" and is_scanner_toml(path)
    except EngineError:
        return False
