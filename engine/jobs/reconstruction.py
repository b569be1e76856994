"""One reconstruction: a study in, events out, the finished volume last.

`run` is a generator of events; whoever draws from it decides how far it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.backend import Backend
from engine.data.run_history import RunHistory
from engine.events import Event, Finished
from engine.modalities.flows import FLOWS
from engine.modalities.studies import Study
from engine.reporting.context import OnProgress, Resume, RunContext

__all__ = ["Resume", "run"]


def run(
    study: Study,
    *,
    on: Backend,
    resume: Resume | None = None,
    on_progress: OnProgress | None = None,
    finish_early: Callable[[], bool] | None = None,
) -> Iterator[Event]:
    """Reconstruct a study; faults of the input raise `EngineError`.

    Parameters
    ----------
    study
        what to reconstruct, and how
    on
        device
    resume
        go on from here instead of a uniform image
    on_progress
        called inside long steps, several times a second; may raise to stop
    finish_early
        polled after each iteration; True ends the iterations and finishes the image
    """
    history = RunHistory() if resume is None else resume.history.resumed()
    record = RunContext(study, on, on_progress, history)
    with on.faults("reconstructing"):
        flow = FLOWS[study.protocol.modality]
        volume = yield from flow(record, resume, finish_early)
        yield Finished(volume, volume.info)
