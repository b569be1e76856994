"""Run one reconstruction: a generator of events that ends with the finished volume.

The caller that iterates over `run` decides when the run ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.backend.processor import lent, one_blas_thread, usable_cores
from engine.core.errors import SettingsError
from engine.data.runs.events import Event, Finished, Loaded, Preview
from engine.data.runs.history import RunHistory
from engine.data.timing.time_frames import FrameVolume
from engine.modalities.protocol_identity import identified_study
from engine.modalities.studies import (
    Study,
    find_protocol,
    modality_of,
    refuse_foreign_inputs,
    study_at,
)
from engine.protocols.privacy.names import Names
from engine.protocols.privacy.records import shareable
from engine.protocols.run_context.context import OnProgress, Resume, RunContext
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.study import StudyValues, fingerprints_now, refuse_changed_files
from engine.selftest import best

if TYPE_CHECKING:  # its kernels take as long to import as all other modules
    from engine.core.backend import Backend
    from engine.data.runs.sharding import Divide
    from engine.data.scan import Scan
    from engine.data.volume import Volume
    from engine.modalities.stages import Stage

Inputs = Mapping[str, Path | str]
"""Path of each auxiliary file by the key of its role."""

__all__ = ["Resume", "reconstruct", "reconstruct_frames", "run"]


def run(
    source: Study | Scan | Volume | Path | str,
    protocol: Protocol | str | None = None,
    *,
    on: Backend | None = None,
    inputs: Inputs | None = None,
    resume: Resume | None = None,
    on_progress: OnProgress | None = None,
    finish_early: Callable[[], bool] | None = None,
    scan: Scan | None = None,
    folder: Path | None = None,
    divide: Divide | None = None,
) -> Iterator[Event]:
    """Reconstruct a scan event by event; the run stops when the iteration stops.

    BLAS has one thread while the run computes, in all threads of the process.

    Parameters
    ----------
    source
        what to reconstruct, as for `reconstruct`
    protocol
        protocol, its name, or its file; None: that of the study, or the standard one for the scan
    on
        device; None for the fastest of this machine
    inputs
        path of each auxiliary file by the key of its role, such as "attenuation"
    resume
        state to continue from, instead of a uniform image
    on_progress
        called inside long steps, several times a second; may raise to stop
    finish_early
        polled after each iteration; True ends the iterations and finishes the image
    scan
        content of the study's file, if it is in memory already
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
    study, in_memory = _study_of(source, protocol, inputs)
    study, on = _identified(study.of_files()), on or best()
    history = RunHistory() if resume is None else resume.history.resumed()
    read = fingerprints_now(study)
    context: RunContext[Protocol] = RunContext.of(
        study, on, on_progress, history, in_memory if scan is None else scan, folder, divide, read
    )
    # Only those that a step needs are started; some steps of a GPU use all cores.
    max_threads = max(on.threads, usable_cores())
    # Errors of the CUDA runtime in any stage become a `DeviceError` with a remedy
    with on.faults("reconstructing"), ThreadPoolExecutor(max_threads) as threads:
        refuse_foreign_inputs(study)
        refuse_changed_files(study, read)
        flow = modality_of(study.protocol).flow(context, resume, finish_early)
        frames = [] if resume is None else list(resume.frames)
        volume = yield from _without_names(flow, _with_read_scan(study, read), frames, threads)
        yield Finished(volume, volume.info, tuple(frames))


def _study_of(
    source: object, protocol: Protocol | str | None = None, inputs: Inputs | None = None
) -> tuple[StudyValues, object | None]:
    """Return the study of a source, and its scan if that is in memory."""
    chosen = _named(protocol)
    scan: object | None = None
    if isinstance(source, StudyValues):
        study = source
    elif isinstance(source, str | Path):
        study = study_at(Path(source))
    else:
        from engine.modalities.in_memory import in_memory  # runs from files do not need it

        study, scan = in_memory(source, chosen)
    changes: dict[str, object] = {}
    if chosen is not None:
        changes["protocol"] = chosen
    if inputs is not None and not isinstance(inputs, Mapping):
        raise SettingsError(
            f"inputs have the type {type(inputs).__name__!r}, expected a table of paths by role, "
            'such as {"attenuation": "mu.nii.gz"}.'
        )
    if inputs:
        study = study.with_inputs({key: Path(path) for key, path in inputs.items()})
    return study.model_copy(update=changes) if changes else study, scan


def _named(protocol: Protocol | str | None) -> Protocol | None:
    if protocol is None or isinstance(protocol, Protocol):
        return protocol
    if isinstance(protocol, str | Path):
        return find_protocol(str(protocol))
    raise SettingsError(
        f"a value of the type {type(protocol).__name__!r} is no protocol; pass a name such as "
        "'brain-fdg', a protocol file (.toml) or a protocol such as CtProtocol()."
    )


def _identified(study: StudyValues) -> StudyValues:
    """Compare the protocol with the saved ones, unless the creator of the study did so already."""
    saved = study.protocol.saved
    if saved is not None and saved.origin is not None:
        return study
    return identified_study(study)


