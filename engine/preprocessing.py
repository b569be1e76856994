"""Preprocessing steps from the counts of an X-ray detector to line integrals.

Examples
--------
>>> import engine
>>> [step.kind for step in engine.preprocessing.STEPS][:3]
['flat_field', 'bad_pixels', 'crop']
"""

from engine.corrections.preprocess import (
    STEPS,
    BadPixels,
    Binning,
    CentreOfRotation,
    Crop,
    FlatField,
    Hardening,
    Hounsfield,
    Logarithm,
    PreprocessStep,
    Rings,
    Roll,
)

__all__ = [
    "STEPS",
    "BadPixels",
    "Binning",
    "CentreOfRotation",
    "Crop",
    "FlatField",
    "Hardening",
    "Hounsfield",
    "Logarithm",
    "PreprocessStep",
    "Rings",
    "Roll",
]
