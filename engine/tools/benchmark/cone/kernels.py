"""Measure the cone-beam kernels on a GPU, variant by variant on one scan; see `variants`."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.backend import Backend
from engine.core.backend.gpu import Gpu
from engine.core.json_types import Plain
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.cone.joseph_variants import JosephVariant
from engine.tools.benchmark.bars import Bar, at_least
from engine.tools.benchmark.cone.suite import BACK
from engine.tools.benchmark.cone.variants import Forms, FormsWork, tried

BACKS = (
    *(
        BackVariant(kind, path)
        for path in ("upright", "general")
        for kind in ("layered", "array", "list", "pitched", "memory")
    ),
    BackVariant("memory", "columns", (32, 4), projections="vcr"),
)
JOSEPHS = (JosephVariant("array"), JosephVariant("memory"))
BAR_CARD, BAR_GUPS = "H200", 400.0
"""Limit for the back projection of the standard problem on this GPU."""


def run(
    on: Backend,
    work: FormsWork,
    repeats: int = 3,
    *,
    backs: Sequence[BackVariant] = BACKS,
    josephs: Sequence[JosephVariant] = JOSEPHS,
) -> Plain:
    """Measure all variants; those that exceed the memory are reported with their error.

    Parameters
    ----------
    on
        GPU
    work
        scan and volume
    repeats
        runs of each case; the median counts
    backs, josephs
        variants of the back projection and of the line integrals

    Returns
    -------
    part
        JSON values for the report
    """
    test = Forms(on, work, repeats)
    # Back projections first: they share projections, line integrals need a volume
    rows = [tried(test.back, variant) for variant in backs]
    rows += [row for variant in josephs for row in _tried_all(test, variant)]
    return {
        "workload": "A smooth pattern as projections; full circle, float32.",
        "size": work.size,
        "n_views": work.n_views,
        "detector": list(work.detector),
        "repeats": repeats,
        "rows": rows,
        "bars": [bar.as_row() for bar in _bars(test.gpu, work, rows)],
    }


def _tried_all(test: Forms, variant: JosephVariant) -> list[Plain]:
    rows = [tried(test.forward, variant)]
    # Only the variant in memory has a transpose: textures cannot be written
    return [*rows, tried(test.transposed, variant)] if variant.texture == "memory" else rows


def _bars(gpu: Gpu, work: FormsWork, rows: Sequence[Plain]) -> list[Bar]:
    speeds = [row["gups"] for row in rows if row["case"] == BACK and row["seconds"]]
    # A limit applies to one problem and one GPU; other runs have no verdict
    if work != FormsWork() or BAR_CARD not in gpu.facts.name or not speeds:
        return []
    return [at_least(f"{BACK}, {work.size}³, the fastest variant", max(speeds), BAR_GUPS, "GUPS")]
