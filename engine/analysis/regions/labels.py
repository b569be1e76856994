"""Regions as a label image: one whole number for each region.

A voxel gets the number of the region with the largest share of it, if that is at least a half. Of
equal shares the later region wins. Partial voxels are lost, and in overlaps all regions but one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.analysis.regions.coverage import HALF
from engine.analysis.regions.masks import MaskRegion
from engine.analysis.regions.measuring import coverage_of
from engine.analysis.regions.region_set import (
    COLOURS,
    MAX_REGIONS,
    Region,
    RegionSet,
    axes_of,
    is_name,
    marks_of,
)
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import write_with_sidecar
from engine.io.volumes.nifti import nifti_bytes, packed

UNIT = "label"
KEY, SCANS = "labels", "scans"
"""Keys of the provenance: names and colours by number, and marks of the scan."""
SUFFIXES = (".nii.gz", ".nii")


@dataclass(frozen=True)
class Labels:
    """Numbers of regions on a grid.

    Attributes
    ----------
    values : (n_z, n_y, n_x) 0 outside, else the number of the region, from 1
    n_shared : number of voxels that are at least half inside two or more regions
    """

    values: NDArray[np.int16]
    n_shared: int


def labels_of(regions: Sequence[Region], volume: Volume) -> Labels:
    """Return the numbers of regions on the grid of an image.

    Parameters
    ----------
    regions
        regions in order; the first has the number 1
    volume
        image that supplies the grid, and values for thresholds

    Raises
    ------
    DataError
        if a threshold region has no level in the image
    """
    numbers = np.zeros(volume.grid.shape, np.int16)
    best = np.zeros(volume.grid.shape, np.float32)
    # A byte is enough to count overlaps: a set has at most 200 regions.
    n_inside = np.zeros(volume.grid.shape, np.uint8)
    for number, region in enumerate(regions, 1):
        found = coverage_of(region.shape, volume)
        share, box = found.share.astype(np.float32), found.box
        is_claimed = (share >= HALF) & (share >= best[box])
        numbers[box][is_claimed] = number
        best[box][is_claimed] = share[is_claimed]
        n_inside[box] += share >= HALF
    return Labels(numbers, int(np.count_nonzero(n_inside > 1)))


def write_labels(regions: Sequence[Region], volume: Volume, path: Path) -> Labels:
    """Write regions as a NIfTI label image, with a sidecar file of names and colours.

    Parameters
    ----------
    regions
        regions in order; the first has the number 1
    volume
        image that supplies the grid
    path
        target, .nii or .nii.gz

    Returns
    -------
    Labels
        label image; it states if regions overlap, for a warning

    Raises
    ------
    DataError
        if the name has another suffix, or a region has no level in the image
    """
    if not path.name.lower().endswith(SUFFIXES):
        raise DataError(
            f"{path.name}: labels are written as NIfTI; choose a name that "
            "ends with .nii.gz or .nii."
        )
    labels = labels_of(regions, volume)
    # NIfTI has no place for names, so they go to the sidecar, with the marks that identify the
    # scan.
    names = {str(n): {"name": r.name, "colour": r.colour} for n, r in enumerate(regions, 1)}
    stated: Plain = {KEY: names, SCANS: list(marks_of(volume))}
    image = Volume(labels.values.astype(np.float32), volume.grid, UNIT, volume.info)
    # Labels are stored as int16: some programs treat float images as intensities, not as labels.
    content = packed(nifti_bytes(image, whole=True), path)
    write_with_sidecar(path, content, UNIT, {**stated, "axes": volume.axes})
    return labels


def regions_of(volume: Volume) -> RegionSet:
    """Return the regions of a label image, with the names of its sidecar.

    Parameters
    ----------
    volume
        image of whole numbers; 0 is background

    Raises
    ------
    DataError
        if a value is negative or fractional, there are too many labels, or none
    """
    numbers = np.unique(volume.values)
    wrong = numbers[(numbers != np.round(numbers)) | (numbers < 0)]
    if len(wrong) or len(numbers) > MAX_REGIONS + 1:
        if len(wrong):
            raise DataError(
                f"the image contains the value {wrong[0]:g}, expected whole numbers from 0; choose "
                "a label image."
            )
        raise DataError(
            f"the image has {len(numbers):,} different values, expected at most {MAX_REGIONS} "
            "labels; choose a label image."
        )
    if not numbers.any():
        raise DataError("all values of the image are 0; choose a label image.")
    stated = volume.info.get(SCANS)
    known = [str(mark) for mark in stated] if isinstance(stated, list) else []
    made = RegionSet(axes=axes_of(volume), scans=(*known, *marks_of(volume)))
    # Colours follow the order of the labels, because label numbers of other programs can be large.
    for k, number in enumerate(int(n) for n in numbers if n):
        name, colour = _named(volume.info, number)
        shape = MaskRegion.of(volume.values == number, volume.grid)
        region = Region(
            name=made.free_name(name), colour=colour or COLOURS[k % len(COLOURS)], shape=shape
        )
        made = made.model_copy(update={"regions": (*made.regions, region)})
    return made


def _named(info: Plain, number: int) -> tuple[str, str]:
    names = info.get(KEY)
    stated = names.get(str(number)) if isinstance(names, dict) else None
    known = stated if isinstance(stated, dict) else {}
    name, colour = str(known.get("name", "")), str(known.get("colour", ""))
    # The sidecar may have been edited by hand, so a colour that is none is replaced.
    is_colour = re.fullmatch("#[0-9a-fA-F]{6}", colour) is not None
    return name if is_name(name) else f"Label {number}", colour if is_colour else ""
