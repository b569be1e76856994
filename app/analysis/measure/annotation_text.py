"""Texts of annotations in slices and in the list."""

from __future__ import annotations

import numpy as np

from app.language.translation import tr
from app.views.text import millimetres
from engine.analysis.quality import curve_through
from engine.analysis.regions import Annotation

TITLES = {
    "arrow": tr("Arrow"),
    "text": tr("Text"),
    "distance": tr("Distance"),
    "angle": tr("Angle"),
    "curve": tr("Curve"),
}
ACROSS = ("sagittal", "coronal", "axial")


def measured(found: Annotation, length_unit: str) -> str:
    """Return the value of an annotation as text.

    Parameters
    ----------
    found
        annotation
    length_unit
        unit of the scan's coordinates, such as "mm"

    Returns
    -------
    str
        empty for arrows and texts
    """
    if found.kind == "distance":
        return f"{millimetres(found.length_mm)} {length_unit}"
    if found.kind == "curve":
        # The length is that of the smoothed curve, which is the one on the screen.
        steps = np.diff(curve_through(found.points_mm), axis=0)
        return f"{millimetres(float(np.linalg.norm(steps, axis=1).sum()))} {length_unit}"
    return f"{found.angle_deg:.1f}°" if found.kind == "angle" else ""


def label_text(found: Annotation, length_unit: str) -> str:
    """Return the text of an annotation in a slice: value and user text."""
    return "  ".join(filter(None, (measured(found, length_unit), found.text)))


def listed(found: Annotation, length_unit: str) -> str:
    """Return an annotation as a line of a list, with its slice.

    Parameters
    ----------
    found
        annotation
    length_unit
        unit of the scan's coordinates, such as "mm"
    """
    place = f"{millimetres(found.points_mm[0][found.axis])} {length_unit}"
    at = f"{ACROSS[found.axis]} {'xyz'[found.axis]} {place}"
    words = label_text(found, length_unit)
    return f"{TITLES[found.kind]}{f' {words}' if words else ''}   {at}"
