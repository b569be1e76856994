"""One cycle of SVRG: passes over the subsets with gradients corrected at an anchor.

    x ← max( 0, x + α D ( B (∇L_k(x) − ∇L_k(a)) + ∇L(a) − ∇R(x) ) )

for every subset k, twice, from x = a after a step with the full gradient. The first cycle has one
such pass, because its image moves far from a. a is the image at which the cycle begins, and D
(`engine.recon.algorithms.penalised`) that at the start of the pass. Near the optimum the corrected
gradients of all subsets agree, so the step length need not tend to 0, and the optimum does not
depend on the number or order of the subsets.

The image of a cycle is the mean of the images after its last 24 updates (32 with m = 0.9), with
weights 1, 2, 3, ...
Images with few counts in each subset scatter about the optimum, and long steps scatter most. The
mean scatters less, so steps can be long enough for details that the data hardly determine. With few
counts there are few subsets, and 24 updates can be the whole cycle.

An update adds a share m of the last change of the image (heavy ball),

    x ← max( 0, x + m (x − last x) + α D ( ... ) ),    m = 0.5, or 0.9 if d > 1000,

with d the voxels that share a count (`engine.recon.priors.equal_noise`). Structures of a few voxels
then converge with fewer updates, so subsets can be larger, and their gradients agree better. Each
cycle begins without a last change.

If each count could come from thousands of voxels, as between two panels, the data hardly determine
structures of several voxels: between two demo panels the least eigenvalue of D times the Hessian of
−Φ is 0.002, the largest 1. They need more momentum and long steps in the first passes. Later steps
are shorter, because momentum also adds up the differences between subsets. Two remedies reduce
these differences: each subset has lines of all directions (`SystemModel.balanced_subset`), and the
errors of successive subsets nearly cancel (`alternating`).

If few counts contribute to a voxel near 0, its gradient depends on single counts. Such gradients of
all subsets would take the voxel to many times its value, and Φ would decrease. Therefore an update
at most halves or doubles a voxel, and a cycle at most triples it:

    x / 2 ≤ new x ≤ 2 x + 0.005 f̄,    new x ≤ 3 a + 0.005 f̄    (first cycle: 8 a + 0.4 f̄)

f̄ is the typical activity. Near the optimum no limit acts. Line integrals have none (δ = 0).

With a last full gradient, which begins the next cycle, a cycle costs three passes over the data,
the first one two. If Φ has decreased by more than it can be
rounded, the cycle is repeated with half the step. The result is a
function of a, the number of the cycle and the data alone: runs can continue after every cycle.

Johnson & Zhang, NIPS 26 (2013) 315; Twyman et al., IEEE TMI 42 (2023) 29; scaling by the prior:
Ehrhardt, Kereta & Schramm, arXiv 2506.04976 (2025); heavy ball: Polyak, USSR Comput Math Math Phys
4 (1964) 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array, module_of
from engine.recon.algorithms.penalised import Anchor, PenalisedLikelihood
from engine.recon.algorithms.subset_order import alternating, shuffled

SUBSET_PASSES, IN_FIRST = 2, 1
"""Passes over the subsets between full gradients, and in the first cycle."""
LONGEST_STEP, DECAY_POWER, SHORTEST_STEP = 2.0, 0.4, 0.25
"""Step lengths α = max(2 / (1 + (1 − m)^0.4 pass), 0.25), with m the momentum.

Far from the optimum, long ones gain most, and beyond 2 the total of an image would oscillate. Near
the optimum, subsets with few counts need short ones. Momentum serves slow structures, which need
long ones.
"""
MEAN_OF = 24
"""Updates at the end of a cycle whose images it averages."""
SLOW_MOMENTUM, LONGER, SLOW_DECAY, SLOW_MEAN_OF = 0.9, 1.5, 0.32, 32
"""Least momentum of data with slow structures, and their longest step relative to others.

Their steps are α = max(3 / (1 + (0.32 pass)²), 0.375): with momentum m, steps below 2 (1 + m) are
stable. A cycle averages the last 32 updates, because momentum correlates successive images.
"""
LOWEST, HIGHEST, RISE = 0.5, 2.0, 5
"""Limits of a voxel after an update, relative to its value, and the allowed rise in units of δ.

