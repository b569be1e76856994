"""Choice of the prior of a penalised reconstruction.

All priors of pairs cost about strength · d² / 2 for a small difference d at the typical activity.
The smoothness then has a similar meaning for each of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Union

from pydantic import Field

from engine.core.plugins import with_added
from engine.core.settings import Settings, setting

# A protocol needs only the settings; a run loads the mathematics.
if TYPE_CHECKING:
    from engine.recon.priors.scale import PriorScale
    from engine.recon.priors.smooth_prior import SmoothPrior


class PriorChoice(Settings):
    """Settings of a prior; `prior_for` makes the prior of a scan.

    A plug-in extends this class, and states `title` and `kind`.

    Attributes
    ----------
    title : displayed name
    kind : name in files, a Literal in each prior
    uses_edges : False if it ignores the edge preservation of the algorithm, `PriorScale.edges`
    """

    noun: ClassVar[str] = "prior"
    title: ClassVar[str]
    uses_edges: ClassVar[bool] = True
    kind: Any

    @abstractmethod
    def prior_for(self, scale: PriorScale) -> SmoothPrior:
        """Return the prior of a scan.

        Parameters
        ----------
        scale
            units and weights

        Returns
        -------
        prior
            its strength includes that of `scale`
        """


class RelativeDifferenceChoice(PriorChoice):
    """Relative difference prior, which smooths in proportion to the activity."""

    title: ClassVar[str] = "Relative difference"
    kind: Literal["relative_difference"] = "relative_difference"

    def prior_for(self, scale: PriorScale) -> SmoothPrior:
        from engine.recon.priors.relative import EPSILON_SHARE, RelativeDifference

        epsilon, strength = EPSILON_SHARE * scale.activity, scale.strength * scale.activity
        return RelativeDifference(
            scale.spacing_mm, epsilon, strength, scale.edges, scale.kappa, scale.threads
        )


class QuadraticChoice(PriorChoice):
    """Quadratic prior, which smooths equally everywhere and blurs edges."""

    title: ClassVar[str] = "Quadratic"
    uses_edges: ClassVar[bool] = False
    kind: Literal["quadratic"] = "quadratic"

    def prior_for(self, scale: PriorScale) -> SmoothPrior:
        from engine.recon.priors.quadratic import Quadratic

        return Quadratic(scale.spacing_mm, scale.strength, scale.kappa, scale.threads)


class HuberChoice(PriorChoice):
    """Huber prior, which is quadratic for small differences and preserves edges."""

    title: ClassVar[str] = "Huber"
    uses_edges: ClassVar[bool] = False
    kind: Literal["huber"] = "huber"
    edge: float = setting(
        0.2,
        "Difference δ from which neighbours are an edge, relative to the typical activity",
        label="Edge",
        gt=0,
        le=100,
    )

    def prior_for(self, scale: PriorScale) -> SmoothPrior:
        from engine.recon.priors.quadratic import Huber

        delta = self.edge * scale.activity
        return Huber(scale.spacing_mm, delta, scale.strength, scale.kappa, scale.threads)


PRIORS: tuple[type[PriorChoice], ...] = with_added(
    (RelativeDifferenceChoice, QuadraticChoice, HuberChoice), "priors", PriorChoice
)
"""Priors of a penalised reconstruction; the first one is the default."""

if TYPE_CHECKING:
    AnyPrior = PriorChoice
else:
    AnyPrior = Annotated[Union[PRIORS], Field(discriminator="kind")]  # noqa: UP007
