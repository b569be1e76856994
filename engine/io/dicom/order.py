"""Worklist orders: a patient and a scheduled examination.

An order comes from a node (PS3.4, annex K) and identifies the patient of an image, so nobody types
a
name. It is stored as a sealed file that only its owner can read. Files for others name the patient
only if they are a DICOM series, a DICOM image or a report that asks for it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime
from datetime import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from engine.core.errors import DataError, FileFormatError
from engine.core.json_types import Plain
from engine.core.settings import Settings, explain, setting
from engine.io.dicom.values import named, uid_of
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import read_text
from engine.io.safety.seal import broken, seal_of, sealed_text
from engine.io.text.json_text import from_json

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

FORMAT = "isocenter-order-1"
ORDER = "order.json"
"""Name of the file next to a patient's result."""
MAX_BYTES = 1 << 16
DAY_DIGITS = 8
UID = r"^([0-9]+(\.[0-9]+)*)?$"
"""Numbers and dots (PS3.5, 9.1). Some nodes write numbers with leading zeros."""
# Field of `ImagingOrder` -> DICOM keyword: patient, study, and scheduled step (PS3.4, table K.6-1).
OF_PATIENT = {
    "patient_name": "PatientName",
    "patient_id": "PatientID",
    "issuer": "IssuerOfPatientID",
    "birth_date": "PatientBirthDate",
    "sex": "PatientSex",
}
OF_STUDY = {
    "study_uid": "StudyInstanceUID",
    "study_id": "RequestedProcedureID",
    "accession": "AccessionNumber",
    "referring": "ReferringPhysicianName",
    "procedure": "RequestedProcedureDescription",
}
OF_STEP = {
    "step_id": "ScheduledProcedureStepID",
    "step": "ScheduledProcedureStepDescription",
    "modality": "Modality",
    "station": "ScheduledStationAETitle",
    "date": "ScheduledProcedureStepStartDate",
    "time": "ScheduledProcedureStepStartTime",
}
STEPS = "ScheduledProcedureStepSequence"


