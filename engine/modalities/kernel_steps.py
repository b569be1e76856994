"""Steps that compile or load the kernels of a reconstruction, one each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from engine.geometry.grid import ImageGrid
from engine.recon.postprocess import Filter

# Compilation depends on types, not on sizes, so a tiny image suffices.
TINY = ImageGrid((4, 4, 4), (2.0, 2.0, 2.0))

Steps = Sequence[Callable[[], object]]


def warm_up(steps: Steps) -> Iterator[tuple[int, int]]:
    """Run steps, and yield the number done and in total after each.

    Parameters
    ----------
    steps
        calls that compile one kernel each
    """
    for number, step in enumerate(steps, 1):
        step()
        yield number, len(steps)


def of_filter(one: Filter) -> Callable[[], object]:
    """Return a call that compiles a filter of images.

    Parameters
    ----------
    one
        filter with its settings
    """
    return partial(one.apply, np.ones(TINY.shape, np.float32), TINY.voxel_mm)
