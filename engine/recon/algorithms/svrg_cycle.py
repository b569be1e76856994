"""One cycle of SVRG: two passes over the subsets with gradients corrected at an anchor.

    x ← max( 0, x + α D ( B (∇L_k(x) − ∇L_k(a)) + ∇L(a) − ∇R(x) ) )

for every subset k, twice, from x = a after a step with the full gradient. a is the image at which
the cycle begins, and D (`engine.recon.algorithms.penalised`) that at the start of the pass. Near
the optimum the corrected gradients of all subsets agree, so the step length need not tend to 0, and
the optimum does not depend on the number or order of the subsets.

With a last full gradient, which begins the next cycle, a cycle costs three passes over the data. If
Φ has decreased, the cycle is repeated with half the step. The result is a function of a, the number
of the cycle and the data alone: runs can continue after every cycle.

Johnson & Zhang, NIPS 26 (2013) 315; Twyman et al., IEEE TMI 42 (2023) 29; scaling by the prior:
Ehrhardt, Kereta & Schramm, arXiv 2506.04976 (2025).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array
from engine.recon.algorithms.penalised import Anchor, PenalisedLikelihood
from engine.recon.algorithms.subset_order import shuffled

SUBSET_PASSES = 2
"""Passes over the subsets between full gradients."""
LONGEST_STEP, DECAY, SHORTEST_STEP = 1.5, 0.1, 0.25
"""Step lengths α = max(1.5 / (1 + 0.1 pass), 0.25).

Far from the optimum, long ones gain most. Near it, subsets with few counts need short ones.
"""
MOST_HALVINGS = 4
RELATIVE_ROUNDING = 1e-8
"""Decrease of Φ relative to L that rounding can cause."""


@dataclass(frozen=True, eq=False)
class Cycle:
    """Result of a cycle.

    Attributes
    ----------
    before, after : full gradients at its first and last image
    step : step length of its first pass
    n_passes : passes over the data, with the full gradient at the end
    """

    before: Anchor
    after: Anchor
    step: float
    n_passes: int


def run_cycle(of: PenalisedLikelihood, anchor: Anchor, number: int) -> Cycle:
    """Return the result of one cycle.

    Parameters
    ----------
    of
        penalised likelihood
    anchor
        full gradient at the first image
    number
        number of the cycle, from 0
    """
    step, n_passes = LONGEST_STEP, 0
    for left in reversed(range(MOST_HALVINGS + 1)):
        x = _passed(of, anchor, number, step)
        # An image for each subset: those of two anchors would need twice the memory.
        anchor.parts.clear()
        after, n_passes = of.anchor(x), n_passes + SUBSET_PASSES + 1
        if not left or after.value >= anchor.value - RELATIVE_ROUNDING * abs(anchor.log_likelihood):
            break
        # Subsets with too few counts disagree: shorter steps average over them.
        step /= 2
        x, after = anchor.x, anchor  # the new image and its gradients are no longer needed
        anchor, n_passes = of.anchor(anchor.x), n_passes + 1
    return Cycle(anchor, after, step, n_passes)


def _passed(of: PenalisedLikelihood, anchor: Anchor, number: int, longest: float) -> Array:
    """Return the image after the passes of a cycle."""
    n, first = of.objective.n_subsets, number * SUBSET_PASSES
    step = _length(first, longest)
    x = of.stepped(anchor.x, of.scaling(anchor.x), anchor.gradient, step)
    for each in range(first, first + SUBSET_PASSES):
        # The curvature of the prior changes with the image, most of all in the first cycles.
        step, scaling = _length(each, longest), of.scaling(x)
        for k in shuffled(n, each):
            x = _updated(of, anchor, k, x, scaling, step)
    return x


def _updated(
    of: PenalisedLikelihood, anchor: Anchor, k: int, x: Array, scaling: Array, step: float
) -> Array:
    """Return the image after the update with a subset."""
    found, prior, part = of.objective.gradient_image(k, x), of.prior_gradient(x), anchor.parts[k]
    n = x.dtype.type(of.objective.n_subsets)

    def update(planes: slice) -> None:
        # In place and by planes: temporary images of a whole body would be large and slow.
        gradient = found[planes]
        gradient -= part[planes]
        gradient *= n
        gradient += anchor.total[planes]
        gradient -= prior[planes]
        of.step(planes, x, scaling, found, step)

    of.objective.by_planes(update, x)
    return found


def _length(number: int, longest: float) -> float:
    """Return the step length of a pass, counted from 0 at the start of the run."""
    return longest * max(1 / (1 + DECAY * number), SHORTEST_STEP / LONGEST_STEP)
