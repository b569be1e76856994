"""Parameters of X-ray scans that can be chosen among slices made with several values."""

from engine.corrections.preprocess.rotation_axis import CentreOfRotation, Roll
from engine.modalities.base import Sweep

SWEEPS = (
    Sweep(
        key="axis",
        kind=CentreOfRotation.kind,
        title="Centre of rotation: candidates",
        lead="The central slice with the rotation axis at several columns of the detector. A wrong "
        "axis doubles edges, or bends small things into arcs.",
        before="column ",
        after="",
        unit="pixels",
        step=0.5,
    ),
    Sweep(
        key="roll",
        kind=Roll.kind,
        title="Detector roll: candidates",
        lead="A slice above the middle and one below, with the detector turned in its plane by "
        "several angles. A wrong roll doubles edges in both, in opposite senses.",
        before="",
        after="°",
        unit="°",
        step=0.25,
    ),
)
