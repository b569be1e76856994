"""Annotations in words: what stands beside them, and in their list."""

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
    """Return what an annotation measures; empty where it measures nothing."""
    if found.kind == "distance":
        return f"{millimetres(found.length_mm)} {length_unit}"
    if found.kind == "curve":
        steps = np.diff(curve_through(found.points_mm), axis=0)
        return f"{millimetres(float(np.linalg.norm(steps, axis=1).sum()))} {length_unit}"
    return f"{found.angle_deg:.1f}°" if found.kind == "angle" else ""


def beside(found: Annotation, length_unit: str) -> str:
    """Return what stands beside an annotation in a slice."""
    return "  ".join(filter(None, (measured(found, length_unit), found.text)))


def listed(found: Annotation, length_unit: str) -> str:
    """Return an annotation as a line of a list, with its slice."""
    at = f"{ACROSS[found.axis]} {'xyz'[found.axis]} {millimetres(found.points_mm[0][found.axis])}"
    words = beside(found, length_unit)
    return f"{TITLES[found.kind]}{f' {words}' if words else ''}   {at}"
