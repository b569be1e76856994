"""Query the worklist of a node for orders: C-FIND (PS3.4 annex K).

A question names what answers must match; what it leaves empty, the node is asked to fill in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from engine.core.errors import DataError, FileFormatError
from engine.io.dicom.network import Node, associated, refuse_unsuccessful
from engine.io.dicom.order import OF_PATIENT, OF_STEP, OF_STUDY, STEPS, ImagingOrder

if TYPE_CHECKING:
    from pydicom.dataset import Dataset
    from pynetdicom.association import Association

FIND = "1.2.840.10008.5.1.4.31"
"""Modality Worklist Information Model, FIND."""
PENDING = (0xFF00, 0xFF01)
MOST = 500
"""Orders that are taken of one answer; a day of a large hospital has fewer."""
UNICODE = "ISO_IR 192"


@dataclass(frozen=True)
class WorklistQuery:
    """Query for orders; empty fields match all orders.

    Attributes
    ----------
    first, last : days; the same for one day
    modality : such as "PT" or "CT"
    patient : a name, with * for any letters
    patient_id, accession : numbers
    station : title of the scanner
    """

    first: date | None = None
    last: date | None = None
    modality: str = ""
    patient: str = ""
    patient_id: str = ""
    accession: str = ""
    station: str = ""

    def to_dataset(self) -> Dataset:
        """Return the question as a node reads it."""
        from pydicom.dataset import Dataset

        found, step = Dataset(), Dataset()
        found.SpecificCharacterSet = UNICODE
        for key in (*OF_PATIENT.values(), *OF_STUDY.values(), "PatientWeight", "PatientSize"):
            setattr(found, key, "" if key not in ("PatientWeight", "PatientSize") else None)
        for key in OF_STEP.values():
            setattr(step, key, "")
        found.PatientName, found.PatientID = self.patient, self.patient_id
        found.AccessionNumber = self.accession
        step.Modality, step.ScheduledStationAETitle = self.modality.upper(), self.station
        step.ScheduledProcedureStepStartDate = self._days
        setattr(found, STEPS, [step])
        return found

    @property
    def _days(self) -> str:
        if self.first is None and self.last is None:
            return ""
        ends = ["" if day is None else f"{day:%Y%m%d}" for day in (self.first, self.last)]
        return ends[0] if ends[0] == ends[1] else "-".join(ends)


@dataclass(frozen=True)
class Worklist:
    """Answer of a node.

    Attributes
    ----------
    orders : by the moment they are to be done at
    notes : what was left out and why, a sentence each
    """

    orders: tuple[ImagingOrder, ...]
    notes: tuple[str, ...] = ()


def ask_worklist(node: Node, question: WorklistQuery) -> Worklist:
    """Ask a node what is to be done.

    Raises
    ------
    ResourceError
        where the node cannot be reached, knows no worklist, refuses the question, or ends
        the connection
    """
    orders, notes = list[ImagingOrder](), dict[str, None]()
    with associated(node, {FIND}) as association:
        for answer in _answers(association, node, question):
            if len(orders) == MOST:
                notes[f"{node.name}: has more than {MOST:,} orders; query a single day."] = None
                break
            try:
                orders.append(ImagingOrder.of_answer(answer))
            except FileFormatError as e:
                notes[str(e)] = None
    ordered = sorted(orders, key=lambda each: (each.date, each.time, each.name))
    return Worklist(tuple(ordered), tuple(notes))


def parse_day(text: str) -> date:
    """Return a day that somebody wrote as 2026-11-26; raises `DataError` where it is none."""
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            raise ValueError(text)
        return date.fromisoformat(text)
    except ValueError as e:
        raise DataError(f"{text!r}: not a date; write it as 2026-11-26.") from e


def _answers(association: Association, node: Node, question: WorklistQuery) -> Iterator[Dataset]:
    for status, answer in association.send_c_find(question.to_dataset(), FIND):
        if status and int(status.get("Status", 0)) in PENDING and answer is not None:
            yield answer
        else:
            refuse_unsuccessful(status, node, "the worklist query")
