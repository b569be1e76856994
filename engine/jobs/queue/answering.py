"""Answer the question of a queued study without the window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.core.errors import CutOffError, ScannerMissingError, SettingsError
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.question import InputFile, Question, options_of
from engine.jobs.queue.store import StudyQueue
from engine.modalities.base import OpenStudy
from engine.modalities.protocol_choice import misfit, protocol_for, scanner_kind
from engine.modalities.recognise import gathered, summarise
from engine.modalities.scan_summary import ScanSummary
from engine.modalities.studies import Study, modality_of, refuse_foreign_inputs, with_fingerprints
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.study import refuse_changed_files


@dataclass(frozen=True)
class StudyAnswer:
    """Answer to the question of a queued study.

    Attributes
    ----------
    scanner : name or file of the scanner
    complete_events : True to use the complete part of a truncated scan
    data : description of raw projections, written by `isocenter import`
    protocol : protocol to use
    inputs : auxiliary files by role
    accepts : True to accept the assumed values, a protocol that does not fit, or a scan without
        the offered files
    """

    scanner: str | None = None
    complete_events: bool = False
    data: Path | None = None
    protocol: Protocol | None = None
    inputs: Mapping[str, Path] = field(default_factory=dict)
    accepts: bool = False

    def suits(self, question: Question) -> bool:
        """Return True if this answers a question.

        Parameters
        ----------
        question
            question of a queued study
        """
        return {
            "scanner": self.scanner is not None,
            "complete_events": self.complete_events,
            "import": self.data is not None,
            "assumption": self.accepts,
            "protocol": self.protocol is not None or (self.accepts and bool(question.assumed)),
            "input": bool(self.inputs) or self.accepts,
            "unreadable": True,
        }[question.kind]


def answer_question(queue: StudyQueue, id: str, answer: StudyAnswer) -> QueueEntry:
    """Read a scan with the answer to its question, and let its study wait, or ask the next one.

    Parameters
    ----------
    queue
        the queue
    id
        name of the study in the queue
    answer
        the answer

    Returns
    -------
    entry
        in the state "waiting", or "asking" with the next question

    Raises
    ------
    SettingsError
        if there is no such study, it has no question, or the answer does not fit
    EngineError
        if the scan or the scanner cannot be read; the question then remains open
    """
    entry = queue.get(id)
    question = entry.open_question
    if question is None:
        raise SettingsError(
            f"study {id}: its state is {entry.state!r}, and it has no question. "
            "`isocenter queue list` shows all questions."
        )
    if not answer.suits(question):
        raise SettingsError(
            f"study {id}: this does not answer its question. {question.text} "
            f"Use `isocenter queue answer {id} {options_of(question)}`."
        )
    study = _answered(entry.to_study(), question, answer)
    accepted = question.assumed if answer.accepts else ()
    # Files that were offered to this scan are not offered again.
    offered = () if question.kind == "input" else question.files
    refuse_changed_files(study)  # the answer is for the scan that the question was about
    known_files = with_fingerprints(study)
    try:
        scan = summarise(study.data, study.scanner, complete_events=study.complete_events)
    except (ScannerMissingError, CutOffError) as e:
        following = _question_of(e)
        if following is None:
            raise
        following = following.model_copy(
            update={"files": offered, "has_protocol": question.has_protocol}
        )
        return queue.replace_study(id, study, question=following, agreed=accepted)
    known = OpenStudy(scan, scan.scanner)
    if answer.protocol is None and not question.has_protocol:
        study = study.model_copy(update={"protocol": protocol_for(known)})
    refuse_foreign_inputs(study)
    # What is asked and accepted from now on concerns the scan that was just read
    study = study.model_copy(update={"fingerprints": known_files.fingerprints})
    refuse_changed_files(study)
    agreed = frozenset((*entry.agreed, *accepted))
    following = next(_questions(study, scan, known, agreed), None)
    if following is None:
        following = _offer(study, scan, offered)
    else:
        following = following.model_copy(update={"files": offered})
    return queue.replace_study(
        id, study, question=following, agreed=accepted, scanner_kind=scanner_kind(known)
    )


def _answered(study: Study, question: Question, answer: StudyAnswer) -> Study:
    """Return the study with the answer; its scan is not read again yet."""
    data, inputs = answer.data or study.data, dict(study.inputs)
    if not question.has_protocol:
        # A placeholder does not name the files next to its scan.
        _, files = gathered(data)
        if files is not None:
            data, inputs = files.data, {**files.inputs, **inputs}
    study = study.with_inputs({**inputs, **answer.inputs})
    known = dict(study.fingerprints)
    if data != study.data:  # the description of the same scan
        known.pop("data", None)
    return study.model_copy(
        update={
            "data": data,
            "fingerprints": known,
            "scanner": answer.scanner or study.scanner,
            "complete_events": answer.complete_events or study.complete_events,
            "protocol": answer.protocol or study.protocol,
        }
    )


def _question_of(fault: ScannerMissingError | CutOffError) -> Question | None:
    """Return the question of a scan that cannot be read yet; None if no answer helps."""
    if isinstance(fault, ScannerMissingError):
        return Question(kind="scanner", text=str(fault), format=fault.format)
    if not fault.n_events:
        return None
    text = f"{fault.what}. The file may be incomplete."
    return Question(kind="complete_events", text=text, n_events=fault.n_events)


def _questions(
    study: Study, scan: ScanSummary, known: OpenStudy, agreed: frozenset[str]
) -> Iterator[Question]:
    """Yield the questions about protocol and assumed values that nobody has accepted."""
    reason = misfit(study.protocol, known)
    if reason and reason not in agreed:
        yield Question(kind="protocol", text=reason, assumed=(reason,), has_protocol=True)
    assumed = tuple(text for text in scan.assumptions if text not in agreed)
    if assumed:
        text = " ".join(assumed)
        yield Question(kind="assumption", text=text, assumed=assumed, has_protocol=True)


def _offer(study: Study, scan: ScanSummary, offered: tuple[InputFile, ...]) -> Question | None:
    """Return the question if files that were added with the scan belong to it; None without any."""
    roles = {role.key for role in modality_of(study.protocol).inputs}
    suiting = tuple(each for each in offered if each.role in roles - {*study.inputs, *scan.brings})
    if not suiting:
        return None
    names = ", ".join(each.path.name for each in suiting)
    return Question(kind="input", text=names, files=suiting, has_protocol=True)
