"""X-ray scan settings that are known before all images exist."""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry.xray import XrayGeometry

AFTER_STEMS = "_- "
"""What stands between the name of a series of images and their numbers."""


@dataclass(frozen=True, eq=False)
class PlannedScan:
    """A scan as it was planned.

    Attributes
    ----------
    format : for people
    geometry : geometry of all views that will be there
    images, flats, darks : how the names of the images begin, without what stands before their
        numbers; "" for images of any name, None where there are no such images
    folder : in which the images lie, by its name beside the settings; "" where they lie beside
    white_level : value of the open beam where the scanner corrects for flats itself
    may_lack_last : True if the scanner may leave the last view out
    """

    format: str
    geometry: XrayGeometry
    images: str = ""
    flats: str | None = None
    darks: str | None = None
    folder: str = ""
    white_level: float | None = None
    may_lack_last: bool = False
