"""Region files: readable TOML, with masks as compressed runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.analysis.regions.dicom_regions import is_dicom_regions, read_dicom_regions
from engine.analysis.regions.labels import regions_of
from engine.analysis.regions.region_set import RegionSet
from engine.core.errors import EngineError, ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.core.settings import parse, to_toml
from engine.io import read_volume
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.set_aside import set_aside
from engine.io.text.toml_file import MAX_TOML_BYTES, read_toml

ENDING = ".regions.toml"
# The number at the end changes only if older versions can no longer read the file.
FORMAT = "isocenter-regions-1"


@dataclass(frozen=True)
class StoredRegions:
    """Content of a region file that the program found itself, such as the one next to an image.

    Attributes
    ----------
    regions : the regions; None without a file, or if they cannot be used
    fault : reason why they cannot be used; empty without one
    """

    regions: RegionSet | None = None
    fault: str = ""


def regions_file_of(path: Path) -> Path:
    """Return the path of the region file next to a study or an image.

    Parameters
    ----------
    path
        file of the study or image; ".gz" is ignored, so that image.nii and image.nii.gz share one
    """
    stem = path.name.removesuffix(".gz")
    return path.with_name(stem.rpartition(".")[0] + ENDING if "." in stem else stem + ENDING)


def is_regions(table: Plain) -> bool:
    """Return True if the table of a TOML file has the format of regions."""
    return table.get("format") == FORMAT


def write_regions(regions: RegionSet, path: Path, *, private: bool = False) -> None:
    """Write regions as a file for `read_regions`, completely or not at all.

    Parameters
    ----------
    regions
        regions to write
    path
        target
    private
        True for a file that only its owner can read

    Raises
    ------
    ResourceError
        if masks are too large for a text file
    """
    # JSON is fast to make and shows the size; TOML of this size would take long.
    _refuse_large(path, len(regions.model_dump_json()))
    text = to_toml(regions).encode()
    _refuse_large(path, len(text))
    write_atomically(text, path, private=private)


def read_regions(path: Path) -> RegionSet:
    """Read a file of regions.

    Parameters
    ----------
    path
        TOML file

    Raises
    ------
    SettingsError
        if the file has another format, or a value is not valid

    Examples
    --------
    >>> from pathlib import Path
    >>> from engine.analysis.regions import Region, RegionSet, SphereRegion
    >>> from engine.analysis.regions import read_regions, write_regions
    >>> ball = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=10)
    >>> write_regions(RegionSet(regions=(Region(name="Lesion", shape=ball),)), Path("a.toml"))
    >>> read_regions(Path("a.toml")).regions[0].name
    'Lesion'
    """
    table = read_toml(path)
    if not is_regions(table):
        raise SettingsError(
            f"{path.name}: not a region file (its format is {table.get('format')!r}, expected "
            f"{FORMAT!r}); choose a region file."
        )
    return parse(RegionSet, table, where=path.name)


def regions_at(path: Path, scans: Iterable[str] | None = None) -> StoredRegions:
    """Read a region file that may be missing, damaged or of another scan.

    The user did not choose this file, so a fault in it must not stop work on the image.

    Parameters
    ----------
    path
        region file; it need not exist
    scans
        marks of the scan that the regions must belong to; None: of any scan
    """
    if not path.exists():
        return StoredRegions()
    try:
        found = read_regions(path)
    except EngineError as e:
        return StoredRegions(fault=str(e))
    if scans is not None and not found.is_of(scans):
        return StoredRegions(fault=f"{path.name}: these regions were drawn on another scan.")
    return StoredRegions(found)


def replace_regions(regions: RegionSet, path: Path) -> Path | None:
    """Write regions for their owner in place of earlier ones of the same scan.

    A file that cannot be read or belongs to another scan is not overwritten: it gets another name.
    Empty regions remove only a readable file of the same scan.

    Parameters
    ----------
    regions
        regions with the marks of their scan
    path
        region file; it need not exist

    Returns
    -------
    new path of a file that was set aside; None if there was none

    Raises
    ------
    ResourceError
        if a file cannot be written or set aside
    """
    is_own = not regions_at(path, regions.scans).fault
    if regions.is_empty:
        if is_own:
            path.unlink(missing_ok=True)
        return None
    aside = None if is_own else set_aside(path, ENDING)
    # Names of regions can describe a finding, so only the owner may read them.
    write_regions(regions, path, private=True)
    return aside


def read_any(path: Path) -> RegionSet:
    """Read regions from a region file, a DICOM file or a label image.

    Parameters
    ----------
    path
        .toml file, DICOM SEG or RTSTRUCT, or image of labels

    Raises
    ------
    EngineError
        if the file is none of these or damaged
    """
    if path.suffix.lower() == ".toml":
        return read_regions(path)
    if is_dicom_regions(path):
        return read_dicom_regions(path)
    return regions_of(read_volume(path))


def _refuse_large(path: Path, n_bytes: int) -> None:
    if n_bytes > MAX_TOML_BYTES:
        raise ResourceError(
            f"{path.name}: the regions need {n_bytes:,} bytes as text, expected at most "
            f"{MAX_TOML_BYTES:,}; save them as NIfTI labels."
        )
