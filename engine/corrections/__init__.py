"""Corrections of list-mode data, in the order they may run.

Examples
--------
>>> import engine
>>> [each.kind for each in engine.corrections.CORRECTIONS][:3]
['normalisation', 'line_geometry', 'attenuation']
"""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.corrections.attenuation import Attenuation as Attenuation
    from engine.corrections.base import Correction as Correction
    from engine.corrections.calibration import ActivityConcentration as ActivityConcentration
    from engine.corrections.line_geometry import LineGeometry as LineGeometry
    from engine.corrections.listmode import CORRECTIONS as CORRECTIONS
    from engine.corrections.normalisation import Normalisation as Normalisation
    from engine.corrections.randoms import Randoms as Randoms
    from engine.corrections.resolution import Resolution as Resolution
    from engine.corrections.scatter import Scatter as Scatter

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "attenuation": ("Attenuation",),
            "base": ("Correction",),
            "calibration": ("ActivityConcentration",),
            "line_geometry": ("LineGeometry",),
            "listmode": ("CORRECTIONS",),
            "normalisation": ("Normalisation",),
            "randoms": ("Randoms",),
            "resolution": ("Resolution",),
            "scatter": ("Scatter",),
        },
    )
