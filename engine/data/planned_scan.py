"""X-ray scan settings that are known before all images exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.geometry.xray import XrayGeometry

AFTER_STEMS = "_- "
"""Characters between the name of an image series and the image number."""


@dataclass(frozen=True, eq=False)
class PlannedScan:
    """A planned X-ray scan.

    Attributes
    ----------
    format : name of the format for display
    geometry : geometry of all planned views
    images, flats, darks : beginning of the image names, without the characters before their
        numbers; "" for images of any name, None if there are no such images
    folder : name of the image folder next to the settings; "" if images are next to the settings
    white_level : value of the open beam if the scanner applies the flat field itself
    may_lack_last : True if the scanner can omit the last view
    """

    format: str
    geometry: XrayGeometry
    images: str = ""
    flats: str | None = None
    darks: str | None = None
    folder: str = ""
    white_level: float | None = None
    may_lack_last: bool = False
