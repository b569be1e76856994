"""A set of regions with names and colours, and the scan they belong to.

Regions use the coordinates of one scan. They are valid for all of its images, on any grid. On
images of another scan they have no meaning unless the user confirms it. A set therefore identifies
its scans by marks: the digest of the scan data, its pseudonym on this machine, or a digest of the
image if its scan is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from engine.analysis.regions.annotation import Annotation
from engine.analysis.regions.combined import AnyShape
from engine.analysis.regions.masks import MaskRegion
from engine.analysis.regions.planar import PlanarContours
from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.data.volume import Volume
from engine.geometry.patient_planes import to_patient_axes
from engine.io.dicom.values import named

Axes = Literal["LPS", "LPI", "xyz"]
COLOURS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#0a9aa6", "#bfa000", "#f032e6")
"""Colours of new regions, in turn; the contrast to black or white is at least 3:1."""
MAX_CHARACTERS = 60
MAX_REGIONS = 200
FORMULA_SIGNS = ("=", "+", "-", "@")
"""First characters that make spreadsheets compute a cell (CSV injection)."""
SAMPLED = 1 << 20
"""Maximum number of values for the mark of an image."""


class Region(Settings):
    """A named region of the patient."""

    name: str = setting(..., "Name", min_length=1, max_length=MAX_CHARACTERS)
    colour: str = setting(COLOURS[0], "Colour as #rrggbb", pattern="^#[0-9a-fA-F]{6}$")
    shown: bool = setting(True, "Show the region")
    shape: AnyShape = setting(..., "Shape of the region")

    @field_validator("name")
    @classmethod
    def _refuse_signs(cls, name: str) -> str:
        if not is_name(name):
            raise ValueError(
                "a name must not contain invisible characters, and must not begin with one of "
                f"{' '.join(FORMULA_SIGNS)}, because spreadsheets would read it as a formula"
            )
        return name


PATH, PRINT, VALUES = "scan:", "print:", "values:"
"""Beginnings of the marks of a path, of a fingerprint, and of the files behind a header."""
CONTENT = (PRINT, "data:", VALUES)
"""Beginnings of the marks of the content of a scan."""
MAX_VALUES = 2
"""Files behind a header that identify a scan."""


class RegionSet(Settings):
    """All regions of a scan.

    Attributes
    ----------
    axes : axes of the coordinates, as `Volume.axes`
    scans : marks of the scan, and of other scans for which the user confirmed the regions
    patient : patient ID if the file stated it; used for comparison, never written; else ""
    in_frame : True directly after reading from DICOM, which always uses the axes of the patient
    """

    format: Literal["isocenter-regions-1"] = "isocenter-regions-1"
    axes: Axes = setting("LPS", "Patient sides in the directions of x, y and z")
    scans: tuple[Annotated[str, Field(max_length=120)], ...] = setting(
        (), "Identifiers of the scan", max_length=50
    )
    regions: tuple[Region, ...] = setting((), "Regions in order", max_length=MAX_REGIONS)
    annotations: tuple[Annotation, ...] = setting(
        (), "Arrows, labels, distances and angles", max_length=MAX_REGIONS
    )

    patient: str = setting("", "Used for comparison, never written", exclude=True, repr=False)
    in_frame: bool = setting(
        False, "True directly after reading from DICOM, never written", exclude=True, repr=False
    )

    @model_validator(mode="after")
    def _refuse_twins(self) -> Self:
        names = [region.name for region in self.regions]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two regions have the name {twice[0]!r}; rename one of them")
        return self

    @property
    def is_empty(self) -> bool:
        """True if there is neither a region nor an annotation."""
        return not self.regions and not self.annotations

    def named(self, name: str) -> Region | None:
        """Return a region by its name; None if there is none."""
        return next((region for region in self.regions if region.name == name), None)

    def free_name(self, wanted: str) -> str:
        """Return an unused name.

        Parameters
        ----------
        wanted
            preferred name; a number is appended if a region has it
        """
        names = {region.name for region in self.regions}
        if wanted not in names:
            return wanted
        # Space for the number, so that the new name does not exceed the limit.
        stem = wanted[: MAX_CHARACTERS - 5]
        return next(name for n in range(2, 1000) if (name := f"{stem} {n}") not in names)

    def free_colour(self) -> str:
        """Return the least used colour."""
        used = [region.colour for region in self.regions]
        return min(COLOURS, key=used.count)

    def is_of(self, marks: Iterable[str]) -> bool:
        """Return True if the regions belong to a scan with one of these marks.

        The mark of a path counts only if no mark of the content is known. Another scan, perhaps of
        another patient, can take the place of a file.

        Parameters
        ----------
        marks
            marks of the scan
        """
        mine, others = set(self.scans), set(marks)
        for kind in CONTENT:
            here, there = _of_kind(kind, mine), _of_kind(kind, others)
            if here and there and not here & there:
                return False
        shared = mine & others
        is_by_path = all(each.startswith(PATH) for each in shared)
        has_content = any(_of_kind(kind, mine | others) for kind in CONTENT)
        return bool(shared) and not (is_by_path and has_content)

    def is_of_other_patient(self, patient: str) -> bool:
        """Return True if the regions are known to belong to a different patient.

        Parameters
        ----------
        patient
            patient ID; an empty ID or one of our pseudonyms never differs
        """
        mine, other = named(self.patient), named(patient)
        return bool(mine and other and mine != other)

    def bound_to(self, marks: Iterable[str]) -> Self:
        """Return the same regions, also valid for a scan with these marks."""
        return self.model_copy(update={"scans": tuple(dict.fromkeys((*self.scans, *marks)))})

    def facing(self, volume: Volume) -> Self:
        """Return the regions in the coordinates of an image of the same patient.

        With reversed z the regions are mirrored in z. If one side has no patient axes ("xyz"), both
        count as scanner coordinates. Regions from DICOM follow the patient position that the scan
        or the user states for such an image.

        Parameters
        ----------
        volume
            image that states the axes

        Raises
        ------
        DataError
            if contours from DICOM are not in the slices of the image
        """
        axes = axes_of(volume)
        if self.in_frame and axes == "xyz" != volume.sides:
            return self._turned(to_patient_axes(volume.sides).T)
        if axes == self.axes:
            return self
        if "xyz" in (axes, self.axes):
            return self.model_copy(update={"axes": axes})
        turned = tuple(
            region.model_copy(update={"shape": region.shape.turned_over()})
            for region in self.regions
        )
        notes = tuple(each.turned_over() for each in self.annotations)
        return self.model_copy(update={"axes": axes, "regions": turned, "annotations": notes})

    def _turned(self, turn: Array) -> Self:
        """Return regions of a DICOM file in scanner coordinates."""
        turned = tuple(
            region.model_copy(update={"shape": region.shape.turned(turn)})
            if isinstance(region.shape, MaskRegion | PlanarContours)
            else region
            for region in self.regions
        )
        return self.model_copy(update={"axes": "xyz", "regions": turned, "in_frame": False})


def _of_kind(kind: str, marks: set[str]) -> set[str]:
    return {each for each in marks if each.startswith(kind)}


def is_name(text: str) -> bool:
    """Return True if a text can be the name of a region."""
    is_valid = text.isprintable() and text == text.strip() and 0 < len(text) <= MAX_CHARACTERS
    return is_valid and not text.startswith(FORMULA_SIGNS)


def axes_of(volume: Volume) -> Axes:
    """Return the axes of the coordinates of an image."""
    return "xyz" if volume.axes == "xyz" else "LPI" if volume.head_sign < 0 else "LPS"


def marks_of(volume: Volume, provenance: Plain | None = None) -> tuple[str, ...]:
    """Return the marks that identify the scan of an image.

    Parameters
    ----------
    volume
        image
    provenance
        record with the digest of the scan data; None: `volume.info`

    Returns
    -------
    tuple of str
        marks of the data and of the frame of reference; if both are unknown, one of the image
    """
    inputs = (volume.info if provenance is None else provenance).get("inputs")
    inputs = inputs if isinstance(inputs, dict) else {}
    found = scan_marks(
        digest=_data_digest(inputs),
        values=values_digests(inputs),
        frame_of_reference=volume.frame_of_reference,
    )
    return found or (image_mark(volume),)


def scan_marks(
    *,
    pseudonym: str = "",
    digest: str = "",
    frame_of_reference: str = "",
    fingerprint: str = "",
    values: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return the marks of a scan from its identifiers; empty ones are skipped.

    Parameters
    ----------
    pseudonym
        pseudonym of the scan on this machine
    digest
        SHA-256 of the scan data
    frame_of_reference
        DICOM UID; only its digest is stored, because a UID can lead to the patient
    fingerprint
        fingerprint of the scan, which covers the data behind a header too
    values
        digests of the files behind a header, from `values_digests`
    """
    frame = sha256(frame_of_reference.encode()).hexdigest() if frame_of_reference else ""
    # The first mark names the file of the regions.
    known = {"print": fingerprint, "scan": pseudonym, "data": digest, "frame": frame}
    found = tuple(f"{kind}:{value}" for kind, value in known.items() if value)
    return (*found, *(f"{VALUES}{value}" for value in values))


