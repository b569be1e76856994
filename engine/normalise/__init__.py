"""Normalisation measured with a source of known shape, by maximum likelihood."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.jobs.process.side_process import Refused as Refused
    from engine.normalise.apart import Resting as Resting
    from engine.normalise.apart import Stopped as Stopped
    from engine.normalise.apart import Wish as Wish
    from engine.normalise.apart import measure_apart as measure_apart
    from engine.normalise.curves import FactorCurve as FactorCurve
    from engine.normalise.curves import crystal_map as crystal_map
    from engine.normalise.curves import over_distance as over_distance
    from engine.normalise.curves import over_ring_difference as over_ring_difference
    from engine.normalise.fixed_point import SMALL as SMALL
    from engine.normalise.fixed_point import MeasuredComponents as MeasuredComponents
    from engine.normalise.measuring import Counted as Counted
    from engine.normalise.measuring import MeasuredNormalisation as MeasuredNormalisation
    from engine.normalise.measuring import NormalisationRequest as NormalisationRequest
    from engine.normalise.measuring import ReadingScan as ReadingScan
    from engine.normalise.measuring import Stepped as Stepped
    from engine.normalise.measuring import measure as measure
    from engine.normalise.source import CylinderSource as CylinderSource
    from engine.normalise.source_settings import EvenCylinder as EvenCylinder
    from engine.normalise.source_settings import NormalisationSettings as NormalisationSettings
    from engine.normalise.source_settings import RotatingLine as RotatingLine

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.jobs.process.side_process": ("Refused",),
            "engine.normalise.apart": ("Resting", "Stopped", "Wish", "measure_apart"),
            "engine.normalise.curves": (
                "FactorCurve",
                "crystal_map",
                "over_distance",
                "over_ring_difference",
            ),
            "engine.normalise.fixed_point": ("SMALL", "MeasuredComponents"),
            "engine.normalise.measuring": (
                "Counted",
                "MeasuredNormalisation",
                "NormalisationRequest",
                "ReadingScan",
                "Stepped",
                "measure",
            ),
            "engine.normalise.source": ("CylinderSource",),
            "engine.normalise.source_settings": (
                "EvenCylinder",
                "NormalisationSettings",
                "RotatingLine",
            ),
        },
    )
