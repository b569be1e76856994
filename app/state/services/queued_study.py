"""Studies on their way into the queue: the open one, and others that were dropped with it."""

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
    """A study for the queue, with its device and the memory that it needs there."""

    study: Study
    device: str
    memory_bytes: int
    on_gpu: bool

    @classmethod
    def of(cls, model: StudyModel, *, identified: bool) -> QueuedStudy:
        """Take a study with its settings as they are now."""
        study = model.to_study().model_copy(update={"identified": identified})
        device = model.device.in_use
        needs = model.estimate(device) if device is not None else None
        key = device.key if device is not None else "auto"
        if needs is None:
            return cls(study, key, 0, on_gpu=False)
        return cls(study, key, needs.memory_bytes, on_gpu=needs.gpu is not None)

    def add_to(self, queue: StudyQueue, order: ImagingOrder | None = None) -> None:
        """Put the study at the end of the queue."""
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
    faults : why a scan, or a file of it, was left out
    added : titles of the studies that the queue took
    """

    ready: list[QueuedStudy] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, found: Iterable[NewStudy], beside: StudyModel, *, identified: bool) -> QueuedScans:
        """Prepare scans as the window would if it opened them; `beside`: the open study."""
        made = cls()
        for each in found:
            model = beside.other(each.inputs, each.protocol)
            obstacle = model.obstacle()
            texts = [text for text in (*each.refused, obstacle) if text]
            made.faults += [f"{each.path.name}: {text}" for text in texts]
            if not obstacle:
                made.ready.append(QueuedStudy.of(model, identified=identified))
        return made

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of the scans, which the log shows under pseudonyms."""
        return tuple(each.study.data for each in self.ready)

    def add_to(self, queue: StudyQueue) -> None:
        """Queue each study; one that the queue refuses does not stop the others."""
        for each in self.ready:
            try:
                each.add_to(queue)
            except EngineError as e:
                self.faults.append(str(e))
            else:
                self.added.append(each.study.title)
