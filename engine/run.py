"""One reconstruction: a study in, events out, the finished volume last.

`run` is a generator of events; whoever draws from it decides how far it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.backend import Backend
from engine.data.course import Course
from engine.events import Event, Finished
from engine.flows import FLOWS
from engine.record import Record, Resume, Tick
from engine.study import Study

__all__ = ["Resume", "run"]


def run(
    study: Study,
    *,
    on: Backend,
    resume: Resume | None = None,
    tick: Tick | None = None,
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
    tick
        called inside long steps, several times a second; may raise to stop
    finish_early
        polled after each iteration; True ends the iterations and finishes the image
    """
    course = Course() if resume is None else resume.course.resumed()
    record = Record(study, on, tick, course)
    with on.faults("reconstructing"):
        flow = FLOWS[study.protocol.modality]
        volume = yield from flow(record, resume, finish_early)
        yield Finished(volume, volume.info)
