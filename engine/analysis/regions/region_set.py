"""A set of regions with names and colours, and the scan they belong to.

Regions lie in the coordinates of one scan. They hold over all of its images, on any grid; on images
of another scan they mean nothing unless somebody says so. So a set knows its scans by marks: the
digest of the scan's data, its pseudonym on this machine, or a digest of an image that nothing is
known of.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from engine.analysis.regions.annotation import Annotation
from engine.analysis.regions.combined import AnyShape
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.data.volume import Volume
from engine.io.dicom.pseudonyms import named

Axes = Literal["LPS", "LPI", "xyz"]
COLOURS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#0a9aa6", "#bfa000", "#f032e6")
"""Given to new regions, one after the other; each at least 3:1 against black or white."""
MOST_LETTERS = 60
MOST_REGIONS = 200
FORMULA_SIGNS = ("=", "+", "-", "@")
"""First signs that make other programs compute a cell of a table."""
SAMPLED = 1 << 20
"""Values of an image that its mark is made of, at most."""


class Region(Settings):
    """A named region of the patient."""

    name: str = setting(..., "Name", min_length=1, max_length=MOST_LETTERS)
    colour: str = setting(COLOURS[0], "Colour as #rrggbb", pattern="^#[0-9a-fA-F]{6}$")
    shown: bool = setting(True, "Show the region")
    shape: AnyShape = setting(..., "Shape of the region")

    @field_validator("name")
    @classmethod
    def _refuse_signs(cls, name: str) -> str:
        if not is_name(name):
            raise ValueError(
                "contains invisible characters, or begins with one of "
                f"{' '.join(FORMULA_SIGNS)}, which spreadsheets read as a formula"
            )
        return name


class RegionSet(Settings):
    """All regions of a scan.

    Attributes
    ----------
    axes : axes of the coordinates, as `Volume.axes`
    scans : marks of the scan, and of others that somebody said they hold for
    patient : number of the patient where the file said it, to be compared, never written; else ""
    """

    format: Literal["isocenter-regions-1"] = "isocenter-regions-1"
    axes: Axes = setting("LPS", "Patient sides in the directions of x, y and z")
    scans: tuple[Annotated[str, Field(max_length=120)], ...] = setting(
        (), "Identifiers of the scan", max_length=50
    )
    regions: tuple[Region, ...] = setting((), "Regions in order", max_length=MOST_REGIONS)
    annotations: tuple[Annotation, ...] = setting(
        (), "Arrows, labels, distances and angles", max_length=MOST_REGIONS
    )

    patient: str = setting("", "Used for comparison, never written", exclude=True, repr=False)

    @model_validator(mode="after")
    def _refuse_twins(self) -> Self:
        names = [region.name for region in self.regions]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two regions have the name {twice[0]!r}")
        return self

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to keep: neither a region nor an annotation."""
        return not self.regions and not self.annotations

    def named(self, name: str) -> Region | None:
        """Return a region by its name."""
        return next((region for region in self.regions if region.name == name), None)

    def free_name(self, wanted: str) -> str:
        """Return a name that no region has: the one that is wanted, or with a number."""
        names = {region.name for region in self.regions}
        if wanted not in names:
            return wanted
        stem = wanted[: MOST_LETTERS - 5]
        return next(name for n in range(2, 1000) if (name := f"{stem} {n}") not in names)

    def free_colour(self) -> str:
        """Return the colour that is used least."""
        used = [region.colour for region in self.regions]
        return min(COLOURS, key=used.count)

    def is_of(self, marks: Iterable[str]) -> bool:
        """Return True if the regions belong to a scan with one of these marks."""
        return bool(set(self.scans) & set(marks))

    def is_of_other_patient(self, patient: str) -> bool:
        """Return True if they are known to be of another patient than that number's."""
        mine, other = named(self.patient), named(patient)
        return bool(mine and other and mine != other)

    def bound_to(self, marks: Iterable[str]) -> Self:
        """Return the same regions, also of a scan with these marks."""
        return self.model_copy(update={"scans": tuple(dict.fromkeys((*self.scans, *marks)))})

    def facing(self, volume: Volume) -> Self:
        """Return the regions in the coordinates of an image of the same patient.

        Where z runs the other way they are turned over; where one does not say how the patient lay,
        both are taken to be the scanner's.
        """
        axes = axes_of(volume)
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


def is_name(text: str) -> bool:
    """Return True if a text may be the name of a region."""
    is_valid = text.isprintable() and text == text.strip() and 0 < len(text) <= MOST_LETTERS
    return is_valid and not text.startswith(FORMULA_SIGNS)


def axes_of(volume: Volume) -> Axes:
    """Return the axes of an image's coordinates."""
    return "xyz" if volume.axes == "xyz" else "LPI" if volume.head_sign < 0 else "LPS"


def marks_of(volume: Volume, provenance: Plain | None = None) -> tuple[str, ...]:
    """Return the marks by which an image's scan is known again.

    That of the scan's data and of its frame of reference where the image says so; else one of the
    image alone.
    """
    digest = _data_digest(volume.info if provenance is None else provenance)
    found = scan_marks(digest=digest, frame_of_reference=volume.frame_of_reference)
    return found or (image_mark(volume),)


def scan_marks(
    *, pseudonym: str = "", digest: str = "", frame_of_reference: str = ""
) -> tuple[str, ...]:
    """Return the marks of what is known of a scan; a frame of reference is told by its digest."""
    frame = sha256(frame_of_reference.encode()).hexdigest() if frame_of_reference else ""
    known = {"scan": pseudonym, "data": digest, "frame": frame}
    return tuple(f"{kind}:{value}" for kind, value in known.items() if value)


def _data_digest(provenance: Plain) -> str:
    inputs = provenance.get("inputs")
    data = inputs.get("data") if isinstance(inputs, dict) else None
    return str(data.get("sha256") or "") if isinstance(data, dict) else ""


def image_mark(volume: Volume) -> str:
    """Return the mark of an image alone, of whose scan nothing is known."""
    step = max(1, volume.values.size // SAMPLED)
    digest = sha256(repr((volume.grid, volume.unit)).encode())
    digest.update(np.ascontiguousarray(volume.values.reshape(-1)[::step]).astype("<f4").tobytes())
    return f"image:{digest.hexdigest()}"
