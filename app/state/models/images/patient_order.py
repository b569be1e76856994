"""The patient and order of the open scan, as chosen from the worklist."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from engine.core.errors import DataError
from engine.jobs.study_index import ImagingOrder


class PatientOrder(QObject):
    """The worklist order of the open scan. Opening another scan releases it.

    Attributes
    ----------
    current : the order; None if none was chosen
    bound_to : ID of the patient for whom the scan was reconstructed. It holds until the scan is
        opened again.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.current: ImagingOrder | None = None
        self.bound_to = ""

    def take(self, order: ImagingOrder, patients: Iterable[str]) -> None:
        """Accept an order for the open scan.

        Parameters
        ----------
        order
            the order from the worklist
        patients
            patient IDs of the open files, as far as known

        Raises
        ------
        DataError
            an open file belongs to a different patient
        """
        # The binding counts too: an image of this scan may already carry that patient's name.
        refuse_others(order, [*patients, self.bound_to])
        self.current = order
        self.changed.emit()

    def bind(self) -> None:
        """Bind the scan to the patient of the order, because an image of it now exists."""
        if self.current is not None:
            self.bound_to = self.current.patient_id

    def release(self) -> None:
        """Clear order and patient for another scan."""
        # Only a new scan ends the binding. Releasing the order alone must not allow another
        # patient.
        self.bound_to = ""
        self.forget()

    def forget(self) -> None:
        """Remove the order, but not the binding to its patient."""
        if self.current is not None:
            self.current = None
            self.changed.emit()

    def obstacle(self, patients: Iterable[str]) -> str:
        """Return the reason why files of these patients contradict the order.

        Parameters
        ----------
        patients
            patient IDs of the files

        Returns
        -------
        a sentence; empty if there is no contradiction or no order
        """
        # The sentence is shown as a reason, so the exception becomes text.
        try:
            if self.current is not None:
                refuse_others(self.current, patients)
        except DataError as e:
            return str(e)
        return ""

    def describe(self) -> str:
        """Return name and ID of the patient in one line; empty without an order."""
        order = self.current
        if order is None:
            return ""
        return f"{order.name}, {order.patient_id}"


def refuse_others(order: ImagingOrder, patients: Iterable[str]) -> None:
    """Refuse an order if an open file belongs to a different patient.

    Parameters
    ----------
    order
        the order from the worklist
    patients
        patient IDs of the open files

    Raises
    ------
    DataError
        an ID differs from that of the order
    """
    if not all(map(order.is_of, patients)):
        # The message names neither patient, because it can be logged.
        raise DataError(
            tr(
                "The open scan belongs to a different patient than the order. Choose an order for "
                "this patient, or open the scan of the other patient."
            )
        )
