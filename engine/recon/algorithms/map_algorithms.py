"""Penalised reconstruction (MAP) with a smooth prior, by SVRG or by BSREM.

The prior is one of `engine.recon.algorithms.prior_choices`, by default the relative difference
prior.

Both maximise Φ(x) = L(x) − R(x), x ≥ 0 (`engine.recon.algorithms.penalised`). They begin with one
pass of OSEM and a doubled update, which also give the units, ε and κ of the prior (`engine.recon.
priors.even_resolution`) and its strength (`engine.recon.priors.equal_noise`). That pass always has
the same number of subsets, so the prior does not depend on those of the algorithm. The first image
is smoothed a little: few counts leave peaks after OSEM, and SVRG would have to remove them.

SVRG (`engine.recon.algorithms.svrg_cycle`) chooses its step and its subsets. An iteration is a
cycle of three passes over the data, the first one of two. The run ends by the rule of
`engine.recon.algorithms.optimality`.

BSREM is for comparison: x ← max(0, x + α / (1 + η p) · (x + δ) / s · (B ∇L_k − ∇R)) in pass p. It
tends to the optimum as 1 / p.

BSREM: De Pierro & Yamagishi, IEEE TMI 20 (2001) 280; α and η as in PETRIC.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from pydantic import PrivateAttr

from engine.core.arrays import Array
from engine.core.settings import setting
from engine.recon.algorithms.base import Algorithm, Figures, Iterate, WorkingMemory
from engine.recon.algorithms.prior_choices import AnyPrior, RelativeDifferenceChoice

# A run loads the mathematics; a protocol needs only the settings.
if TYPE_CHECKING:
    from engine.recon.algorithms.optimality import Optimality
    from engine.recon.algorithms.penalised import Anchor, PenalisedLikelihood
    from engine.recon.algorithms.subsets import CountDemand
    from engine.recon.model import MapModel, SubsetObjective
    from engine.recon.priors.equal_noise import TypicalVoxel

STRENGTHS = {"smooth": 0.2, "standard": 0.1, "sharp": 0.05}
"""Strength c of the prior for each smoothness, with one count in each voxel
(`engine.recon.priors.equal_noise`).

Discs of 10 mm in the NEMA body with 1.6 million counts (4 per voxel) then vary by 14 % without
time of flight, and half as much is left in its lung as with OSEM (`tests/physics/map_table.py`).
"""
MAX_SUBSETS, MANY_SUBSETS, MIN_SUBSETS = 24, 16, 8
"""Subsets with plenty of counts, with enough, and with few: fewer need many more passes.

With more than 16 a subset needs twice the counts: peaks of noise depend on few counts.
"""
MANY_EVENTS = 2e7
"""Counts of a ring from which 16 subsets are the most: a pass with 24 costs a tenth more."""
FIRST_SIGMA = 0.55
"""Standard deviation of the smoothing of the first image [voxels]."""
PASSES_OF_CYCLE = 3
"""Passes over the data in a cycle: two over the subsets, one for the full gradient."""
TYPICAL_CYCLES = 6
"""Cycles after which most runs end."""
COUNTS_FACTOR = 1.5
"""Counts that a subset needs, relative to OSEM: its gradients are compared voxel by voxel."""
MIN_COUNTS = 50
"""Counts that any subset needs."""
MOMENTUM, MUCH_MOMENTUM, MUCH_SHARING = 0.5, 0.9, 1000
"""Momentum of updates; much if more voxels share a count. Rings have 10 to 400, panels 2,700.

Much momentum adds up ten updates: with more, a cycle of 48 could not damp its oscillations."""
MIN_SHARE = 1e-3
"""δ relative to the typical activity."""
EXTRA_IMAGES = 14
"""Images beyond those of OSEM and the gradients of subsets; measured, up to 5 fewer.