class ImagingOrder(Settings):
    """One scheduled procedure step with its patient, from a worklist.

    Attributes
    ----------
    patient_name : "Family^Given", as in DICOM
    patient_id, issuer : patient number and its issuer
    birth_date, date : "YYYYMMDD"
    time : "HHMMSS"
    weight_kg, height_cm : None if not stated
    study_uid : StudyInstanceUID for the images
    study_id, accession, referring, procedure : the request and the referring physician
    step_id, step, modality, station : the scheduled step and its scanner
    """

    format: str = FORMAT
    patient_name: str = setting("", max_length=324)
    patient_id: str = setting(max_length=64)
    issuer: str = setting("", max_length=64)
    birth_date: str = setting("", max_length=8)
    sex: str = setting("", max_length=16)
    weight_kg: float | None = setting(None, unit="kg", gt=0)
    height_cm: float | None = setting(None, unit="cm", gt=0)
    study_uid: str = setting("", max_length=64, pattern=UID)
    study_id: str = setting("", max_length=16)
    accession: str = setting("", max_length=64)
    referring: str = setting("", max_length=324)
    procedure: str = setting("", max_length=64)
    step_id: str = setting("", max_length=64)
    step: str = setting("", max_length=64)
    modality: str = setting("", max_length=16)
    station: str = setting("", max_length=64)
    date: str = setting("", max_length=8)
    time: str = setting("", max_length=14)

    @classmethod
    def of_answer(cls, answer: Dataset) -> Self:
        """Return the order in a response of a node.

        Parameters
        ----------
        answer
            one item of a C-FIND response

        Raises
        ------
        FileFormatError
            if it has no patient ID, or a value is not valid
        """
        # Some nodes return the attributes of the step at the top level instead of the sequence.
        step = (answer.get(STEPS) or [answer])[0]
        values = {name: _text(answer, key) for name, key in (OF_PATIENT | OF_STUDY).items()}
        values |= {name: _text(step, key) for name, key in OF_STEP.items()}
        if not values["patient_id"]:
            raise FileFormatError(
                "a worklist order has no patient ID; correct the order in the RIS."
            )
        weight, size = _number(answer, "PatientWeight"), _number(answer, "PatientSize")
        height = None if size is None else round(100 * size, 3)  # PatientSize is in metres
        try:
            return cls.model_validate(values | {"weight_kg": weight, "height_cm": height})
        except ValidationError as e:
            raise FileFormatError(
                "a worklist order is not valid; correct the order in the RIS. Reason: "
                f"{explain(e)}."
            ) from e

    @property
    def name(self) -> str:
        """Patient name for display, "Family, Given"; the patient ID if there is none."""
        # PN: "=" separates alphabetic, ideographic and phonetic names, "^" their parts (PS3.5,
        # 6.2.1).
        family, _, given = self.patient_name.partition("=")[0].partition("^")
        named = ", ".join(part for part in (family, given.replace("^", " ").strip()) if part)
        return named or self.patient_id

    @property
    def when(self) -> datetime | None:
        """Scheduled time; None if it is not valid."""
        day = day_of(self.date)
        if day is None:
            return None
        with suppress(ValueError):
            return datetime.combine(day, clock.fromisoformat(self.time[:4])).astimezone()
        return datetime.combine(day, clock()).astimezone()

    @property
    def what(self) -> str:
        """Description of the procedure."""
        return self.step or self.procedure

    def is_of(self, patient_id: str) -> bool:
        """Return True if a file can belong to this patient: it has the same ID, or none.

        Parameters
        ----------
        patient_id
            PatientID of the file; our pseudonyms count as none
        """
        return named(patient_id) in ("", self.patient_id)

    def attributes(self) -> Plain:
        """Return patient and study as DICOM keyword -> value."""
        values: Plain = {key: getattr(self, name) for name, key in OF_PATIENT.items()}
        # An empty issuer could differ from a missing one when an archive matches patients.
        if not self.issuer:
            values.pop(OF_PATIENT["issuer"])
        if self.weight_kg is not None:
            values["PatientWeight"] = self.weight_kg
        if self.height_cm is not None:
            values["PatientSize"] = self.height_cm / 100
        return values | {
            # All images of one order must be in one study, even if the node has assigned no UID
            # yet.
            "StudyInstanceUID": self.study_uid or uid_of("study of order", *self._identity),
            "StudyID": self.study_id,
            "AccessionNumber": self.accession,
            "ReferringPhysicianName": self.referring,
            "StudyDescription": self.procedure,
        }

    @property
    def _identity(self) -> tuple[str, ...]:
        return self.patient_id, self.accession, self.study_id, self.step_id, self.date

    def write(self, path: Path) -> None:
        """Write the order to a file that only its owner can read, completely or not at all."""
        text = sealed_text(self.model_dump(mode="json"))
        write_atomically(text.encode(), path, private=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read an order from a file of `write`.

        Raises
        ------
        FileFormatError
            if it is not an order, or was changed
        """
        text = read_text(path, MAX_BYTES)
        try:
            values = from_json(text)
            seal = values.pop("seal", None)
            if values.get("format") != FORMAT:
                raise FileFormatError(
                    f"{path.name}: not a worklist order; create one with `isocenter dicom "
                    "worklist`."
                )
            found = cls.model_validate(values)
        except ValidationError as e:
            raise FileFormatError(
                f"{path.name}: damaged worklist order; query the worklist again. Reason: "
                f"{explain(e)}."
            ) from e
        except (ValueError, AttributeError) as e:
            raise FileFormatError(
                f"{path.name}: not a worklist order; create one with `isocenter dicom worklist`. "
                f"Reason: {e}."
            ) from e
        if seal != seal_of(**values):
            raise broken(path, "Query the worklist again.")
        return found


def day_of(digits: str) -> date | None:
    """Return the date of a DICOM value YYYYMMDD; None if it is not valid."""
    # The length is checked because `fromisoformat` also accepts dates with hyphens.
    with suppress(ValueError):
        return date.fromisoformat(digits) if len(digits) == DAY_DIGITS else None
    return None


def is_order(path: Path) -> bool:
    """Return True if a path has the suffix of an order."""
    return path.suffix.lower() == ".json"


def refuse_other_patient(order: ImagingOrder, patient_id: str) -> None:
    """Refuse an order of another patient than the image.

    The message names neither patient, because it can be logged.

    Parameters
    ----------
    order
        worklist order
    patient_id
        PatientID of the image; "" or a pseudonym fits every order

    Raises
    ------
    DataError
        if the image names another patient
    """
    if not order.is_of(patient_id):
        raise DataError(
            "The image belongs to a different patient than the order. Choose an order for this "
            "patient, or open the scan of the other patient."
        )


def _text(found: Dataset, key: str) -> str:
    value = found.get(key)
    # Values are padded to an even length, UIDs with a zero byte and others with a space.
    return "" if value is None else str(value).strip().strip("\0")


def _number(found: Dataset, key: str) -> float | None:
    with suppress(ValueError, TypeError):
        number = float(str(found.get(key)))
        return number if number > 0 else None
    return None
