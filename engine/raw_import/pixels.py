"""Pixel size from TIFF tags, unless it is the default of a program that does not know it."""

from __future__ import annotations

import re
from pathlib import Path

from engine.core.errors import EngineError
from engine.io.safety.open_input import open_input
from engine.io.xray.tiff import DAMAGE, is_tiff

Pixel = tuple[float, float]
MM_PER_UNIT = {2: 25.4, 3: 10.0}
"""Inch and centimetre, by the value of the tag ResolutionUnit (TIFF 6.0, section 8)."""
MM_PER_WORD = {
    **dict.fromkeys(("mm", "millimeter", "millimetre"), 1.0),
    **dict.fromkeys(("um", "µm", "μm", "\\u00b5m", "micron", "microns", "micrometer"), 1e-3),
    **dict.fromkeys(("cm", "centimeter", "centimetre"), 10.0),
    **dict.fromkeys(("nm", "nanometer"), 1e-6),
}
SCREEN_DPI = (1.0, 28.0, 72.0, 75.0, 90.0, 96.0, 100.0, 118.0, 120.0, 150.0, 200.0, 300.0, 600.0)
"""Screen and print resolutions that programs write if they do not know the pixel size."""
SMALLEST_MM, LARGEST_MM = 1e-6, 10.0
UNIT = re.compile(r"^unit=(\S+)", re.MULTILINE)


def pixel_of(path: Path) -> Pixel | None:
    """Return width and height of a pixel [mm] from the tags of a TIFF image.

    Parameters
    ----------
    path
        image file

    Returns
    -------
    pixel
        None if the tags state no size, or only that of a screen
    """
    try:
        with open_input(path) as file:
            if not is_tiff(file.head):
                return None
            import tifffile

            # is_ome=False: the OME reader would search for the other files of a series.
            with tifffile.TiffFile(file.stream(), name=file.name, is_ome=False) as images:
                page = images.pages.first
                tags = page.tags
                found = [tags.get(name) for name in ("XResolution", "YResolution")]
                unit = tags.get("ResolutionUnit")
                words = page.description or ""
                values = [tuple(tag.value) for tag in found if tag is not None]
                # Without ResolutionUnit, TIFF 6.0 assumes inches; but most such files have no real
                # size.
                number = int(unit.value) if unit is not None else 1
    except (EngineError, *DAMAGE):
        return None
    if len(values) != 2 or any(len(each) != 2 or not all(each) for each in values):
        return None
    per_unit = [float(n) / float(d) for n, d in values]
    # ImageJ writes its own unit into the description, because TIFF has none below a centimetre.
    word = UNIT.search(words) if words.startswith("ImageJ=") else None
    mm = MM_PER_WORD.get(word[1].lower()) if word else MM_PER_UNIT.get(number)
    if mm is None or (not word and any(_is_default(each) for each in per_unit)):
        return None
    width, height = (mm / each for each in per_unit)
    # Values outside the range are damaged or misused tags.
    is_possible = all(SMALLEST_MM <= each <= LARGEST_MM for each in (width, height))
    return (width, height) if is_possible else None


def _is_default(per_unit: float) -> bool:
    return any(abs(per_unit - each) < 0.6 for each in SCREEN_DPI)