One is for momentum."""
Smoothness = Literal["smooth", "standard", "sharp"]


@dataclass(frozen=True, eq=False)
class MapIterate(Iterate):
    """Image after a cycle.

    Attributes
    ----------
    at : how near the image is to the optimum
    """

    at: Optimality = field(kw_only=True)

    @property
    def optimality(self) -> Optimality:
        return self.at

    def figures(self, before: Figures) -> Figures:
        return self.at.log_likelihood, self.at.n_skipped


@dataclass(frozen=True, eq=False)
class Prepared:
    """Penalised likelihood of a scan, and the image at which a run begins.

    Attributes
    ----------
    likelihood : Φ
    x : (n_z, n_y, n_x) first image of the run
    activity : typical activity
    """

    likelihood: PenalisedLikelihood
    x: Array
    activity: float


class Penalised(Algorithm):
    """Settings of the prior, and the preparation of a run."""

    state_version: ClassVar[int] = 9
    """1: voxels have limits in a cycle (`engine.recon.algorithms.svrg_cycle`).

    2: κ is limited (`engine.recon.priors.even_resolution`), and steps decay faster.
    3: the first image of the prior comes from a doubled update.
    4: the strength follows a typical voxel (`engine.recon.priors.equal_noise`), and a run begins
    with a smoothed image and a shorter cycle.
    5: a cycle ends with the mean of its last pass, with longer steps and wider limits.
    6: updates have momentum if thousands of voxels share a count.
    7: κ² has a lower limit.
    8: all updates have momentum, and a cycle ends with the mean of its last 24 updates.
    9: subsets of two panels are balanced and alternate, with longer first and shorter later steps.
    """

    smoothness: Smoothness = setting(
        "standard",
        "Balance between noise and detail: smooth gives less noise, sharp shows finer detail. The "
        "number is the weight of the prior for an image with one count per voxel; the weight "
        "decreases as counts increase and as more voxels share each count",
        label="Smoothness",
        notes={name: f"{strength:g}" for name, strength in STRENGTHS.items()},
    )
    strength: float | None = setting(
        None,
        "Weight of the prior relative to the data. If empty, it is calculated from the smoothness: "
        "0.2 (smooth), 0.1 (standard) or 0.05 (sharp), divided by (counts per voxel)^0.75 and "
        "multiplied by (16 / voxels that share a count)^0.25",
        label="Strength",
        empty="set by the smoothness",
        expert=True,
        gt=0,
        le=10,
    )
    edges: float = setting(
        2.0,
        "Edge preservation γ of the relative difference prior; 0: no edge preservation",
        label="Edge preservation",
        expert=True,
        ge=0,
        le=100,
    )

    prior: AnyPrior = setting(
        RelativeDifferenceChoice(),
        "Penalty of differences between neighbouring voxels",
        label="Prior",
        expert=True,
    )

    def unused_fields(self) -> frozenset[str]:
        return super().unused_fields() | (frozenset() if self.prior.uses_edges else {"edges"})

    @property
    def is_penalised(self) -> bool:
        return True

    @property
    def extra_images(self) -> int:
        return EXTRA_IMAGES

    _share: float = PrivateAttr(1.0)

    def for_frame(self, share: float) -> Self:
        """Return the algorithm of a time frame; all frames have the strength of the median frame.

        Parameters
        ----------
        share
            counts of the frame over those of the median frame
        """
        # A region over time would otherwise change with the strength.
        copied = self.model_copy()
        copied._share = share
        return copied

    def strength_for(self, typical: TypicalVoxel) -> float:
        """Return the strength of the prior.

        Parameters
        ----------
        typical
            typical voxel of the object
        """
        if self.strength is not None:
            return self.strength
        counts = typical.counts / self._share if self._share > 0 else 0.0
        return STRENGTHS[self.smoothness] * replace(typical, counts=counts).factor

    def prepared(self, model: MapModel, n_subsets: int) -> Prepared:
        """Return the penalised likelihood of a scan and a first image, after one pass of OSEM.

        Parameters
        ----------
        model
            model of the counts, with its start image
        n_subsets
            number of subsets
        """
        from engine.recon.algorithms.penalised import PenalisedLikelihood
        from engine.recon.priors.even_resolution import (
            scale_for,
            typical_activity,
            without_noise,
        )

        objective = model.objective(n_subsets)
        # Its gradients of all subsets are no longer needed, and neither is the image of OSEM.
        updated = _doubly_updated(model, objective)
        first = without_noise(updated)
        activity = typical_activity(first, objective.sensitivity())
        row_sums = objective.hessian_times(first, np.ones_like(first))
        typical = _typical(model, row_sums, first, activity)
        strength = self.strength_for(typical)
        # Voxels that stay at 0 must not lower their neighbours.
        inside = model.start > 0
        scale = scale_for(
            row_sums,
            first,
            activity,
            inside=inside & (objective.sensitivity() > 0),
            strength=strength,
            spacing_mm=model.spacing_mm,
            edges=self.edges,
            threads=model.threads,
        )
        prior, delta = self.prior.prior_for(scale), MIN_SHARE * activity
        momentum = MUCH_MOMENTUM if typical.sharing > MUCH_SHARING else MOMENTUM
        likelihood = PenalisedLikelihood(objective, prior, delta, inside, strength, momentum)
        updated = without_noise(updated, FIRST_SIGMA)
        updated *= likelihood.seen
        return Prepared(likelihood, updated, activity)

    def describe(self) -> str:
        is_default = isinstance(self.prior, RelativeDifferenceChoice)
        prior = "" if is_default else f", prior: {self.prior.title}"
        if self.strength is not None:
            return f"{super().describe()}, own strength ({self.strength:g}){prior}"
        strength = STRENGTHS[self.smoothness]
        return f"{super().describe()}, {self.smoothness} ({strength:g}){prior}"


class Svrg(Penalised):
    """Penalised reconstruction by SVRG."""

    title: ClassVar[str] = "MAP"
    kind: Literal["map"] = "map"
    passes: ClassVar[int] = 2 * PASSES_OF_CYCLE
    memory: ClassVar[WorkingMemory] = WorkingMemory(18 + MAX_SUBSETS, 6, 2)
    iterations: int = setting(
        20,
        "Maximum number of iterations, each with three passes over all data. The run ends earlier "
        "if the regions and the objective no longer change",
        label="Maximum iterations",
        expert=True,
        ge=1,
        le=1000,
    )
    subsets: int | None = setting(
        None,
        "Number of subsets of the data; if empty, it depends on the number of counts",
        label="Subsets",
        expert=True,
        ge=1,
        le=1000,
    )

    @property
    def n_parts(self) -> int:
        """Subsets as set; otherwise those of a scan with enough counts."""
        return self.subsets or MAX_SUBSETS

    @property
    def n_subsets(self) -> int:
        """1: the image of a complete cycle is a step of the run."""
        return 1

    @property
    def n_image_updates(self) -> int:
        return _updates_in(self.n_iterations, self.n_parts)

    @property
    def n_passes(self) -> int:
        return self.passes_before + self.passes * self.iterations

    @property
    def typical_passes(self) -> int:
        return self.passes_before + self.passes * min(self.iterations, TYPICAL_CYCLES)

    @property
    def typical_image_updates(self) -> int:
        return _updates_in(min(self.iterations, TYPICAL_CYCLES), self.n_parts)

    @property
    def extra_images(self) -> int:
        return self.n_parts + EXTRA_IMAGES  # a gradient of each subset

    @property
    def passes_before(self) -> int:
        return 2 + 2 + 3 + 2 - 2  # OSEM, update, row sums, first gradient; first cycle is shorter

    @property
    def may_end_early(self) -> bool:
        return True

    def scaled(self, factor: float) -> Self:
        """Return the algorithm itself: a run ends by itself at every quality level.

        Parameters
        ----------
        factor
            not used
        """
        return self

    def for_counts(self, demand: CountDemand, *, n_updates: int | None = None) -> Svrg:
        """Return the algorithm with the number of subsets that the counts allow.

        Parameters
        ----------
        demand
            counts of the data, and counts that a subset needs
        n_updates
            not used: the run ends by itself
        """
        if self.subsets is not None:
            return self
        most = int(demand.n_counts / (COUNTS_FACTOR * demand.in_subset))
        is_long = demand.n_families is None and demand.n_counts >= MANY_EVENTS
        limit = MANY_SUBSETS if is_long else MAX_SUBSETS
        found = max(min(limit, most // 2), min(MANY_SUBSETS, most), MIN_SUBSETS)
        # Corrected gradients of subsets with very few counts would not agree at all.
        counted = int(demand.n_counts / MIN_COUNTS)
        found = max(min(found, counted, demand.n_families or found), 1)
        return self.model_copy(update={"subsets": found})

    def in_one_subset(self) -> Svrg:
        return self.model_copy(update={"subsets": 1})

    def run(self, model: MapModel, x: Array) -> Iterator[Iterate]:
        return self.resumed(model, x, 0)

    def resumed(self, model: MapModel, x: Array, done: int) -> Iterator[Iterate]:
        """Continue with the next cycle, to the same bits as without an interruption.

        Parameters
        ----------
        model
            model of the counts, with its start image
        x
            (n_z, n_y, n_x) image after `done` cycles; not used if there are none
        done
            number of cycles behind `x`
        """
        of, activity, anchor = self._initial_state(model, x if done else None)
        for number in count(done):
            anchor, at = _after_cycle(of, anchor, number, activity)
            yield MapIterate(anchor.x, ends=at.reached, at=at)

    def _initial_state(
        self, model: MapModel, x: Array | None
    ) -> tuple[PenalisedLikelihood, float, Anchor]:
        """Return the likelihood, the typical activity, and the gradient at an image or the start.

        Images of the preparation are released with the return.
        """
        ready = self.prepared(model, self.n_parts)
        of = ready.likelihood
        return of, ready.activity, of.anchor(ready.x if x is None else x)


class Bsrem(Penalised):
    """Penalised reconstruction by BSREM, for comparison."""

    title: ClassVar[str] = "BSREM"
    kind: Literal["bsrem"] = "bsrem"
    iterations: int = setting(40, "Number of passes over all data", label="Iterations", ge=1)
    subsets: int = setting(12, "Number of updates in each pass", label="Subsets", ge=1, le=1000)
    step: float = setting(0.3, "Step length α of the first pass", label="Step", gt=0, le=2)
    decay: float = setting(
        0.01, "Reduction η of the step length per pass", label="Decay", ge=0, le=1
    )

    @property
    def passes_before(self) -> int:
        return 2 + 2 + 3  # OSEM, update, row sums of the Hessian

    @property
    def n_passes(self) -> int:
        return self.passes_before + super().n_passes

    def run(self, model: MapModel, x: Array) -> Iterator[Iterate]:
        return self.resumed(model, x, 0)

    def resumed(self, model: MapModel, x: Array, done: int) -> Iterator[Iterate]:
        """Continue with the next subset in order.

        Parameters
        ----------
        model
            model of the counts, with its start image
        x
            (n_z, n_y, n_x) image after `done` updates; not used if there are none
        done
            number of updates behind `x`
        """
        ready, n = self.prepared(model, self.subsets), self.subsets
        of = ready.likelihood
        x = x if done else ready.x
        for update in count(done):
            gradient = of.objective.gradient(update % n, x).image * x.dtype.type(n)
            gradient -= of.prior_gradient(x)
            scaling = of.seen / of.objective.curvature(x, of.delta).clip(min=1e-30)
            x = of.stepped(x, scaling, gradient, self.step / (1 + self.decay * (update // n)))
            yield Iterate(x)


def _updates_in(n_cycles: int, n_parts: int) -> int:
    """Return the updates of some cycles; the first one has one pass over the subsets."""
    return n_cycles * (2 * n_parts + 1) - n_parts


def _after_cycle(
    of: PenalisedLikelihood, anchor: Anchor, number: int, activity: float
) -> tuple[Anchor, Optimality]:
    """Return the gradient after a cycle, and how near its image is to the optimum."""
    from engine.recon.algorithms.optimality import optimality_of
    from engine.recon.algorithms.svrg_cycle import run_cycle

    cycle = run_cycle(of, anchor, number)
    return cycle.after, optimality_of(of, cycle, activity)


def _typical(model: MapModel, row_sums: Array, first: Array, activity: float) -> TypicalVoxel:
    """Return the typical voxel of the object, for a part of a pass."""
    from engine.recon.priors.equal_noise import random_signs, typical_activity_of, typical_voxel

    probe = random_signs(first.shape, first.dtype)
    probe *= first.clip(max=typical_activity_of(first, row_sums, activity))
    seen = model.sampled_hessian_times(first, probe)
    return typical_voxel(row_sums, first, activity, probe, seen)


def _doubly_updated(model: MapModel, objective: SubsetObjective) -> Array:
    """Return the image after one pass of OSEM and a doubled update with all data."""
    from engine.recon.priors.even_resolution import doubly_updated

    loop = model.em_loop(model.start, model.start_subsets)
    for k in range(model.start_subsets):
        loop.update(k)
    x = loop.snapshot()()
    gradient = np.zeros_like(x)
    for k in range(objective.n_subsets):
        gradient += objective.gradient_image(k, x)
    return doubly_updated(x, gradient, objective.sensitivity())
