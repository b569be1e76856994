"""Corrections of list-mode data, in the order in which they run."""

from __future__ import annotations

from engine.corrections.attenuation import Attenuation
from engine.corrections.base import Correction, with_added
from engine.corrections.calibration import ActivityConcentration
from engine.corrections.line_geometry import LineGeometry
from engine.corrections.normalisation import Normalisation
from engine.corrections.randoms import Randoms
from engine.corrections.resolution import Resolution
from engine.corrections.scatter import Scatter
from engine.data.listmode import ListMode

# Normalisation comes first because randoms estimated per block weight crystals by efficiency. Units
# come last because a calibration is valid only for the set of corrections applied before it.
CORRECTIONS: tuple[type[Correction[ListMode]], ...] = with_added(
    (
        Normalisation,
        LineGeometry,
        Attenuation,
        Randoms,
        Scatter,
        Resolution,
        ActivityConcentration,
    ),
    ListMode,
)
