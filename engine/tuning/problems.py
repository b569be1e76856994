"""What can be tuned: the kernels of a kind of scan, on the CPU or on a GPU."""

from __future__ import annotations

from engine.backend import Backend
from engine.errors import ResourceError
from engine.tuning.problem import TuningProblem


def problems_of(target: str, on: Backend) -> list[TuningProblem]:
    """Return what is tuned for a kind of scan on a device, in the standard size.

    Raises
    ------
    ResourceError
        on a GPU, whose kernels are not tuned here yet
    """
    if on.is_cuda:
        raise ResourceError(
            f"{on.label}: the kernels of a GPU are not tuned yet; give --device cpu for those of "
            "the processor."
        )
    from engine.tuning import host_cone, host_matrix, host_rays

    match target:
        case "cone":
            return [host_cone.Back(on)]
        case "listmode":
            return [host_rays.Update(on)]
        case _:
            return [host_matrix.Projection(on)]
