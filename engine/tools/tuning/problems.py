"""Standard tuning problems: the kernels of a kind of scan, on the CPU or on a GPU."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.tools.tuning.problem import TuningProblem


def problems_of(target: str, on: Backend) -> list[TuningProblem]:
    """Return the tuning problems of a kind of scan on a device, in the standard size.

    Parameters
    ----------
    target
        kind of scan, see `engine.tools.tuning.choices`
    on
        device
    """
    # Imported by case: each loads the kernels of one kind of scan only
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
