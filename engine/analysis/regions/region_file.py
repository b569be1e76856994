"""Region files: readable TOML, with masks as compressed runs."""

from __future__ import annotations

from pathlib import Path

from engine.analysis.regions.dicom_regions import is_dicom_regions, read_dicom_regions
from engine.analysis.regions.labels import regions_of
from engine.analysis.regions.region_set import RegionSet
from engine.core.errors import ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.core.settings import parse, to_toml
from engine.io import read_volume
from engine.io.safety.atomic_write import write_atomically
from engine.io.text.toml_file import MAX_TOML_BYTES, read_toml

ENDING = ".regions.toml"
# The number at the end changes only if older versions can no longer read the file.
FORMAT = "isocenter-regions-1"


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
