"""Steps from what a detector counted to line integrals, in the order they may run."""

from engine.preprocess.bad_pixels import BadPixels
from engine.preprocess.base import Step
from engine.preprocess.binning import Binning
from engine.preprocess.centre import Centre, Roll
from engine.preprocess.crop import Crop
from engine.preprocess.flat_field import FlatField
from engine.preprocess.hardening import Hardening
from engine.preprocess.hounsfield import Hounsfield
from engine.preprocess.logarithm import Logarithm
from engine.preprocess.rings import Rings

STEPS: tuple[type[Step], ...] = (
    FlatField,
    BadPixels,
    Crop,
    Binning,
    Logarithm,
    Rings,
    Hardening,
    Roll,
    Centre,
)

__all__ = [
    "STEPS",
    "BadPixels",
    "Binning",
    "Centre",
    "Crop",
    "FlatField",
    "Hardening",
    "Hounsfield",
    "Logarithm",
    "Rings",
    "Roll",
    "Step",
]
