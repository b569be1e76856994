"""What can be tuned: the kernels of a kind of scan, on the CPU or on a GPU."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.tools.tuning.problem import TuningProblem


def problems_of(target: str, on: Backend) -> list[TuningProblem]:
    """Return what is tuned for a kind of scan on a device, in the standard size."""
    match target, on.is_cuda:
        case "cone", False:
            from engine.tools.tuning.host_cone import HostBack

            return [HostBack(on)]
        case "cone", True:
            from engine.tools.tuning.device_cone import DeviceBack

            return [DeviceBack(on)]
        case "listmode", False:
            from engine.tools.tuning.host_rays import HostUpdate

            return [HostUpdate(on)]
        case "listmode", True:
            from engine.tools.tuning.device_rays import DeviceUpdate

            return [DeviceUpdate(on)]
        case _, False:
            from engine.tools.tuning.host_matrix import HostProjection

            return [HostProjection(on)]
        case _:
            from engine.tools.tuning.device_matrix import DeviceProjection

            return [DeviceProjection(on)]