def _with_read_scan(study: StudyValues, read: Mapping[str, str]) -> StudyValues:
    """Return the study with the fingerprint of its scan as it was before it was read."""
    known = {role: digest for role, digest in read.items() if role == "data"}
    return study.model_copy(update={"fingerprints": known | study.fingerprints})


def _without_names(
    flow: Stage[Volume], study: StudyValues, frames: list[FrameVolume], threads: ThreadPoolExecutor
) -> Stage[Volume]:
    """Pass on the events of a flow with pseudonyms instead of names; return its volume.

    Finished frames are added to `frames`. A resumed run may deliver some of them again.
    """
    names = Names.of(study)
    # A reader that stops early must still let the flow remove its temporary files
    with closing(flow):
        while True:
            try:
                # Only while the run computes: between events the caller's number applies, and the
                # next event can be computed in another thread.
                with one_blas_thread(), lent(threads):
                    event = next(flow)
            except StopIteration as end:
                volume: Volume = end.value
                return volume
            # Facts can be paths and texts of the header; those that may identify a patient are
            # dropped
            if isinstance(event, Loaded):
                # Again, because a file can be replaced between the first check and the reading
                refuse_changed_files(study)
                if not study.identified:
                    event = replace(event, facts=names.values(shareable(event.facts)))
            if isinstance(event, Preview) and event.frame is not None and event.ends_iteration:
                frames[event.iteration - 1 :] = [FrameVolume(event.frame, event.volume)]
            yield names.event(event)


def reconstruct(
    source: Study | Scan | Volume | Path | str,
    protocol: Protocol | str | None = None,
    *,
    on: Backend | None = None,
    inputs: Inputs | None = None,
) -> Volume:
    """Reconstruct a scan, a file or a study, and return the volume.

    A scan in memory takes the same steps as its file, and gives the same image and record. It
    needs no file; the run writes only to the cache.

    Parameters
    ----------
    source
        `ListMode`, `Histogram`, `Sinogram` or `Projections`; a `Study`; or the path of a scan or
        study file
    protocol
        protocol, the name of one that comes with the program, or a protocol file (.toml). None:
        that of the study, or the standard one for the kind of scan, as in the window and on the
        command line
    on
        device; None for the fastest of this machine
    inputs
        path of each auxiliary file by the key of its role, such as "attenuation"; added to those
        of the study

    Returns
    -------
    volume
        finished image with its grid and unit. `record` lists its corrections and warnings, `info`
        is the complete provenance

    Raises
    ------
    EngineError
        if the input, the settings or the device prevent the run

    Examples
    --------
    >>> import engine, numpy as np
    >>> orbit = engine.circular_cone(
    ...     np.linspace(0, 2 * np.pi, 30, endpoint=False),
    ...     source_axis_mm=500, source_detector_mm=800, shape=(8, 24), pixel_mm=4,
    ... )
    >>> line_integrals = np.full((30, 8, 24), 0.1)
    >>> volume = engine.reconstruct(engine.Projections(line_integrals, orbit))
    >>> volume.unit, volume.record.algorithm
    ('1/mm', 'Filtered back projection (FDK)')
    """
    return _finished(source, protocol, on, inputs).volume


def reconstruct_frames(
    source: Study | Scan | Volume | Path | str,
    protocol: Protocol | str | None = None,
    *,
    on: Backend | None = None,
    inputs: Inputs | None = None,
) -> tuple[FrameVolume, ...]:
    """Reconstruct a scan in time frames or gates, and return the image of each.

    Parameters
    ----------
    source
        list mode with times: a `ListMode`, a `Study`, or the path of a scan or study file
    protocol
        protocol with `frames`, its name, or its file; None: that of the study
    on
        device; None for the fastest of this machine
    inputs
        path of each auxiliary file by the key of its role

    Returns
    -------
    frames
        pairs of `frame` and `volume` in order of time. `reconstruct` returns their sum, or in
        Bq/mL their mean

    Raises
    ------
    EngineError
        if the protocol has no frames, or the input or the device prevents the run

    Examples
    --------
    >>> import engine, numpy as np
    >>> panels = engine.read_scanner("test-panels")
    >>> crystals = np.tile(np.array([[0, 30], [7, 41]], np.int32), (500, 1))
    >>> times_ms = np.arange(1000, dtype=np.uint32)
    >>> scan = engine.ListMode(panels, crystals, time_ms=times_ms, duration_s=1)
    >>> protocol = engine.ListModeProtocol(frames="2x0.5", algorithm={"kind": "mlem"})
    >>> frames = engine.reconstruct_frames(scan, protocol, on=engine.cpu())
    >>> [each.frame.describe() for each in frames]
    ['0 to 0.5 s', '0.5 to 1 s']
    """
    frames = _finished(source, protocol, on, inputs).frames
    if not frames:
        raise SettingsError(
            "the protocol reconstructs a single image, expected one with frames; set `frames`, "
            'such as ListModeProtocol(frames="10x60"), or call `reconstruct`.'
        )
    return frames


def _finished(
    source: Study | Scan | Volume | Path | str,
    protocol: Protocol | str | None,
    on: Backend | None,
    inputs: Inputs | None,
) -> Finished:
    for event in run(source, protocol, on=on, inputs=inputs):
        if isinstance(event, Finished):
            return event
    raise RuntimeError("the run ended without a volume")
