"""The kernels of cone-beam CT on a GPU, form by form on one scan; see `cone_forms`."""

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
"""Back projection of the standard work on such a card."""


def run(
    on: Backend,
    work: FormsWork,
    repeats: int = 3,
    *,
    backs: Sequence[BackVariant] = BACKS,
    josephs: Sequence[JosephVariant] = JOSEPHS,
) -> Plain:
    """Measure all forms; one that the memory cannot hold is told and left out."""
    test = Forms(on, work, repeats)
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
    return [*rows, tried(test.transposed, variant)] if variant.texture == "memory" else rows


def _bars(gpu: Gpu, work: FormsWork, rows: Sequence[Plain]) -> list[Bar]:
    speeds = [row["gups"] for row in rows if row["case"] == BACK and row["seconds"]]
    if work != FormsWork() or BAR_CARD not in gpu.facts.name or not speeds:
        return []
    return [at_least(f"{BACK}, {work.size}³, the fastest form", max(speeds), BAR_GUPS, "GUPS")]
