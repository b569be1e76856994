"""Translated names of keys: planes, sides, qualities, choices of settings."""

from __future__ import annotations

from app.language.translation import tr

# `tr` at import time: the language is fixed before modules with texts are imported. Keys that are
# not listed appear with a capital letter.
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
    "smooth": tr("Smooth"),
    "sharp": tr("Sharp"),
    "auto": tr("Automatic"),
    "on": tr("On"),
    "off": tr("Off"),
    "none": tr("None"),
    "all": tr("All"),
    "both": tr("Both"),
    "left": tr("Left"),
    "right": tr("Right"),
    "half": tr("Half"),
    "full": tr("Full"),
    "blocks": tr("Blocks"),
    "crystals": tr("Crystals"),
    "singles": tr("Singles"),
    "uniform": tr("Uniform"),
    "background": tr("Background"),
    "subtract": tr("Subtract"),
    "simulated": tr("Simulated"),
    "supplied": tr("Supplied"),
    "given": tr("Given"),
    "found": tr("Found"),
    "sorted": tr("Sorted"),
    "sampled": tr("Sampled"),
    "exact": tr("Exact"),
    "matched": tr("Matched"),
    "interpolated": tr("Interpolated"),
    "mean": tr("Mean"),
    "even": tr("Even"),
    "shared": tr("Shared"),
    "sliding": tr("Sliding"),
    "growing": tr("Growing"),
    "opposite": tr("Opposite"),
    "bootstrap": tr("Bootstrap"),
    "hessian": tr("Hessian (MAP only)"),
    "infusion": tr("Infusion"),
    "start": tr("Start"),
    "wedge": tr("Wedge"),
    "bw": tr("SUV by body weight"),
    "lbm-james": tr("SUV by lean mass (James)"),
    "lbm-janmahasatian": tr("SUV by lean mass (Janmahasatian)"),
    "bsa": tr("SUV by body surface (Du Bois)"),
}


def name_of_key(key: str) -> str:
    """Return the displayed name of a key."""
    return NAMES.get(key) or key.capitalize()
