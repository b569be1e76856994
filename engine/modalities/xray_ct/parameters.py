"""Scan parameters that a user can choose from a series of slices."""

from engine.corrections.preprocess.rotation_axis import CentreOfRotation, Roll
from engine.modalities.base import Sweep

SWEEPS = (
    Sweep(
        key="axis",
        kind=CentreOfRotation.kind,
        title="Centre of rotation: candidates",
        lead="The central slice for several columns of the rotation axis. A wrong "
        "axis doubles edges, or turns small details into arcs.",
        before="column ",
        after="",
        unit="pixels",
        step=0.5,
    ),
    Sweep(
        key="roll",
        kind=Roll.kind,
        title="Detector roll: candidates",
        lead="A slice above the middle and one below, for several rotations of the "
        "detector in its plane. A wrong roll doubles edges in both slices, in "
        "opposite directions.",
        before="",
        after="°",
        unit="°",
        step=0.25,
    ),
)
