"""Studies for the queue: the open one, and scans that were dropped with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from app.state.models.study_model import StudyModel
from app.state.services.outcomes import NewStudy
from engine.core.errors import EngineError
from engine.jobs import StudyQueue
from engine.jobs.study_index import ImagingOrder
from engine.modalities import Study


@dataclass(frozen=True)
class QueuedStudy:
    """A study for the queue, with its device and memory estimate."""

    study: Study
    device: str
    memory_bytes: int
    on_gpu: bool

    @classmethod
    def of(cls, model: StudyModel, *, identified: bool) -> QueuedStudy:
        """Collect a study with its current settings.

        Parameters
        ----------
        model
            the study
        identified
            True if its output may contain names of files
        """
        # The choice about file names is stored with the study, because the queue runs without the
        # window.
        study = model.to_study().model_copy(update={"identified": identified})
        device = model.device.in_use
        needs = model.estimate(device) if device is not None else None
        key = device.key if device is not None else "auto"
        # Without an estimate the queue runs the study alone.
        if needs is None:
            return cls(study, key, 0, on_gpu=False)
        return cls(study, key, needs.memory_bytes, on_gpu=needs.gpu is not None)

    def add_to(self, queue: StudyQueue, order: ImagingOrder | None = None) -> None:
        """Add the study at the end of the queue.

        Parameters
        ----------
        queue
            the queue on disk
        order
            worklist order of the scan; None if there is none

        Raises
        ------
        EngineError
            the queue cannot be written or refuses the study
        """
        queue.add(
            self.study,
            device=self.device,
            memory_bytes=self.memory_bytes,
            on_gpu=self.on_gpu,
            order=order,
        )


@dataclass
class QueuedScans:
    """Scans that are queued together, each with its own protocol.

    Attributes
    ----------
    ready : studies that can run
    faults : reasons why a scan, or a file of it, was left out
    added : titles of the studies that are in the queue now
    """

    ready: list[QueuedStudy] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, found: Iterable[NewStudy], open_study: StudyModel, *, identified: bool
    ) -> QueuedScans:
        """Prepare scans as the window would open them.

        Parameters
        ----------
        found
            scans that were read already
        open_study
            the open study, which provides device and protocols
        identified
            True if output may contain names of files
        """
        made = cls()
        for each in found:
            # A separate model, so that the open study keeps its settings and undo history.
            model = open_study.other(each.inputs, each.protocol)
            obstacle = model.obstacle()
            texts = [text for text in (*each.refused, obstacle) if text]
            made.faults += [f"{each.path.name}: {text}" for text in texts]
            if not obstacle:
                made.ready.append(QueuedStudy.of(model, identified=identified))
        return made

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of the scans. The log shows them under pseudonyms."""
        return tuple(each.study.data for each in self.ready)

    def add_to(self, queue: StudyQueue) -> None:
        """Queue each study; one that is refused does not stop the others.

        Parameters
        ----------
        queue
            the queue on disk; `added` and `faults` receive the outcome
        """
        for each in self.ready:
            try:
                each.add_to(queue)
            # Each scan is independent, so the others are still queued.
            except EngineError as e:
                self.faults.append(str(e))
            else:
                self.added.append(each.study.title)
