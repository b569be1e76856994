"""The fastest form of the back projection on a GPU: block sizes, runs, views, textures.

`blocks` is Figure 4 of Graas et al., "ASTRA KernelKit": blocks of threads for a slice of 2000²
in 32 views of 2000² pixels. `run` searches for what `resources/tuning` keeps, in their order:
textures and runs of voxels, then views in a launch, then blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import product
from time import perf_counter
from typing import Any

from engine.backend import Backend
from engine.benchmark.cone_forms import Forms, FormsWork
from engine.errors import DeviceError, ResourceError
from engine.kernels.cone_variants import MOST_THREADS, MOST_VIEWS, WARP, BackVariant
from engine.plain import Plain

SLICE = FormsWork(2000, 32, (2000, 2000), is_slice=True)
PAPER_BLOCKS = ((16, 32), (16, 4))
"""The one everyone takes, and the best on the authors' card."""
WIDTHS, HEIGHTS = (8, 16, 24, 32, 48, 64, 96, 128, 152, 256), (1, 2, 4, 8, 16, 32, 64)
BLOCKS = (
    *PAPER_BLOCKS,
    *(
        (x, y)
        for x, y in product(WIDTHS, HEIGHTS)
        if WARP <= x * y <= MOST_THREADS and (x, y) not in PAPER_BLOCKS
    ),
)
LAUNCHES = 20
"""Launches of a slice's graph that are timed together."""
SEARCHED = FormsWork(n_views=128)
"""The standard cube in fewer views: the search sees many forms."""

Stage = dict[str, Sequence[Any]]
STAGES: dict[str, tuple[BackVariant, tuple[Stage, ...]]] = {
    "upright": (
        BackVariant(path="upright"),
        (
            {
                "texture": ("layered", "pitched", "array", "list", "memory"),
                "voxels_per_thread": (4, 8, 16),
            },
            {"voxels_per_thread": (2, 6, 12, 24)},
            {"views_per_launch": (16, 64, 128)},
            {"block": ((16, 4), (16, 8), (16, 16), (32, 4), (32, 8), (32, 16), (64, 4), (8, 32))},
        ),
    ),
    "columns": (
        BackVariant("memory", "columns", (WARP, 4), 16, projections="vcr"),
        (
            {"voxels_per_thread": (4, 8, 16)},
            {"block": ((WARP, 2), (WARP, 8), (WARP, 16))},
            {"views_per_launch": (16, 64, 128)},
        ),
    ),
    "general": (
        BackVariant(path="general"),
        (
            {
                "texture": ("layered", "pitched", "array", "list", "memory"),
                "voxels_per_thread": (4, 8),
            },
            {"voxels_per_thread": (2, 6, 12)},
            {"views_per_launch": (16, 64, 128)},
            {"block": ((16, 4), (16, 8), (16, 16), (32, 4), (32, 8), (64, 4), (8, 32))},
        ),
    ),
}


@dataclass(frozen=True)
class Tried:
    """A form with its seconds; None where it failed, with the fault."""

    variant: BackVariant
    seconds: float | None
    fault: str = ""

    def as_row(self, n_updates: int) -> Plain:
        """Return plain values."""
        gups = None if self.seconds is None else n_updates / self.seconds / 1e9
        form = asdict(self.variant) | {"block": list(self.variant.block)}
        return {"variant": form, "seconds": self.seconds, "gups": gups, "fault": self.fault}


def run(
    on: Backend,
    work: FormsWork = SEARCHED,
    *,
    repeats: int = 3,
    budget_s: float = 60.0,
    stages: dict[str, tuple[BackVariant, tuple[Stage, ...]]] | None = None,
) -> Plain:
    """Search for each path in turn; each has its part of the budget."""
    test = Forms(on, work, repeats)
    paths = stages or STAGES
    rows, best = [], []
    for start, found in paths.values():
        one, tried = _search(test, start, found, perf_counter() + budget_s / len(paths))
        rows += tried
        if one is not None:
            best.append(one)
    return {
        "workload": "cone beam, a full circle; one launch after another, without the host",
        "size": work.size,
        "n_views": work.n_views,
        "detector": list(work.detector),
        "repeats": repeats,
        "rows": [tried.as_row(work.n_updates) for tried in rows],
        "best": [tried.as_row(work.n_updates) for tried in best],
        "bars": [],
    }


def blocks(
    on: Backend,
    work: FormsWork = SLICE,
    *,
    repeats: int = 3,
    budget_s: float = 30.0,
    sizes: Sequence[tuple[int, int]] = BLOCKS,
) -> Plain:
    """Measure blocks of threads for a slice until the budget is spent."""
    test, until = Forms(on, work, repeats), perf_counter() + budget_s
    form = BackVariant("layered", "general", PAPER_BLOCKS[0], 1, min(work.n_views, MOST_VIEWS))
    tried = list(_in_time(test, (replace(form, block=block) for block in sizes), until, LAUNCHES))
    return {
        "workload": "a slice, layered texture, a launch from a graph",
        "size": work.size,
        "n_views": work.n_views,
        "detector": list(work.detector),
        "n_left_out": len(sizes) - len(tried),
        "rows": [one.as_row(work.n_updates) for one in tried],
        "bars": [],
    }


def tuning(result: Plain, on: Backend) -> Plain:
    """Return what `resources/tuning` keeps of a card, as `engine.kernels.tuning` reads it."""
    if on.gpu is None:
        raise ResourceError(f"{on.label}: kernels of a GPU cannot be measured on it.")
    facts = on.gpu.facts
    choices = []
    for upright in (True, False):
        rows = [r for r in result["best"] if (r["variant"]["path"] != "general") == upright]
        if rows:
            one = max(rows, key=lambda row: row["gups"])
            choices.append({"upright": upright, "gups": one["gups"], "variant": one["variant"]})
    return {
        "device": facts.name,
        "compute_capability": facts.compute_capability,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "workload": result["workload"],
        "size": result["size"],
        "n_views": result["n_views"],
        "detector": result["detector"],
        "cone_back": choices,
        "cone_back_tried": result["rows"],
    }


def _search(
    test: Forms, start: BackVariant, stages: Sequence[Stage], until: float
) -> tuple[Tried | None, list[Tried]]:
    """Vary the best so far, stage by stage; returns the best, and all."""
    tried = list(_in_time(test, [start], until))
    for stage in stages:
        done = {one.variant for one in tried}
        best = _best(tried)
        if best is None:
            break
        others = (v for v in _varied(best.variant, stage) if v not in done)
        tried += _in_time(test, others, until)
    return _best(tried), tried


def _best(tried: Sequence[Tried]) -> Tried | None:
    ran = [one for one in tried if one.seconds is not None]
    return min(ran, key=lambda one: one.seconds or 0.0, default=None)


def _varied(variant: BackVariant, stage: Stage) -> Iterator[BackVariant]:
    """Every form of the stage that can be."""
    for values in product(*stage.values()):
        try:
            yield replace(variant, **dict(zip(stage, values, strict=True)))
        except ValueError:
            continue


def _in_time(
    test: Forms, variants: Sequence[BackVariant] | Iterator[BackVariant], until: float,
    launches: int = 1,
) -> Iterator[Tried]:  # fmt: skip
    """Time one after the other; the first one whatever the clock says."""
    for i, variant in enumerate(variants):
        if i and perf_counter() > until:
            return
        try:
            yield Tried(variant, test.back_seconds(variant, launches))
        except DeviceError as e:
            yield Tried(variant, None, str(e))
