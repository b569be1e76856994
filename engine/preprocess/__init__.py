"""Steps from what a detector counted to line integrals, in the order they may run."""

from engine.preprocess.bad_pixels import BadPixels
from engine.preprocess.base import PreprocessStep
from engine.preprocess.binning import Binning
from engine.preprocess.crop import Crop
from engine.preprocess.flat_field import FlatField
from engine.preprocess.hardening import Hardening
from engine.preprocess.hounsfield import Hounsfield
from engine.preprocess.logarithm import Logarithm
from engine.preprocess.rings import Rings
from engine.preprocess.rotation_axis import CentreOfRotation, Roll

STEPS: tuple[type[PreprocessStep], ...] = (
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
