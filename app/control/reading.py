"""Reading and checking the files of a study, away from the window's thread."""

from __future__ import annotations

from pathlib import Path

from app.models.inputs import DATA, SCANNER, Input
from engine.data import InputRole
from engine.errors import EngineError
from engine.geometry import Scanner
from engine.modalities import all_roles, summarise


def read_input(role: str, value: str, scanner: str | None, geometry: Scanner | None) -> Input:
    """Read one input whole and say what it is, or why it cannot be used.

    Parameters
    ----------
    role
        part of the study
    value
        path, or the name of a scanner
    scanner
        scanner of the study, for a scan that does not name its own
    geometry
        scanner in use, for auxiliary files
    """
    try:
        if role == DATA:
            return _scan(value, scanner)
        if role == SCANNER:
            return _scanner(value)
        found = next(each for each in all_roles() if each.key == role)
        return _auxiliary(found, value, geometry)
    except EngineError as e:
        return Input(value, fault=str(e))


def _scan(value: str, scanner: str | None) -> Input:
    scan = summarise(Path(value), scanner)
    if scan.fault:
        return Input(value, fault=scan.fault)
    return Input(value, scan.text, content=scan)


def _scanner(value: str) -> Input:
    from engine.io import read_scanner

    scanner = read_scanner(value)
    return Input(value, f"{scanner.name}: {scanner.describe()}", content=scanner)


def _auxiliary(role: InputRole, value: str, geometry: Scanner | None) -> Input:
    if geometry is None:
        return Input(value, fault=f"{Path(value).name}: open a scan or choose a scanner first.")
    content = role.read(Path(value), geometry)
    return Input(value, role.describe(content), content=role.summary(content))
