"""Save the image of a run as a result: the finished one, or the last one before an early end."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.data.runs.events import Event, Finished, Loaded, Preview, ResultSaved, Warned
from engine.data.runs.record import Ending, RecordedRun, RecordedWarning
from engine.data.storage.volume_file import place_of
from engine.jobs.checkpoint.job import Job
from engine.protocols.privacy.names import Names
from engine.protocols.run_context import provenance
from engine.results import NewResult, Result, Results

NOT_SAVED = "The image could not be saved with the results, so export it"
NO_MEMORY = "there is not enough memory to write it"

log = logging.getLogger(__name__)


class RunResult:
    """Collects the events of a run and saves its image.

    Attributes
    ----------
    id : name of the result, empty before it is saved
    """

    def __init__(self, job: Job) -> None:
        self.id = ""
        self._study, self._record = job.study, job.record  # the folder may disappear during the run
        self._job, self._name = job, name_of(job)
        self._latest: Preview | None = None
        self._facts: Plain = {}
        self._warnings: list[RecordedWarning] = []

    def take(self, event: Event) -> None:
        """Record an event of the run."""
        match event:
            case Preview():
                self._latest = event
            case Loaded():
                self._facts = event.facts
            case Warned():
                text, assumes = Names.of(self._study).text(event.text), event.is_assumption
                warning = RecordedWarning(text=text, about=event.about, is_assumption=assumes)
                self._warnings.append(warning)

    def complete(self, event: Finished) -> Finished:
        """Return the last event with the warnings from outside the reconstruction.

        Parameters
        ----------
        event
            last event of the run

        Returns
        -------
        event
            copy with all warnings in its provenance; unchanged without a record of the run
        """
        run = event.run
        if run is None:
            return event
        made = provenance.with_run(event.provenance, run.with_warnings(self._warnings))
        made = self._with_known_digests(made)
        return replace(event, provenance=made, volume=replace(event.volume, info=made))

    def keep_finished(self, event: Finished) -> ResultSaved | Warned:
        """Save the finished image, then remove old results above the limits.

        Parameters
        ----------
        event
            last event of the run, from `complete`

        Returns
        -------
        outcome
            `ResultSaved` with the removed results, or a warning if the image could not be saved
        """
        results = Results()
        try:
            self.id = results.keep(self._finished(event)).id
            removed = results.remove_outdated()
        except (EngineError, MemoryError) as e:
            # A full disk must not lose the image: it stays in memory, and the user can export it
            why = NO_MEMORY if isinstance(e, MemoryError) else str(e)
            return Warned(f"{NOT_SAVED}: {why}")
        return ResultSaved(self.id, " ".join(("Saved with the results.", *_removed_texts(removed))))

    def in_its_place(self, event: Finished) -> Finished:
        """Return the event with the result's volume if the job's own file contained it.

        Delete the file of the job: a volume larger than the memory is then on disk only once.
        """
        place = place_of(event.volume.values)
        if not self.id or place is None:
            return event
        try:
            volume = Results().open(self.id).volume(mapped=True)
        except EngineError as e:
            log.warning("job %s: %s", self._name, e)
            return event
        self._job.slabs.remove()
        return replace(event, volume=replace(volume, info=event.volume.info))

    def keep_last(self, ending: Ending, reason: str = "") -> None:
        """Save the last image of a run that ends before it is finished, if there is one.

        Parameters
        ----------
        ending
            how the run ended
        reason
            text of a failure; names of files become pseudonyms
        """
        latest = self._latest
        if latest is None or latest.slices is not None:
            return  # finished slabs stay in the job: half a volume is not a result, and large
        known = latest.run
        if known is None:
            from engine.protocols.run_context.unrecorded import unrecorded  # only old previews

            known = unrecorded(self._study.protocol, latest.update / latest.subsets)
        reason = Names.of(self._study).text(reason)
        run = known.with_warnings(self._warnings).ended(ending, reason)
        try:
            self.id = self._keep_partial(latest, run).id
        except (EngineError, MemoryError) as e:  # the checkpoint and the state of the job remain
            log.warning("job %s: the last image could not be saved as a result: %s", self._name, e)

    def _finished(self, event: Finished) -> NewResult:
        made = event.provenance
        return NewResult(
            self._study,
            event.volume,
            made,
            event.run,
            seconds=sum(made.get("timings_s", {}).values()),
            job=self._name,
            inputs=made.get("inputs", {}),
            frames=event.frames,
        )

    def _keep_partial(self, preview: Preview, run: RecordedRun) -> Result:
        made, volume = self._made(preview, run), preview.volume
        step = "frame" if preview.frame is not None else "iteration"
        image = f"{step} {preview.iteration}, subset {preview.subset} of {preview.subsets}"
        return Results().keep(
            NewResult(
                self._study,
                volume,
                made | {"axes": volume.axes, "image": image, "finished": False},
                run,
                seconds=sum(preview.history.seconds.values()),
                job=self._name,
                inputs=made["inputs"],
            )
        )

    def _made(self, preview: Preview, run: RecordedRun) -> Plain:
        """Return the provenance of an image, as far as it is known before the run has ended."""
        try:
            made = provenance.build(
                self._study,
                run=run,
                scanner_fingerprint={},
                facts=self._facts,
                history=preview.history,
                ended_utc=datetime.now(UTC),
                grid=preview.volume.grid,
                output_sha256=provenance.hash_array(preview.volume.values),
                read=self._study.fingerprints,
            )
            return self._with_known_digests(made)
        except EngineError:  # a missing input: the record from the start of the run describes it
            known = {
                "inputs": self._known_inputs,
                "protocol": self._study.protocol.model_dump(mode="json"),
            }
            return provenance.with_run(known, run)

    def _with_known_digests(self, made: Plain) -> Plain:
        """Return a provenance with digests from a checkpoint for files that have changed since."""
        inputs = made.get("inputs", {})
        if not provenance.unknown_inputs(inputs):
            return made
        known = self._known_inputs
        lost = {role.partition(",")[0] for role in provenance.unknown_inputs(inputs)}
        # The files behind a header, such as its images, are described with it.
        earlier = {role: each for role, each in known.items() if role.partition(",")[0] in lost}
        return {**made, "inputs": {**inputs, **earlier}}

    @property
    def _known_inputs(self) -> dict[str, Plain]:
        try:
            return self._job.record.inputs
        except EngineError:
            return self._record.inputs


def name_of(job: Job) -> str:
    """Return the name of a run, which does not change when it is resumed.

    Parameters
    ----------
    job
        job of the run; its time of creation distinguishes reused folder names
    """
    return f"{job.id} of {job.record.created_utc.isoformat()}"


def keep_partial(job: Job, preview: Preview, ending: Ending) -> str:
    """Save the image of a run whose process died.

    Parameters
    ----------
    job
        job of the run
    preview
        last image that arrived from the process
    ending
        how the run ended

    Returns
    -------
    id
        name of the result: an existing one if the run saved one itself, empty if saving failed
    """
    record = job.record
    if record.result:
        return record.result
    result = RunResult(job)
    result.take(preview)
    result.keep_last(ending)
    if result.id:
        job.note_result(result.id)
    return result.id


def _removed_texts(removed: list[str]) -> tuple[str, ...]:
    if not removed:
        return ()
    results = "result was" if len(removed) == 1 else "results were"
    return (f"{len(removed)} old {results} removed: {'; '.join(removed)}.",)
