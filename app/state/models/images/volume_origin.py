"""Whether two volumes may be laid over each other without a word: of one patient, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from app.language.translation import tr
from engine.data import Plain, Volume
from engine.modalities import Study

TWO_PATIENTS = tr("The two images belong to different patients.")
TWO_SCANS = tr("The two images are from different scans, possibly of different patients.")
TWO_SPACES = tr("The two images have different frames of reference.")
NOT_SAID = tr("it is not known if both images show the same patient")
NO_SIDES = tr("the patient position is not known")


@dataclass(frozen=True)
class Origin:
    """What is known of where a volume comes from; never shown, never written.

    Attributes
    ----------
    scan : absolute path of the raw data that it was made from or chosen for; "" where none was
    digest : SHA-256 of the raw data, where a finished run has told
    patient : number of the patient, where the file says it
    frame_of_reference : UID of the space that its places are told in, where the file says it
    """

    scan: str = ""
    digest: str = ""
    patient: str = ""
    frame_of_reference: str = ""

    @classmethod
    def of(cls, volume: Volume, study: Study | None = None, inputs: Plain | None = None) -> Origin:
        """Return what a volume, the study it belongs to and the record of its inputs say."""
        data = (inputs or {}).get("data")
        digest = str(data.get("sha256", "")) if isinstance(data, dict) else ""
        scan = "" if study is None else str(study.data.absolute())
        return cls(scan, digest, volume.patient, volume.frame_of_reference)

    def is_same_scan(self, other: Origin) -> bool | None:
        """Whether both are of one scan; None where nobody can tell."""
        if self.digest and other.digest:
            return self.digest == other.digest
        if not (self.scan and other.scan):
            return None
        return self.scan == other.scan


class Bond(NamedTuple):
    """What must be said of two volumes as long as they are on show.

    Attributes
    ----------
    warning : a sentence where they do not, or need not, belong together
    remark : what to keep in mind where nothing is known
    """

    warning: str = ""
    remark: str = ""


def bond_of(one: Origin, other: Origin) -> Bond:
    """Return what must be said of two volumes that lie over each other."""
    patients = {each.patient for each in (one, other) if each.patient}
    spaces = {each.frame_of_reference for each in (one, other) if each.frame_of_reference}
    same_scan = one.is_same_scan(other)
    is_one_patient = len(patients) == 1 and one.patient == other.patient
    if len(patients) > 1:
        return Bond(TWO_PATIENTS)
    if same_scan is True:
        return Bond()
    if same_scan is False and not is_one_patient:
        return Bond(TWO_SCANS)
    if len(spaces) > 1:
        return Bond(TWO_SPACES)
    if is_one_patient or (spaces and one.frame_of_reference == other.frame_of_reference):
        return Bond()
    return Bond(remark=NOT_SAID)
