"""Measure the resolution of a ring scanner with point sources."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.tools.resolution.measuring import MeasuredResolution as MeasuredResolution
    from engine.tools.resolution.measuring import ReadingSources as ReadingSources
    from engine.tools.resolution.measuring import ResolutionRequest as ResolutionRequest
    from engine.tools.resolution.measuring import measure_resolution as measure_resolution
    from engine.tools.resolution.point_sources import PointSource as PointSource
    from engine.tools.resolution.worker_process import (
        resolution_in_process as resolution_in_process,
    )

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "measuring": (
                "MeasuredResolution",
                "ReadingSources",
                "ResolutionRequest",
                "measure_resolution",
            ),
            "point_sources": ("PointSource",),
            "worker_process": ("resolution_in_process",),
        },
    )
