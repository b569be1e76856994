"""Run one reconstruction: a generator of events that ends with the finished volume.

The code that iterates over `run` decides how far the run goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.backend.processor import one_blas_thread
from engine.data.runs.events import Event, Finished, Loaded, Preview
from engine.data.runs.history import RunHistory
from engine.data.timing.time_frames import FrameVolume
from engine.modalities.protocol_identity import identified_study
from engine.modalities.studies import modality_of, refuse_foreign_inputs
from engine.protocols.privacy.names import Names
from engine.protocols.privacy.records import harmless
from engine.protocols.run_context.context import OnProgress, Resume, RunContext
from engine.selftest import best

if TYPE_CHECKING:  # its kernels take as long to import as all else
    from engine.core.backend import Backend
    from engine.data.listmode import ListMode
    from engine.data.projections import Projections
    from engine.data.runs.sharding import Divide
    from engine.data.volume import Volume
    from engine.modalities.stages import Stage
    from engine.protocols.study.protocol import Protocol
    from engine.protocols.study.study import Study

__all__ = ["Resume", "reconstruct", "run"]


def run(
    study: Study,
    *,
    on: Backend,
    resume: Resume | None = None,
    on_progress: OnProgress | None = None,
    finish_early: Callable[[], bool] | None = None,
    scan: ListMode | Projections | None = None,
    folder: Path | None = None,
    divide: Divide | None = None,
) -> Iterator[Event]:
    """Reconstruct a study event by event; the run stops when the iteration stops.

    BLAS has one thread while the run computes, in all threads of the process.

    Parameters
    ----------
    study
        scan, inputs and protocol
    on
        device
    resume
        state to continue from, instead of a uniform image
    on_progress
        called inside long steps, several times a second; may raise to stop
    finish_early
        polled after each iteration; True ends the iterations and finishes the image
    scan
        events or X-ray projections of the study's file, if they are in memory already
    folder
        folder of the job. A volume that exceeds the memory is stored in a file there, so that an
        interrupted run can continue. None: in a temporary file
    divide
        distributes parts of the run to workers (`engine.jobs.shards`); None: all parts run here

    Yields
    ------
    event
        events in order (`engine.data.runs.events`): stages, corrections, a preview after each
        update, and `Finished` with the volume at the end

    Raises
    ------
    EngineError
        if the input, the settings or the device prevent the run

    Examples
    --------
    >>> import engine
    >>> from engine.recon.algorithms import Mlem
    >>> from engine.data.runs.events import Preview
    >>> from engine.simulate import point
    >>> ring = engine.read_scanner("demo-ring")
    >>> engine.save(engine.simulate_listmode(point(), ring, n_prompts=1000, seed=1), "run.h5")
    >>> protocol = engine.ListModeProtocol(
    ...     grid={"voxel_mm": (8, 8, 8), "diameter_mm": 80, "length_mm": 40},
    ...     sensitivity={"method": "sampled", "error_percent": 20},
    ...     algorithm=Mlem(iterations=2),
    ... )
    >>> study = engine.Study(data="run.h5", protocol=protocol)
    >>> for event in engine.run(study, on=engine.cpu()):
    ...     if isinstance(event, Preview):
    ...         print(event.iteration, event.volume.grid.describe())
    1 8 mm, 10 × 10 × 5
    2 8 mm, 10 × 10 × 5
    """
    study = _identified(study.of_files())
    history = RunHistory() if resume is None else resume.history.resumed()
    context: RunContext[Protocol] = RunContext.of(
        study, on, on_progress, history, scan, folder, divide
    )
    # Errors of the CUDA runtime in any stage become a `DeviceError` with a remedy
    with on.faults("reconstructing"):
        refuse_foreign_inputs(study)
        flow = modality_of(study.protocol).flow(context, resume, finish_early)
        frames = [] if resume is None else list(resume.frames)
        volume = yield from _without_names(flow, study, frames)
        yield Finished(volume, volume.info, tuple(frames))


def _identified(study: Study) -> Study:
    """Compare the protocol with the saved ones, unless the creator of the study did so already."""
    saved = study.protocol.saved
    if saved is not None and saved.origin is not None:
        return study
    return identified_study(study)


def _without_names(flow: Stage[Volume], study: Study, frames: list[FrameVolume]) -> Stage[Volume]:
    """Pass on the events of a flow with pseudonyms instead of names; return its volume.

    Finished frames are added to `frames`. A resumed run may deliver some of them again.
    """
    names = Names.of(study)
    # A reader that stops early must still let the flow remove its temporary files
    with closing(flow):
        while True:
            try:
                # Only while the run computes: between events the caller's number applies.
                with one_blas_thread():
                    event = next(flow)
            except StopIteration as end:
                volume: Volume = end.value
                return volume
            # Facts can be paths and texts of the header; those that may identify a patient are
            # dropped
            if isinstance(event, Loaded) and not study.identified:
                event = replace(event, facts=names.values(harmless(event.facts)))
            if isinstance(event, Preview) and event.frame is not None and event.ends_iteration:
                frames[event.iteration - 1 :] = [FrameVolume(event.frame, event.volume)]
            yield names.event(event)


def reconstruct(study: Study, *, on: Backend | None = None) -> Volume:
    """Reconstruct a study and return its volume.

    Parameters
    ----------
    study
        scan, inputs and protocol
    on
        device; None for the fastest of this machine

    Returns
    -------
    volume
        finished image with its grid, unit and provenance

    Raises
    ------
    EngineError
        if the input, the settings or the device prevent the run

    Examples
    --------
    >>> import engine, numpy as np
    >>> from engine.simulate import uniform_cylinder
    >>> scan = engine.circular_cone(
    ...     np.linspace(0, 2 * np.pi, 30, endpoint=False),
    ...     source_axis_mm=500, source_detector_mm=800, shape=(8, 24), pixel_mm=4,
    ... )
    >>> cylinder = uniform_cylinder(diameter_mm=30)
    >>> engine.save(engine.simulate_integrals(cylinder, scan), "scan.h5")
    >>> volume = engine.reconstruct(engine.Study(data="scan.h5", protocol=engine.CtProtocol()))
    >>> volume.unit
    '1/mm'
    """
    for event in run(study, on=on or best()):
        if isinstance(event, Finished):
            return event.volume
    raise RuntimeError("the run ended without a volume")
