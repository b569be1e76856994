"""Decide if two volumes can be fused without a warning: same patient, same space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from app.language.translation import tr
from engine.analysis.regions import values_digests
from engine.data import Plain, Volume
from engine.modalities import Study

TWO_PATIENTS = tr("The two images belong to different patients.")
TWO_SCANS = tr("The two images are from different scans, possibly of different patients.")
TWO_SPACES = tr("The two images have different frames of reference.")
UNKNOWN_PATIENT = tr("unknown whether both images show the same patient")
NO_SIDES = tr("unknown patient position")


@dataclass(frozen=True)
class Origin:
    """Source of a volume. It is never shown and never written.

    Attributes
    ----------
    scan : absolute path of the raw data it was made from or chosen for; "" if unknown
    digest : SHA-256 of the raw data; "" before a run has finished
    fingerprint : fingerprint of the raw data; "" if unknown
    values : digests of the files behind the header of the raw data; empty without a header
    patient : patient ID; "" if the file has none
    frame_of_reference : DICOM UID of its coordinate system; "" if the file has none
    """

    scan: str = ""
    digest: str = ""
    patient: str = ""
    frame_of_reference: str = ""
    fingerprint: str = ""
    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, volume: Volume, study: Study | None = None, inputs: Plain | None = None) -> Origin:
        """Collect the origin of a volume.

        Parameters
        ----------
        volume
            the volume, with patient ID and frame of reference if its file has them
        study
            study that the volume belongs to; None for a file
        inputs
            provenance of the inputs, with the digest of the raw data; None if unknown
        """
        found = cls.of_scan(study, inputs)
        return replace(found, patient=volume.patient, frame_of_reference=volume.frame_of_reference)

    @classmethod
    def of_scan(cls, study: Study | None, inputs: Plain | None = None) -> Origin:
        """Collect the origin of the images of a study, without facts of an image.

        Parameters
        ----------
        study
            study of the scan; None if it is unknown
        inputs
            provenance of the inputs, with the digest of the raw data; None if unknown
        """
        data = (inputs or {}).get("data")
        digest = str(data.get("sha256", "")) if isinstance(data, dict) else ""
        scan = "" if study is None else str(study.data.absolute())
        known = "" if study is None else study.fingerprints.get("data", "")
        return cls(scan, digest, fingerprint=known, values=values_digests(inputs or {}))

    def is_same_scan(self, other: Origin) -> bool | None:
        """Return True if both come from one scan.

        Parameters
        ----------
        other
            origin of the other volume

        Returns
        -------
        None if this cannot be decided
        """
        # The content decides before the path: files can be copied or replaced. The fingerprint
        # comes first, because the digest can be that of a header.
        if self.fingerprint and other.fingerprint:
            return self.fingerprint == other.fingerprint
        if self.values and other.values and not {*self.values} & {*other.values}:
            return False
        if self.digest and other.digest:
            return self.digest == other.digest
        if not (self.scan and other.scan):
            return None
        # Contents that cannot be compared may differ: another file can have taken the path.
        has_content = any((self.fingerprint, self.digest, other.fingerprint, other.digest))
        return None if has_content and self.scan == other.scan else self.scan == other.scan


class PairingNote(NamedTuple):
    """Messages about a pair of volumes while it is shown.

    Attributes
    ----------
    warning : a sentence if the two do not, or may not, belong together
    note : a note if nothing is known
    """

    warning: str = ""
    note: str = ""


def pairing_note_of(one: Origin, other: Origin) -> PairingNote:
    """Return the messages about a pair of volumes.

    Parameters
    ----------
    one, other
        origins of the two volumes, in any order
    """
    patients = {each.patient for each in (one, other) if each.patient}
    spaces = {each.frame_of_reference for each in (one, other) if each.frame_of_reference}
    same_scan = one.is_same_scan(other)
    is_one_patient = len(patients) == 1 and one.patient == other.patient
    if len(patients) > 1:
        return PairingNote(TWO_PATIENTS)
    # The strongest evidence comes first: a different patient, then the same raw data.
    if same_scan is True:
        return PairingNote()
    if same_scan is False and not is_one_patient:
        return PairingNote(TWO_SCANS)
    # Two DICOM frames of reference have unrelated origins (PS3.3, C.7.4.1).
    if len(spaces) > 1:
        return PairingNote(TWO_SPACES)
    if is_one_patient or (spaces and one.frame_of_reference == other.frame_of_reference):
        return PairingNote()
    return PairingNote(note=UNKNOWN_PATIENT)
