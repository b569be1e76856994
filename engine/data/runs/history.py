"""History of a run: its messages and stage times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime


@dataclass(frozen=True)
class RunHistory:
    """History next to the image of a checkpoint, so that a resumed run reports all of it.

    Attributes
    ----------
    started_utc : started utc of the whole run
    resumed_utc : when it went on after an interruption
    seconds : spent, by stage; work that an interruption lost does not count
    log_likelihoods, residuals : one of each iteration, of those its algorithm has
    so_far : log-likelihood and rows skipped of the updates of the iteration at work
    n_skipped : rows, in the first iteration
    """

    started_utc: datetime = field(default_factory=lambda: datetime.now(UTC))
    resumed_utc: tuple[datetime, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    log_likelihoods: tuple[float, ...] = ()
    residuals: tuple[float, ...] = ()
    so_far: tuple[float, int] = (0.0, 0)
    n_skipped: int = 0

    def resumed(self) -> RunHistory:
        """Go on now."""
        return replace(self, resumed_utc=(*self.resumed_utc, datetime.now(UTC)))

    def spent(self, stage: str, seconds: float) -> RunHistory:
        """Add time to a stage."""
        total = self.seconds.get(stage, 0.0) + seconds
        return replace(self, seconds=self.seconds | {stage: total})

    def extended(self, log_likelihood: float | None, residual: float | None) -> RunHistory:
        """Add what the end of an iteration has told."""
        likelihoods, residuals = self.log_likelihoods, self.residuals
        if log_likelihood is not None:
            likelihoods += (log_likelihood,)
        if residual is not None:
            residuals += (residual,)
        return replace(self, log_likelihoods=likelihoods, residuals=residuals)
