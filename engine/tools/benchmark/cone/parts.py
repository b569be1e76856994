"""The benchmark of cone-beam CT in parts: projectors, kernels, patches, slices, break-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.core.backend import Backend
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.tools.benchmark import figures
from engine.tools.benchmark.cone import blocks as cone_blocks
from engine.tools.benchmark.cone import breakup as cone_breakup
from engine.tools.benchmark.cone import growth as cone_growth
from engine.tools.benchmark.cone import kernels as cone_kernels
from engine.tools.benchmark.cone import patches as cone_patches
from engine.tools.benchmark.cone import slices, suite, variants

PARTS = ("projectors", "kernels", "patches", "slices", "breakup")
Measure = Callable[[], figures.Figures]
Search = Callable[[Backend, variants.FormsWork, float], Plain]


@dataclass(frozen=True)
class Sizes:
    """Sizes of the problems; None for those that suit the device.

    Attributes
    ----------
    kernels : problem for all kernel variants
    growth : edges N of growing problems
    blocks : slice for the comparison of thread blocks
    searched : problem for the search of the fastest variant
    patches : edges by "2D" and "3D"
    patch_views : views of a patch
    setups : scanners for slices
    breakup : problems of the break-up of time
    patches_s, slices_s : longest measurement of a case [s]
    """

    kernels: variants.FormsWork = field(default_factory=variants.FormsWork)
    growth: tuple[int, ...] | None = None
    blocks: variants.FormsWork = cone_blocks.SLICE
    searched: variants.FormsWork = field(default_factory=lambda: variants.FormsWork(n_views=128))
    patches: dict[str, Sequence[int]] | None = None
    patch_views: int = cone_patches.VIEWS
    setups: tuple[slices.Setup, ...] | None = None
    breakup: tuple[cone_breakup.Problem, ...] | None = None
    patches_s: float = cone_patches.MAX_S
    slices_s: float = slices.MAX_S


TINY = Sizes(
    kernels=variants.FormsWork(16, 20, (16, 16)),
    growth=(8, 16),
    blocks=variants.FormsWork(40, 8, (40, 40), is_slice=True),
    searched=variants.FormsWork(16, 20, (16, 16)),
    patches={"2D": (20, 30), "3D": (8,)},
    patch_views=40,
    setups=(slices.Setup("FleX-ray", (40, 60), 40, 10),),
    breakup=cone_breakup.TINY,
    patches_s=0.1,
    slices_s=0.1,
)
"""Sizes for a rehearsal."""


@dataclass(frozen=True)
class PartsWork:
    """Amount of measurements.

    Attributes
    ----------
    sizes : edges of the cubes of the projectors [voxels]
    n_views, pixels : views, and edge of the detector, of the projectors
    repeats : runs of each case; the median counts
    with_peer : True to measure RTK next to the projectors, if installed
    budget_s : time for the search of variants [s]; blocks get half of it
    others : sizes of the other parts
    search : finds the fastest variants on a GPU in a number of seconds; None to skip this
    """

    sizes: tuple[int, ...] = suite.SIZES
    n_views: int = suite.VIEWS
    pixels: int = suite.PIXELS
    repeats: int = 3
    with_peer: bool = True
    budget_s: float = 60.0
    others: Sizes = field(default_factory=Sizes)
    search: Search | None = None


def parts_of(on: Backend) -> tuple[str, ...]:
    """Return the parts that are measured by default."""
    # The rest takes long, and is measured on request
    return PARTS[:2] if on.is_cuda else PARTS[:1]


def run(on: Backend, *, parts: Sequence[str], work: PartsWork, log: figures.Log) -> Plain:
    """Measure parts one by one.

    Parameters
    ----------
    on
        device
    parts
        names from `PARTS`
    work
        amount of measurements
    log
        called with the name of each part

    Returns
    -------
    figures
        JSON values for the report

    Raises
    ------
    SettingsError
        for an unknown part
    """
    # Before any measurement, which may take minutes
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise SettingsError(
            f"--parts: {unknown[0]!r} is not a part of this benchmark; choose from "
            f"{', '.join(PARTS)}."
        )
    measures: dict[str, Measure] = {}
    for part in parts:
        measures |= _measures(part, on, work)
    return figures.collect(figures.CONE, [on], measures, log)


def _measures(part: str, on: Backend, work: PartsWork) -> dict[str, Measure]:
    others = work.others
    if part == "projectors":
        works = [suite.ConeWork(size, work.n_views, work.pixels) for size in work.sizes]
        return {"cone": lambda: suite.measure(works, on, work.repeats, work.with_peer)}
    if part == "patches":
        return {
            "cone_patches": lambda: cone_patches.run(
                on, sizes=others.patches, n_views=others.patch_views, max_s=others.patches_s
            )
        }
    if part == "slices":
        return {"cone_slices": lambda: slices.run(on, setups=others.setups, max_s=others.slices_s)}
    if part == "breakup":
        return {"cone_breakup": lambda: cone_breakup.run(on, problems=others.breakup)}
    return _kernels(on, work)


def _kernels(on: Backend, work: PartsWork) -> dict[str, Measure]:
    others, repeats, budget_s = work.others, work.repeats, work.budget_s
    search = work.search
    growth: dict[str, Measure] = {
        "cone_growth": lambda: cone_growth.run(on, sizes=others.growth, repeats=repeats)
    }
    # The other kernels exist on a GPU only
    if on.gpu is None:
        return growth
    found: dict[str, Measure] = {}
    if search is not None:
        # Bound late: each part makes its own data, and frees them
        found["cone_search"] = lambda: search(on, others.searched, budget_s)
    return {
        "cone_kernels": lambda: cone_kernels.run(on, others.kernels, repeats),
        **found,
        **growth,
        "cone_blocks": lambda: cone_blocks.run(
            on, others.blocks, repeats=repeats, budget_s=budget_s / 2
        ),
    }