def values_digests(inputs: Plain) -> tuple[str, ...]:
    """Return the digests of the files behind the header of a scan.

    The headers of two patients can be equal.

    Parameters
    ----------
    inputs
        files of a provenance by role, with their digests

    Returns
    -------
    digests
        those of the largest files, at most `MAX_VALUES`; empty if the scan is a single file
    """
    behind = [inputs[role] for role in sorted(inputs) if role.startswith("data, ")]
    known = [each for each in behind if isinstance(each, dict) and each.get("sha256")]
    # The largest files have the values; the others are headers, too.
    known.sort(key=lambda each: each.get("bytes") or 0, reverse=True)
    return tuple(str(each["sha256"]) for each in known[:MAX_VALUES])


def _data_digest(inputs: Plain) -> str:
    data = inputs.get("data")
    return str(data.get("sha256") or "") if isinstance(data, dict) else ""


def image_mark(volume: Volume) -> str:
    """Return the mark of an image whose scan is not known."""
    # A sample identifies an image well enough, and the digest of a large image would delay its
    # display.
    step = max(1, volume.values.size // SAMPLED)
    digest = sha256(repr((volume.grid, volume.unit)).encode())
    digest.update(np.ascontiguousarray(volume.values.reshape(-1)[::step]).astype("<f4").tobytes())
    return f"image:{digest.hexdigest()}"
