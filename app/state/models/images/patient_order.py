"""Whose the scan at hand is, as the worklist said it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from engine.core.errors import DataError
from engine.jobs.study_index import ImagingOrder, refuse_other_patient


class PatientOrder(QObject):
    """The order that was taken for the scan at hand; it goes when another scan is opened.

    Attributes
    ----------
    current : None where nobody has said whose the scan is
    bound_to : number of the patient whom the scan was reconstructed for; that holds until the scan
        is opened again, whatever is shown meanwhile
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.current: ImagingOrder | None = None
        self.bound_to = ""

    def take(self, order: ImagingOrder, patients: Iterable[str]) -> None:
        """Take an order; `patients` are the numbers that what is open is known to be of.

        Raises
        ------
        DataError
            where what is open is of another patient
        """
        refuse_others(order, [*patients, self.bound_to])
        self.current = order
        self.changed.emit()

    def bind(self) -> None:
        """Hold the scan to the patient of the order: an image of it is made."""
        if self.current is not None:
            self.bound_to = self.current.patient_id

    def release(self) -> None:
        """Know nothing of another scan."""
        self.bound_to = ""
        self.forget()

    def forget(self) -> None:
        """Say no longer whose the scan is."""
        if self.current is not None:
            self.current = None
            self.changed.emit()

    def obstacle(self, patients: Iterable[str]) -> str:
        """Return why a scan with these patients cannot be for the order; empty if it can."""
        try:
            if self.current is not None:
                refuse_others(self.current, patients)
        except DataError as e:
            return str(e)
        return ""

    def describe(self) -> str:
        """Return whose the scan is, in a line; empty where nobody said so."""
        order = self.current
        if order is None:
            return ""
        return f"{order.name}, {order.patient_id}"


def refuse_others(order: ImagingOrder, patients: Iterable[str]) -> None:
    """Refuse an order where something that is open is of another patient."""
    for number in patients:
        refuse_other_patient(order, number, tr("the open scan"))
