"""History of a run: its messages and stage times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime


@dataclass(frozen=True)
class RunHistory:
    """History next to the image of a checkpoint, so that a resumed run reports all of it.

    Attributes
    ----------
    started_utc : start of the whole run
    resumed_utc : times at which it continued after an interruption
    seconds : time by stage; work lost by an interruption does not count
    log_likelihoods, residuals : one for each iteration, if the algorithm has them
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

    def extended(self, log_likelihood: float | None, residual: float | None) -> RunHistory:
        """Return the history with the results of a complete iteration.

        Parameters
        ----------
        log_likelihood
            of the image at its start; None if the algorithm has none
        residual
            of its last image; None if the algorithm has none
        """
        likelihoods, residuals = self.log_likelihoods, self.residuals
        # Algorithms have one or the other; a missing value must not shift the curve.
        if log_likelihood is not None:
            likelihoods += (log_likelihood,)
        if residual is not None:
            residuals += (residual,)
        return replace(self, log_likelihoods=likelihoods, residuals=residuals)
