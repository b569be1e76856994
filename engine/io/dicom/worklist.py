"""Query the worklist of a node for orders: C-FIND (PS3.4, annex K).

Values in a query must match. The node returns the values of empty attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from engine.core.errors import DataError, FileFormatError
from engine.io.dicom.link_limits import LinkLimits
from engine.io.dicom.network import Node, associated, refuse_unsuccessful, refusing_damage
from engine.io.dicom.order import OF_PATIENT, OF_STEP, OF_STUDY, STEPS, ImagingOrder

if TYPE_CHECKING:
    from pydicom.dataset import Dataset
    from pynetdicom.association import Association

FIND = "1.2.840.10008.5.1.4.31"
"""Modality Worklist Information Model, FIND."""
PENDING = (0xFF00, 0xFF01)
MAX_ORDERS = 500
"""Maximum number of orders that are read; a large hospital has fewer per day."""
QUERY_S = 120.0
"""Time for all answers to a query."""
MAX_BYTES = 16 * 2**20
"""Size of all answers to a query; 500 orders have 1 MB. pydicom needs ten times the memory."""
UNICODE = "ISO_IR 192"


@dataclass(frozen=True)
class WorklistQuery:
    """Query for orders; empty fields match all orders.

    Attributes
    ----------
    first, last : range of days; equal for a single day
    modality : such as "PT" or "CT"
    patient : name; * matches any letters
    patient_id, accession : numbers
    station : AE title of the scanner
    """

    first: date | None = None
    last: date | None = None
    modality: str = ""
    patient: str = ""
    patient_id: str = ""
    accession: str = ""
    station: str = ""

    def to_dataset(self) -> Dataset:
        """Return the query as a DICOM dataset."""
        from pydicom.dataset import Dataset

        found, step = Dataset(), Dataset()
        found.SpecificCharacterSet = UNICODE
        for key in (*OF_PATIENT.values(), *OF_STUDY.values(), "PatientWeight", "PatientSize"):
            # Empty attributes ask the node for their values. An empty number is None in pydicom.
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
        # Range matching: "20261101-20261130", and "20261101-" without an end (PS3.4, C.2.2.2.5).
        return ends[0] if ends[0] == ends[1] else "-".join(ends)


@dataclass(frozen=True)
class Worklist:
    """Response of a node.

    Attributes
    ----------
    orders : orders by scheduled time
    notes : one sentence for each order that cannot be used
    """

    orders: tuple[ImagingOrder, ...]
    notes: tuple[str, ...] = ()


def ask_worklist(node: Node, question: WorklistQuery) -> Worklist:
    """Query a node for orders.

    Parameters
    ----------
    node
        worklist server
    question
        query

    Returns
    -------
    worklist
        at most `MAX_ORDERS` orders, with notes on unusable ones

    Raises
    ------
    ResourceError
        if the node cannot be reached, has no worklist, refuses the query, or the connection is lost
    """
    orders, notes = list[ImagingOrder](), dict[str, None]()
    limits = LinkLimits(node.name, QUERY_S, MAX_BYTES)
    with associated(node, {FIND}, limits) as association:
        for n_read, answer in enumerate(_answers(association, node, question)):
            # Unusable answers count too: a node could send them without end.
            if n_read == MAX_ORDERS:
                # A dictionary keeps the order and removes repeated notes.
                notes[f"{node.name}: has more than {MAX_ORDERS:,} orders; query a single day."] = (
                    None
                )
                association.abort()  # a release would wait for all further answers
                break
            try:
                orders.append(ImagingOrder.of_answer(answer))
            except FileFormatError as e:
                notes[str(e)] = None
    ordered = sorted(orders, key=lambda each: (each.date, each.time, each.name))
    return Worklist(tuple(ordered), tuple(notes))


def parse_day(text: str) -> date:
    """Return the date of a text such as 2026-11-26.

    Raises
    ------
    DataError
        if it is no such date
    """
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            raise ValueError(text)
        return date.fromisoformat(text)
    except ValueError as e:
        raise DataError(f"{text!r}: not a valid date; write it like 2026-11-26.") from e


def _answers(association: Association, node: Node, question: WorklistQuery) -> Iterator[Dataset]:
    from pydicom.dataset import Dataset

    try:
        with refusing_damage(node):
            responses = association.send_c_find(question.to_dataset(), FIND)
    except RuntimeError:  # the association has ended
        responses = iter([(Dataset(), None)])
    while True:
        with refusing_damage(node):
            status, answer = next(responses, (Dataset(), None))
        # Each order is a pending response. The last response has no order, only the final status.
        if status and int(status.get("Status", 0)) in PENDING and answer is not None:
            yield answer
        else:
            refuse_unsuccessful(status, node, "C-FIND")
            return
