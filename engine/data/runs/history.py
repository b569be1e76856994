"""History of a run: its messages and stage times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import NamedTuple


class PenalisedFigures(NamedTuple):
    """How near an image is to the maximum of a penalised likelihood.

    Attributes
    ----------
    objective : penalised log-likelihood, up to a constant of the data
    change : largest change of a region in the last iteration, relative to the typical activity
    kkt : KKT residual, which is 0 at the maximum
    limit : change below which the run may end
    lowered : share by which the prior lowers the total of the image
    strength : weight of the prior relative to the data, as used
    """

    objective: float
    change: float
    kkt: float
    limit: float
    lowered: float = 0.0
    strength: float = 0.0


@dataclass(frozen=True)
class RunHistory:
    """History next to the image of a checkpoint, so that a resumed run reports all of it.

    Attributes
    ----------
    started_utc : start of the whole run
    resumed_utc : times at which it continued after an interruption
    seconds : time by stage; work lost by an interruption does not count
    log_likelihoods, residuals : one for each iteration, if the algorithm has them
    penalised : one for each iteration of a penalised reconstruction
    ends : why no iteration follows this image; empty if one follows or all are done
    so_far : log-likelihood and skipped rows of the current iteration so far
    n_skipped : skipped rows in the first iteration
    """

    started_utc: datetime = field(default_factory=lambda: datetime.now(UTC))
    resumed_utc: tuple[datetime, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    log_likelihoods: tuple[float, ...] = ()
    residuals: tuple[float, ...] = ()
    so_far: tuple[float, int] = (0.0, 0)
    n_skipped: int = 0
    penalised: tuple[PenalisedFigures, ...] = ()
    ends: str = ""

    def resumed(self) -> RunHistory:
        """Return the history with a continuation now."""
        return replace(self, resumed_utc=(*self.resumed_utc, datetime.now(UTC)))

    def spent(self, stage: str, seconds: float) -> RunHistory:
        """Return the history with more time for a stage.

        Parameters
        ----------
        stage
            key of the stage
        seconds
            time to add
        """
        total = self.seconds.get(stage, 0.0) + seconds
        return replace(self, seconds=self.seconds | {stage: total})

    def for_next_image(self) -> RunHistory:
        """Return the history without the figures of iterations, for the next image of the run."""
        # Values of the whole run do not change.
        return RunHistory(self.started_utc, self.resumed_utc, self.seconds)

    def extended(
        self,
        log_likelihood: float | None,
        residual: float | None,
        penalised: PenalisedFigures | None = None,
    ) -> RunHistory:
        """Return the history with the results of a complete iteration.

        Parameters
        ----------
        log_likelihood
            value for the image at the start of the iteration; None if the algorithm has none
        residual
            value for the last image of the iteration; None if the algorithm has none
        penalised
            values for the last image of the iteration; None if the likelihood has no penalty
        """
        likelihoods, residuals, figures = self.log_likelihoods, self.residuals, self.penalised
        # Algorithms have one or the other; a missing value must not shift the curve.
        if log_likelihood is not None:
            likelihoods += (log_likelihood,)
        if residual is not None:
            residuals += (residual,)
        if penalised is not None:
            figures += (penalised,)
        return replace(self, log_likelihoods=likelihoods, residuals=residuals, penalised=figures)
