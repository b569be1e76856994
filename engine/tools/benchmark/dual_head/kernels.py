"""Benefit of the symmetries on a GPU: the paper's Algorithms 1 to 3 against ours (Table 1).

One subset is measured, and scaled to the products of an iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any, get_args

import numpy as np

from engine.core.backend import Backend
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.core.json_types import Plain
from engine.kernels.matrix.variants import MatrixVariant
from engine.operators.base import LinearOperator
from engine.operators.matrix.paper_algorithms import Algorithm, PaperProjector
from engine.operators.matrix.projector import MatrixProjector
from engine.tools.benchmark import published
from engine.tools.benchmark.dual_head.panels import PanelWork
from engine.tools.benchmark.dual_head.suite import BACK, FORWARD, timed

FORMS = (MatrixVariant(), MatrixVariant(run=4), MatrixVariant(values="float"))
SEED = 6
NOTE = (
    "Own implementations of the paper's algorithms, with the same response and one subset. "
    "Algorithm 3 skips no line here, because all lines have counts"
)


def run(
    on: Backend, work: PanelWork, repeats: int = 3, *, forms: Sequence[MatrixVariant] = FORMS
) -> Plain:
    """Measure the algorithms and our variants; those that exceed the memory are reported.

    Parameters
    ----------
    on
        GPU
    work
        scanner, response and subsets
    repeats
        runs of each case; the median counts
    forms
        our variants

    Returns
    -------
    part
        JSON values for the report
    """
    gpu = on.gpu
    if gpu is None:
        raise ResourceError(
            f"{on.label} is not a GPU, so GPU kernels cannot be measured on it; choose a GPU."
        )
    # The variant that users get is the reference of all results
    reference = _ours(on, work, None)
    n_products = int(work.n_products[reference.orientations].sum())
    makers: dict[str, Callable[[], LinearOperator]] = {
        f"Algorithm {n}": partial(PaperProjector, reference, gpu, n)
        for n in get_args(Algorithm)
        # Made one by one, since the unfolded matrix of Algorithm 1 nearly fills the memory
    }
    makers |= {_name(form): partial(_ours, on, work, form) for form in forms}
    test = _Test(on, work.n_products_in_all / n_products, repeats, reference)
    rows = [row for name, make in makers.items() for row in test.tried(name, make)]
    return {
        "note": NOTE,
        "repeats": repeats,
        **work.facts(),
        "rows": rows,
        "published": published.dual_head_algorithms(),
        "published_note": published.DUAL_HEAD_NOTE,
        "bars": [],
    }


class _Test:
    """One image and one set of values, with measurements of each variant."""

    def __init__(self, on: Backend, longer: float, repeats: int, reference: LinearOperator) -> None:
        rng = np.random.default_rng(SEED)
        self._on, self._longer, self._repeats = on, longer, repeats
        self._x = on.to_device(rng.random(reference.in_shape, np.float32))
        self._y = on.to_device(rng.random(reference.out_shape, np.float32))
        self._wanted = self._both(reference)

    def tried(self, name: str, make: Callable[[], LinearOperator]) -> list[Plain]:
        """Measure a variant in both directions; report one that exceeds the memory."""
        try:
            A = make()
            found = self._both(A)  # compiles
        except DeviceMemoryError as e:
            return [{"form": name, "case": FORWARD, "iteration_s": None, "fault": str(e)}]
        ways = (lambda: A.forward(self._x)), (lambda: A.adjoint(self._y))
        return [
            {
                "form": name,
                "case": case,
                "device": self._on.name,
                # Subsets differ in their number of products, so the iteration is scaled by products
                "iteration_s": self._longer * self._seconds(function),
                "difference": float(np.abs(mine - wanted).max() / np.abs(wanted).max()),
                "fault": "",
            }
            for case, function, mine, wanted in zip(
                (FORWARD, BACK), ways, found, self._wanted, strict=True
            )
        ]

    def _both(self, A: LinearOperator) -> tuple[Any, Any]:
        on = self._on
        return on.to_host(A.forward(self._x)), on.to_host(A.adjoint(self._y))

    def _seconds(self, function: Callable[[], Any]) -> float:
        return median(timed(function, self._on)[0] for _ in range(self._repeats))


def _ours(on: Backend, work: PanelWork, form: MatrixVariant | None) -> MatrixProjector:
    # The same subset for all variants
    return MatrixProjector(work.response, on=on, variant=form).subset(0, work.n_subsets)


def _name(form: MatrixVariant) -> str:
    return f"ours: {form.threads} threads, {form.run} values each, {form.values}"
