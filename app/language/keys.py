"""Names of what the program knows by a key: planes, sides, qualities."""

from __future__ import annotations

from app.language.translation import tr

NAMES = {
    "axial": tr("Axial"),
    "coronal": tr("Coronal"),
    "sagittal": tr("Sagittal"),
    "projection": tr("Projection"),
    "radiological": tr("Radiological"),
    "neurological": tr("Neurological"),
    "linear": tr("Linear"),
    "nearest": tr("Nearest"),
    "fast": tr("Fast"),
    "standard": tr("Standard"),
    "fine": tr("Fine"),
}


def name_of_key(key: str) -> str:
    """Return the name of a key for the screen, with a capital."""
    return NAMES.get(key) or key.capitalize()
