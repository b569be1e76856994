"""An order of the worklist: a patient, and what somebody wants to have examined.

It comes from a node (PS3.4 annex K) and says whose an image is, so that nobody types a name. Kept
as a sealed file that is for its owner alone; what is written for others names the patient only
where it is a DICOM series, a picture or a report that asks for it.
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
from engine.io.dicom.pseudonyms import named
from engine.io.dicom.uids import uid_of
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import read_text
from engine.io.safety.seal import broken, seal_of
from engine.io.text.json_text import from_json, to_json

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

FORMAT = "isocenter-order-1"
ORDER = "order.json"
"""Name of the file beside a result of the patient."""
MOST_BYTES = 1 << 16
DAY_DIGITS = 8
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
    """One scheduled step with its patient, as a worklist gives it.

    Attributes
    ----------
    patient_name : "Family^Given", as DICOM writes names
    patient_id, issuer : number of the patient, and who gave it
    birth_date, date : "YYYYMMDD", as DICOM writes days
    time : "HHMMSS"
    weight_kg, height_cm : None where the order does not say
    study_uid : of the study that images belong to
    study_id, accession, referring, procedure : of what was asked for, and by whom
    step_id, step, modality, station : what is to be done, and where
    """

    format: str = FORMAT
    patient_name: str = setting("", max_length=324)
    patient_id: str = setting(max_length=64)
    issuer: str = setting("", max_length=64)
    birth_date: str = setting("", max_length=8)
    sex: str = setting("", max_length=16)
    weight_kg: float | None = setting(None, unit="kg", gt=0)
    height_cm: float | None = setting(None, unit="cm", gt=0)
    study_uid: str = setting("", max_length=64)
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
        """Return the order that a node answered with.

        Raises
        ------
        FileFormatError
            where it names no patient, or says what no order can
        """
        step = (answer.get(STEPS) or [answer])[0]
        said = {name: _text(answer, key) for name, key in (OF_PATIENT | OF_STUDY).items()}
        said |= {name: _text(step, key) for name, key in OF_STEP.items()}
        if not said["patient_id"]:
            raise FileFormatError("a worklist order has no patient ID.")
        weight, size = _number(answer, "PatientWeight"), _number(answer, "PatientSize")
        height = None if size is None else round(100 * size, 3)  # DICOM says metres
        try:
            return cls.model_validate(said | {"weight_kg": weight, "height_cm": height})
        except ValidationError as e:
            raise FileFormatError(f"a worklist order cannot be used ({explain(e)}).") from e

    @property
    def name(self) -> str:
        """The patient's name for people: "Family, Given"; the number where there is none."""
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
        """Return True if a file may be of this patient: it names the same number, or nobody."""
        return named(patient_id) in ("", self.patient_id)

    def attributes(self) -> Plain:
        """Return patient and study by their DICOM keywords."""
        said: Plain = {key: getattr(self, name) for name, key in OF_PATIENT.items()}
        if not self.issuer:
            said.pop(OF_PATIENT["issuer"])
        if self.weight_kg is not None:
            said["PatientWeight"] = self.weight_kg
        if self.height_cm is not None:
            said["PatientSize"] = self.height_cm / 100
        return said | {
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
        """Write the order, for its owner alone; whole or not at all."""
        said = self.model_dump(mode="json")
        text = to_json(said | {"seal": seal_of(**said)}, indent=2)
        write_atomically(text.encode(), path, private=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read an order that was kept."""
        text = read_text(path, MOST_BYTES)
        try:
            said = from_json(text)
            seal = said.pop("seal", None)
            if said.get("format") != FORMAT:
                raise FileFormatError(
                    f"{path.name}: not a worklist order; save one with `isocenter dicom worklist`."
                )
            found = cls.model_validate(said)
        except ValidationError as e:
            raise FileFormatError(
                f"{path.name}: damaged ({explain(e)}); query the worklist again."
            ) from e
        except (ValueError, AttributeError) as e:
            raise FileFormatError(
                f"{path.name}: not a worklist order ({e}); save one with `isocenter dicom "
                "worklist`."
            ) from e
        if seal != seal_of(**said):
            raise broken(path, "query the worklist again")
        return found


def day_of(digits: str) -> date | None:
    """Return a day as DICOM writes it, YYYYMMDD; None for what is none."""
    with suppress(ValueError):
        return date.fromisoformat(digits) if len(digits) == DAY_DIGITS else None
    return None


def is_order(path: Path) -> bool:
    """Return True if a file is to be read as an order."""
    return path.suffix.lower() == ".json"


def refuse_other_patient(order: ImagingOrder, patient_id: str, name: str) -> None:
    """Refuse an order whose patient is not the one that an image says it is of.

    The sentence names neither: it may stand in a log.
    """
    if not order.is_of(patient_id):
        raise DataError(
            f"{name}: belongs to a different patient than the order; choose the order of this "
            "patient, or open the other patient's scan."
        )


def _text(found: Dataset, key: str) -> str:
    value = found.get(key)
    return "" if value is None else str(value).strip().strip("\0")


def _number(found: Dataset, key: str) -> float | None:
    with suppress(ValueError, TypeError):
        number = float(str(found.get(key)))
        return number if number > 0 else None
    return None
