"""Inspect region files of this program and of DICOM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.io.dicom.preamble import is_dicom
from engine.io.folder import is_file
from engine.io.report import FORMAT, Report
from engine.io.safety.open_input import open_input
from engine.io.text.toml_file import read_toml

if TYPE_CHECKING:
    from engine.analysis.regions.region_set import RegionSet

KIND = "Regions"
SAVED = "Isocenter regions (TOML)"


def inspect_regions(path: Path) -> Report | None:
    """Return a report on a file of regions; None for any other file.

    A label image is reported as a volume, because its header does not distinguish them.

    Parameters
    ----------
    path
        file to inspect
    """
    try:
        name = _format_of(path)
    except EngineError:
        return None  # the general report names the error
    if name is None:
        return None
    from engine.analysis.regions.region_file import read_any

    with open_input(path) as file:
        head = ((FORMAT, name), ("Size", f"{file.size:,} bytes"))
    try:
        found = read_any(path)
    except EngineError as e:
        return Report(KIND, f"{KIND}, not usable", head, (str(e),))
    n = len(found.regions)
    facts = (*head, *_frame(path), *_facts(found))
    return Report(KIND, f"{n:,} {'region' if n == 1 else 'regions'}", facts)


def _format_of(path: Path) -> str | None:
    """Return the format of a file of regions; None for any other file."""
    if not is_file(path):
        return None
    # Every inspected file passes here, but only these two kinds need the modules of regions.
    if path.suffix.lower() == ".toml":
        from engine.analysis.regions.region_file import is_regions

        return SAVED if is_regions(read_toml(path)) else None
    with open_input(path) as file:
        if not is_dicom(file.head):
            return None
    from engine.analysis.regions.dicom_regions import is_dicom_regions
    from engine.io.dicom.storage import object_name

    if not is_dicom_regions(path):
        return None
    with open_input(path) as file:
        return object_name(file)


def _frame(path: Path) -> tuple[tuple[str, str], ...]:
    from engine.analysis.regions.dicom_regions import frames_of_reference, is_dicom_regions

    if not is_dicom_regions(path):
        return ()
    return (("Frame of reference", ", ".join(frames_of_reference(path)) or "not stated"),)


def _facts(found: RegionSet) -> tuple[tuple[str, str], ...]:
    names = ", ".join(region.name for region in found.regions)
    return ("Regions", names or "none"), ("Axes", found.axes)
