"""Preprocessing steps from detector counts to line integrals, in their order."""

from engine.corrections.preprocess.bad_pixels import BadPixels
from engine.corrections.preprocess.base import PreprocessStep, with_added_steps
from engine.corrections.preprocess.binning import Binning
from engine.corrections.preprocess.crop import Crop
from engine.corrections.preprocess.flat_field import FlatField
from engine.corrections.preprocess.hardening import Hardening
from engine.corrections.preprocess.hounsfield import Hounsfield
from engine.corrections.preprocess.logarithm import Logarithm
from engine.corrections.preprocess.rings import Rings
from engine.corrections.preprocess.rotation_axis import CentreOfRotation, Roll

# Outliers are measured relative to the transmission, so flat-field correction comes first. Cropping
# and binning come before the logarithm: a larger pixel measures the mean of intensities, not the
# mean of logarithms. The axis comes last, because rolling the detector moves it.
STEPS: tuple[type[PreprocessStep], ...] = with_added_steps(
    (
        FlatField,
        BadPixels,
        Crop,
        Binning,
        Logarithm,
        Rings,
        Hardening,
        Roll,
        CentreOfRotation,
    )
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
