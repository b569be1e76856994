"""The filter at the end as part of the model: the method of sieves.

    f = G x,    E[y] = A K G x + b

The image f is sought among those that are as smooth as the filter G makes any: x is what iterations
hold, and it is filtered at the end as always. Single voxels then need not follow the noise of the
events on their way to an image that is filtered anyway, and cold places, where no voxel may fall
below zero, empty sooner. Snyder & Miller, IEEE TNS 32 (1985) 3864.
"""

from __future__ import annotations

import math
from dataclasses import replace

from engine.corrections.resolution import Resolution
from engine.data.listmode import ListMode
from engine.geometry.grid import Point
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.postprocess import Gaussian


def sieved(protocol: ListModeProtocol, prompts: ListMode, voxel_mm: Point) -> ListMode:
    """Return prompts with the finishing Gaussians in their resolution, if the protocol says so."""
    wanted = protocol.corrections.of(Resolution).with_filter
    if prompts.point_spread is None or not wanted:
        return prompts
    gaussians = [each for each in protocol.finishing if isinstance(each, Gaussian)]
    width = math.hypot(*(each.width_mm(voxel_mm) for each in gaussians))
    return replace(prompts, point_spread=prompts.point_spread.widened(width))
