"""Create a normalisation with a source of known shape, by maximum likelihood."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.jobs.process.side_process import Refused as Refused
    from engine.tools.normalisation_scan.convergence import SMALL as SMALL
    from engine.tools.normalisation_scan.curves import FactorCurve as FactorCurve
    from engine.tools.normalisation_scan.curves import crystal_map as crystal_map
    from engine.tools.normalisation_scan.curves import over_distance as over_distance
    from engine.tools.normalisation_scan.curves import over_ring_difference as over_ring_difference
    from engine.tools.normalisation_scan.fixed_point import MeasuredComponents as MeasuredComponents
    from engine.tools.normalisation_scan.measuring import Counted as Counted
    from engine.tools.normalisation_scan.measuring import (
        MeasuredNormalisation as MeasuredNormalisation,
    )
    from engine.tools.normalisation_scan.measuring import (
        NormalisationRequest as NormalisationRequest,
    )
    from engine.tools.normalisation_scan.measuring import ReadingScan as ReadingScan
    from engine.tools.normalisation_scan.measuring import Stepped as Stepped
    from engine.tools.normalisation_scan.measuring import measure as measure
    from engine.tools.normalisation_scan.source import CylinderSource as CylinderSource
    from engine.tools.normalisation_scan.source_settings import EvenCylinder as EvenCylinder
    from engine.tools.normalisation_scan.source_settings import (
        NormalisationSettings as NormalisationSettings,
    )
    from engine.tools.normalisation_scan.source_settings import RotatingLine as RotatingLine
    from engine.tools.normalisation_scan.worker_process import Paused as Paused
    from engine.tools.normalisation_scan.worker_process import Stopped as Stopped
    from engine.tools.normalisation_scan.worker_process import StopRequest as StopRequest
    from engine.tools.normalisation_scan.worker_process import (
        measure_in_process as measure_in_process,
    )

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.jobs.process.side_process": ("Refused",),
            "worker_process": ("Paused", "Stopped", "StopRequest", "measure_in_process"),
            "convergence": ("SMALL",),
            "curves": (
                "FactorCurve",
                "crystal_map",
                "over_distance",
                "over_ring_difference",
            ),
            "fixed_point": ("MeasuredComponents",),
            "measuring": (
                "Counted",
                "MeasuredNormalisation",
                "NormalisationRequest",
                "ReadingScan",
                "Stepped",
                "measure",
            ),
            "source": ("CylinderSource",),
            "source_settings": (
                "EvenCylinder",
                "NormalisationSettings",
                "RotatingLine",
            ),
        },
    )
