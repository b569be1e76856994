"""Studies for the queue: the open one, and scans that were added without opening them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.language.translation import tr
from app.state.models.study_model import StudyModel
from app.state.services.outcomes import NewStudy, Wanted
from app.state.services.queueing.batch_reading import Unread
from engine.jobs import InputFile, Question, QueueEntry, StudyQueue
from engine.jobs.study_index import ImagingOrder
from engine.modalities import OpenStudy, Study, digest_of, protocol_for


@dataclass(frozen=True)
class QueuedStudy:
    """A study for the queue, with its device and memory estimate.

    Attributes
    ----------
    study : the study
    device : key of the device
    memory_bytes, on_gpu : its requirements; 0 if unknown
    scanner_kind : kind of its scanner; empty if unknown
    question : question that the user must answer first; None if it can run
    asks : True if a run that must assume a value of the scan stops and asks
    """

    study: Study
    device: str
    memory_bytes: int = 0
    on_gpu: bool = False
    scanner_kind: str = ""
    question: Question | None = None
    asks: bool = False

    @classmethod
    def of(
        cls,
        model: StudyModel,
        *,
        identified: bool,
        question: Question | None = None,
        asks: bool = False,
    ) -> QueuedStudy:
        """Collect a study with its current settings.

        Parameters
        ----------
        model
            the study
        identified
            True if its output may contain names of files
        question
            question that the user must answer first; None if the study can run
        asks
            True if a run that must assume a value of the scan stops and asks
        """
        # The choice about file names is stored with the study, because the queue runs without the
        # window.
        study = model.to_study().model_copy(update={"identified": identified})
        device, kind = model.device.in_use, model.scanner_kind
        # An estimate needs a grid, which a study with a question may not have.
        has_needs = device is not None and question is None
        needs = model.estimate(device) if device is not None and has_needs else None
        key = device.key if device is not None else "auto"
        # Without an estimate the queue runs the study alone.
        memory, on_gpu = (0, False) if needs is None else (needs.memory_bytes, bool(needs.gpu))
        return cls(study, key, memory, on_gpu, kind, question, asks)

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
            question=self.question,
            asks=self.asks,
            scanner_kind=self.scanner_kind,
        )

    def replace_in(self, queue: StudyQueue, entry: QueueEntry, agreed: Iterable[str]) -> None:
        """Replace a study of the queue that has not run.

        Parameters
        ----------
        queue
            the queue on disk
        entry
            its entry
        agreed
            sentences about assumed values that the user has accepted

        Raises
        ------
        EngineError
            the queue cannot be written
        """
        queue.replace_study(
            entry.id,
            self.study,
            question=self.question,
            agreed=tuple(agreed),
            scanner_kind=self.scanner_kind,
            memory_bytes=self.memory_bytes,
            on_gpu=self.on_gpu,
        )


def queued_scan(
    found: NewStudy,
    open_study: StudyModel,
    *,
    identified: bool,
    agreed: Iterable[str] = (),
    loose: tuple[InputFile, ...] = (),
) -> QueuedStudy:
    """Return a scan as the queue runs it, with the question that it leaves open.

    Parameters
    ----------
    found
        the scan and its files
    open_study
        the open study, which provides device and protocols, but no setting and no file
    identified
        True if output may contain names of files
    agreed
        sentences that the user has accepted
    loose
        auxiliary files that were added with the scan and may belong to it
    """
    # A separate model, so that the open study keeps its settings and undo history.
    model = open_study.other(found.inputs, found.protocol)
    question = next(_questions(found, model, frozenset(agreed), loose), None)
    return QueuedStudy.of(model, identified=identified, question=question, asks=True)


def _questions(
    found: NewStudy, model: StudyModel, agreed: frozenset[str], loose: tuple[InputFile, ...]
) -> Iterator[Question]:
    """Yield the questions that a scan leaves open, the most important first."""
    scan, has_protocol = found.inputs.scan, found.protocol is not None
    if fault := found.inputs.fault():
        name = scan.format if scan is not None else ""
        yield Question(
            kind="scanner", text=fault, format=name, files=loose, has_protocol=has_protocol
        )
    obstacle, device = model.obstacle(), model.device.obstacle()
    misfit = model.misfit
    if obstacle and obstacle != device:
        yield Question(kind="protocol", text=obstacle, files=loose, has_protocol=True)
    elif misfit and misfit not in agreed:
        yield Question(
            kind="protocol", text=misfit, assumed=(misfit,), files=loose, has_protocol=True
        )
    # Technician mode allows only approved protocols, also those of study files.
    approved = [digest_of(each) for each in model.offered(model.modality)]
    if approved and (digest_of(model.base) not in approved or model.changes):
        text = tr("The protocol {name!r} is not approved.", name=model.base.name)
        yield Question(kind="protocol", text=text, files=loose, has_protocol=True)
    # Any other note states an assumption or a loss, see `engine.data.runs.events`.
    changed = (
        tr(
            "{name}: another file has this name since the study was saved, perhaps of another "
            "patient.",
            name=name,
        )
        for name in found.changed
    )
    notes = (*(scan.assumptions if scan is not None else ()), *found.refused, *changed)
    assumed = tuple(text for text in notes if text not in agreed)
    if assumed:
        text = " ".join(assumed)
        yield Question(
            kind="assumption", text=text, assumed=assumed, files=loose, has_protocol=True
        )
    brought = {*found.inputs, *(scan.brings if scan is not None else ())}
    suiting = tuple(each for each in loose if each.role in {*model.roles} - brought)
    if suiting:
        names = ", ".join(each.path.name for each in suiting)
        yield Question(kind="input", text=names, files=suiting, has_protocol=True)


def unread_scan(
    found: Unread, wanted: Wanted, *, identified: bool, loose: tuple[InputFile, ...]
) -> QueuedStudy:
    """Return a scan that cannot be read without an answer.

    Parameters
    ----------
    found
        its question
    wanted
        the scan, with the answers so far
    identified
        True if output may contain names of files
    loose
        auxiliary files that were added with the scan and may belong to it
    """
    study = found.study
    if study is None:
        # The placeholder is replaced after the answer; the entry says that it is none.
        study = Study(
            data=wanted.data,
            scanner=wanted.scanner,
            inputs=dict(wanted.given),
            complete_events=wanted.complete_events,
            # Still those of the scan that the settings are for, whatever is read next time.
            fingerprints=dict(wanted.fingerprints),
            protocol=wanted.protocol or protocol_for(OpenStudy()),
        )
    question = found.question.model_copy(update={"files": loose})
    study = study.model_copy(update={"identified": identified})
    return QueuedStudy(study, "auto", question=question, asks=True)