δ is a thousandth of f̄."""
IN_FIRST_CYCLE, IN_A_CYCLE = (8.0, 400), (3.0, 5)
"""The same for the highest value in a cycle. After OSEM, more voxels are near 0."""
MAX_HALVINGS = 4


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


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of the voxels in a cycle.

    Attributes
    ----------
    first : (n_z, n_y, n_x) image at which the cycle begins
    highest, rise : upper limit in the cycle, highest · first + rise · δ
    delta : δ; 0 for no limits
    """

    first: Array
    highest: float
    rise: float
    delta: float

    def apply(self, planes: slice, x: Array, found: Array) -> None:
        """Limit some planes of a new image.

        Parameters
        ----------
        planes
            the planes
        x
            (n_z, n_y, n_x) image before the update
        found
            (n_z, n_y, n_x) image after the update, which is changed
        """
        if not self.delta:
            return
        xp, new = module_of(x), found[planes]
        limit = x[planes] * LOWEST
        xp.maximum(new, limit, out=new)
        limit *= HIGHEST / LOWEST
        limit += RISE * self.delta
        xp.minimum(new, limit, out=new)
        xp.multiply(self.first[planes], self.highest, out=limit)
        limit += self.rise * self.delta
        xp.minimum(new, limit, out=new)


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
    for left in reversed(range(MAX_HALVINGS + 1)):
        x = _passed(of, anchor, number, step)
        # An image for each subset: those of two anchors would need twice the memory.
        anchor.parts.clear()
        after, n_passes = of.anchor(x), n_passes + _passes_in(number) + 1
        if not left or after.value >= anchor.value - of.rounding(anchor):
            break
        # Subsets with too few counts disagree: shorter steps average over them.
        step /= 2
        x, after = anchor.x, anchor  # the new image and its gradients are no longer needed
        anchor, n_passes = of.anchor(anchor.x), n_passes + 1
    return Cycle(anchor, after, step, n_passes)


def _passed(of: PenalisedLikelihood, anchor: Anchor, number: int, longest: float) -> Array:
    """Return the image after the passes of a cycle."""
    n, first = of.objective.n_subsets, sum(map(_passes_in, range(number)))
    limits = Limits(anchor.x, *(IN_A_CYCLE if number else IN_FIRST_CYCLE), of.delta)
    step = _length(of, first, longest)
    x = of.stepped(anchor.x, of.scaling(anchor.x), anchor.gradient, step)

    def limit(planes: slice) -> None:
        limits.apply(planes, anchor.x, x)
        x[planes] *= of.seen[planes]

    of.objective.by_planes(limit, x)
    mean, left = module_of(x).zeros_like(x), n * _passes_in(number)
    n_mean = min(SLOW_MEAN_OF if _is_slow(of) else MEAN_OF, left)
    ordered = alternating if _is_slow(of) else shuffled
    before: Array | None = None
    for each in range(first, first + _passes_in(number)):
        # The curvature of the prior changes with the image, most of all in the first cycles.
        step, scaling = _length(of, each, longest), of.scaling(x)
        for k in ordered(n, each):
            left -= 1
            share = 2 * max(n_mean - left, 0) / (n_mean * (n_mean + 1))
            ahead = x if before is None else _ahead(of, x, before)
            found = _updated(of, anchor, k, x, ahead, scaling, step, limits, mean, share)
            # Without momentum, the last image is released.
            before, x = (x if of.momentum else None), found
    return mean


def _updated(
    of: PenalisedLikelihood,
    anchor: Anchor,
    k: int,
    x: Array,
    ahead: Array,
    scaling: Array,
    step: float,
    limits: Limits,
    mean: Array,
    share: float,
) -> Array:
    """Return the image after the update with a subset, and add a share of it to the mean.

    The step begins at `ahead`, the image with the momentum of the last update.
    """
    found, prior, part = of.objective.gradient_image(k, x), of.prior_gradient(x), anchor.parts[k]
    n = x.dtype.type(of.objective.n_subsets)

    def update(planes: slice) -> None:
        # In place and by planes: temporary images of a whole body would be large and slow.
        gradient = found[planes]
        gradient -= part[planes]
        gradient *= n
        gradient += anchor.total[planes]
        gradient -= prior[planes]
        of.step(planes, ahead, scaling, found, step)
        limits.apply(planes, x, found)
        if share:
            # The gradient of the prior is no longer needed, and its memory is free.
            module_of(x).multiply(found[planes], x.dtype.type(share), out=prior[planes])
            mean[planes] += prior[planes]

    of.objective.by_planes(update, x)
    return found


def _ahead(of: PenalisedLikelihood, x: Array, before: Array) -> Array:
    """Return x + m (x − before), in the memory of the last image."""
    m = x.dtype.type(of.momentum)

    def extend(planes: slice) -> None:
        last = before[planes]
        module_of(x).subtract(x[planes], last, out=last)
        last *= m
        last += x[planes]

    of.objective.by_planes(extend, x)
    return before


def _passes_in(number: int) -> int:
    """Return the passes over the subsets in a cycle."""
    return SUBSET_PASSES if number else IN_FIRST


def _is_slow(of: PenalisedLikelihood) -> bool:
    """Return True for data that hardly determine structures of several voxels."""
    return of.momentum >= SLOW_MOMENTUM


def _length(of: PenalisedLikelihood, number: int, longest: float) -> float:
    """Return the step length of a pass, counted from 0 at the start of the run."""
    if _is_slow(of):
        longest, decay = LONGER * longest, (SLOW_DECAY * number) ** 2
    else:
        decay = (1 - of.momentum) ** DECAY_POWER * number
    return longest * max(1 / (1 + decay), SHORTEST_STEP / LONGEST_STEP)
