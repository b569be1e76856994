"""Thread blocks of the back projection on a GPU.

Figure 4 of Graas et al., "ASTRA KernelKit": a slice of 2000² pixels in 32 views of 2000² pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from time import perf_counter

from engine.core.backend import Backend
from engine.core.errors import DeviceError
from engine.core.json_types import Plain
from engine.kernels.cone.cone_variants import MAX_THREADS, MAX_VIEWS, WARP, BackVariant
from engine.tools.benchmark.cone.variants import Forms, FormsWork

SLICE = FormsWork(2000, 32, (2000, 2000), is_slice=True)
PAPER_BLOCKS = ((16, 32), (16, 4))
"""The usual block, and the fastest one on the authors' GPU."""
WIDTHS, HEIGHTS = (8, 16, 24, 32, 48, 64, 96, 128, 152, 256), (1, 2, 4, 8, 16, 32, 64)
BLOCKS = (
    *PAPER_BLOCKS,
    *(
        (x, y)
        for x, y in product(WIDTHS, HEIGHTS)
        # A smaller block wastes lanes of its warp, a larger one cannot be launched
        if WARP <= x * y <= MAX_THREADS and (x, y) not in PAPER_BLOCKS
    ),
)
LAUNCHES = 20
"""Number of launches of a slice's graph in one measurement."""


@dataclass(frozen=True)
class TimedForm:
    """A variant with its time; None with the error if it failed."""

    variant: BackVariant
    seconds: float | None
    fault: str = ""

    def as_row(self, n_updates: int) -> Plain:
        """Return JSON values.

        Parameters
        ----------
        n_updates
            voxel updates of one run, for the rate
        """
        # 10⁹ updates per second: the unit of the paper
        gups = None if self.seconds is None else n_updates / self.seconds / 1e9
        form = asdict(self.variant) | {"block": list(self.variant.block)}
        return {"variant": form, "seconds": self.seconds, "gups": gups, "fault": self.fault}


def run(
    on: Backend,
    work: FormsWork = SLICE,
    *,
    repeats: int = 3,
    budget_s: float = 30.0,
    sizes: Sequence[tuple[int, int]] = BLOCKS,
) -> Plain:
    """Measure thread blocks for a slice until the time is spent.

    Parameters
    ----------
    on
        GPU
    work
        slice and scan
    repeats
        runs of each block; the median counts
    budget_s
        time for all blocks [s]
    sizes
        blocks, (threads in x, threads in y)

    Returns
    -------
    part
        JSON values for the report
    """
    # The upload of the projections does not count as search time
    test, until = Forms(on, work, repeats), perf_counter() + budget_s
    # All views in one launch, so that the number of launches does not depend on the block
    form = BackVariant("layered", "general", PAPER_BLOCKS[0], 1, min(work.n_views, MAX_VIEWS))
    tried = list(_in_time(test, (replace(form, block=block) for block in sizes), until, LAUNCHES))
    return {
        "workload": "a slice, layered texture, a launch from a graph",
        "size": work.size,
        "n_views": work.n_views,
        "detector": list(work.detector),
        # Blocks that found no time may be faster, so the report states their number
        "n_left_out": len(sizes) - len(tried),
        "rows": [one.as_row(work.n_updates) for one in tried],
        "bars": [],
    }


def _in_time(
    test: Forms, variants: Sequence[BackVariant] | Iterator[BackVariant], until: float,
    launches: int = 1,
) -> Iterator[TimedForm]:  # fmt: skip
    """Time variants one by one; the first is timed in any case."""
    for i, variant in enumerate(variants):
        if i and perf_counter() > until:
            return
        try:
            yield TimedForm(variant, test.back_seconds(variant, launches))
        # Some blocks need more registers than a multiprocessor has: a result, not a failure
        except DeviceError as e:
            yield TimedForm(variant, None, str(e))
