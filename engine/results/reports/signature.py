"""Sign-off of a result: reader, judgement and time, stored next to the result.

A signature contains the digest of the result's record, and the record contains the digests of
image, study and provenance. A signature therefore cannot be moved to another image. It also
contains a digest of the patient, because the worklist order is a file of its own. New signatures
are appended. Each is signed with a key and contains the digest of those before. The audit log
contains the digest of each, so that a removed one is noticed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Literal, Self

from pydantic import ValidationError

from engine.core.errors import EngineError, FileFormatError, SettingsError
from engine.core.json_types import Plain
from engine.core.settings import Settings, explain, setting
from engine.io.safety import audit_log
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.file_signature import login_name
from engine.io.safety.locks import after_others
from engine.io.safety.open_input import read_text
from engine.io.safety.signing_key import SigningKey, is_signed, known_keys, short, signing_key
from engine.io.text.json_text import from_json, to_json
from engine.protocols.run_context.environment import program_version
from engine.results.reports.key_images import patient_mark
from engine.results.reports.logged import SIGNED_OFF, logged
from engine.results.reports.site import Site
from engine.results.result import PINNED, Result

FILE, PURPOSE = "signatures.json", "sign-off"
MAX_BYTES = 1 << 20
Judgement = Literal["acceptable", "acceptable with remarks", "not acceptable"]
JUDGEMENTS: tuple[Judgement, ...] = ("acceptable", "acceptable with remarks", "not acceptable")


class Signature(Settings):
    """One signature of a result.

    Attributes
    ----------
    who, when_utc : name and time
    judgement, remark : opinion of the reader
    login : login name of the session
    result, result_sha256 : result and the digest of its record
    version : version of the program
    listed : True if the list of people of the site contains the name
    missing : earlier sign-offs that the audit log states, but that were missing
    patient : mark of the patient of the worklist order, from `patient_mark`; empty without an order
    before : digest of all sign-offs before; empty for the first
    log_line, log_sha256 : number and digest of the newest line of the audit log at this time
    key : public key; empty for versions without keys
    signature : signature of all other fields except `sha256`
    sha256 : digest of all other fields except `signature`
    """

    who: str = setting(min_length=1, max_length=120)
    when_utc: datetime = setting()
    judgement: Judgement = setting()
    remark: str = setting("", max_length=1000)
    login: str = setting("", max_length=120)
    result: str = setting(max_length=100)
    result_sha256: str = setting(max_length=64)
    version: str = setting(max_length=100)
    listed: bool = setting(False)
    missing: int = setting(0, ge=0)
    patient: str = setting("", max_length=64)
    before: str = setting("", max_length=64)
    log_line: int = setting(0, ge=0)
    log_sha256: str = setting("", max_length=64)
    key: str = setting("", max_length=64)
    signature: str = setting("", max_length=128)
    sha256: str = setting("", max_length=64)

    def sealed(self) -> Self:
        """Return the signature with its own digest."""
        return self.model_copy(update={"sha256": self._digest()})

    def is_of(self, result: Result) -> bool:
        """Return True if the signature is intact and belongs to this version of the result."""
        mine = (result.id, result.record.sha256)
        return self.sha256 == self._digest() and (self.result, self.result_sha256) == mine

    @property
    def moment(self) -> str:
        """Local time as text."""
        return f"{self.when_utc.astimezone():%d %b %Y %H:%M %Z}"

    def describe(self) -> str:
        """Return the signature in a line."""
        remark = f" ({self.remark})" if self.remark else ""
        return f"{self.judgement}{remark}; {self.who}, {self.moment}{self.origin}"

    @property
    def origin(self) -> str:
        """Login of a name that the site does not list, and "without key" for an old signature."""
        own = self.listed or self.who == self.login or not self.login
        login = "" if own else f", login {self.login}"
        return login if self.key else f"{login}, without key"

    def with_key(self, key: SigningKey) -> Self:
        """Return the signature with its own digest, signed with a key.

        Parameters
        ----------
        key
            key that signs
        """
        keyed = self.model_copy(update={"key": key.public})
        made = keyed.sealed()
        return made.model_copy(update={"signature": key.sign(PURPOSE, keyed._text())})

    @property
    def has_valid_key(self) -> bool:
        """True if it is signed with its key, known here or not."""
        return is_signed(PURPOSE, self._text(), self.key, self.signature)

    def to_json(self) -> Plain:
        """Return the JSON values of the file, with only the fields that are set."""
        return self.model_dump(mode="json", exclude_unset=True)

    # Fields that a later version adds are unset in old signatures and do not change the digest.
    def _text(self) -> bytes:
        blank = self.model_copy(update={"sha256": ""})
        return blank.model_dump_json(exclude_unset=True, exclude={"signature"}).encode()

    def _digest(self) -> str:
        return sha256(self._text()).hexdigest()


def sign(result: Result, who: str, judgement: Judgement, remark: str = "") -> Signature:
    """Sign a result off and pin it, so that it stays until the user deletes it.

    Parameters
    ----------
    result
        result to sign
    who
        name of the reader
    judgement
        opinion
    remark
        free text

    Raises
    ------
    SettingsError
        if `who` is empty
    FileFormatError
        if an earlier signature is damaged
    """
    if not who.strip():
        raise SettingsError("The name of the person who signs is missing; enter a name.")
    path = result.folder / FILE
    key, known = signing_key(), Site.read().people
    # The file is read and written as a whole. The lock keeps a second window from losing a
    # signature.
    with after_others(path):
        earlier = signatures_of(result)
        line, digest = audit_log.latest_line()
        made = Signature(
            who=who.strip(), when_utc=datetime.now(UTC), judgement=judgement, remark=remark.strip(),
            login=login_name(), result=result.id, result_sha256=result.record.sha256,
            version=program_version() or "not known", listed=who.strip() in known,
            missing=len(_missing(result.id, earlier)), patient=_patient_of(result) or "",
            log_line=line, log_sha256=digest, before=_chain(earlier),
        ).with_key(key)  # fmt: skip
        write_atomically(_file_of((*earlier, made)), path, private=True)
        # Signed results must not be removed by the retention limits.
        result.mark(PINNED)
    audit_log.record(
        SIGNED_OFF, result=result.id, judgement=judgement, digest=made.sha256, missing=made.missing
    )
    return made


def signatures_of(result: Result) -> tuple[Signature, ...]:
    """Return the signatures of a result, the oldest first.

    Parameters
    ----------
    result
        result with or without signatures

    Raises
    ------
    FileFormatError
        if a signature is damaged, or belongs to another result or another patient
    """
    path = result.folder / FILE
    if not path.exists():
        return ()
    text = read_text(path, MAX_BYTES)
    try:
        made = tuple(Signature.model_validate(each) for each in from_json(text)["signatures"])
    except ValidationError as e:
        raise FileFormatError(
            f"{result.id}/{FILE}: the signature file is damaged. Reason: {explain(e)}. Move the "
            "file to another folder and sign off the result again."
        ) from e
    except (ValueError, KeyError, TypeError) as e:
        raise FileFormatError(
            f"{result.id}/{FILE}: the signature file is damaged ({e}); move it to another folder "
            "and sign off the result again."
        ) from e
    fault = _fault(result, made, text)
    if fault:
        raise FileFormatError(
            f"{result.id}/{FILE}: {fault} Move the file to another folder and sign off the result "
            "again."
        )
    _refuse_other_patient(result, made)
    return made


def signature_warnings(result: Result, made: tuple[Signature, ...]) -> tuple[str, ...]:
    """Return a sentence for each fault that a report of the result must state.

    Parameters
    ----------
    result
        the result
    made
        its signatures
    """
    stated, signed = logged(result.id), result.signed
    n_missing = len(_missing(result.id, made)) + sum(each.missing for each in made)
    found = [stated.fault and f"The audit log was changed: {stated.fault}"]
    if n_missing:
        found.append(f"{n_missing} earlier signature(s) in the audit log are missing here.")
    if signed.state == "unknown key":
        found.append(f"The result {signed.text}.")
    if _patients(made) == {""} and _patient_of(result):
        found.append(
            "The patient was assigned after a signature. Compare the patient, and sign again."
        )
    own = [each for each in made if known_keys().get(each.key) == "user"]
    log = stated.log
    if log is not None and not all(log.holds(each.log_line, each.log_sha256) for each in own):
        found.append("The audit log is older than a signature of this result.")
    return tuple(filter(None, found))


def refuse_changed_record(result: Result) -> None:
    """Refuse a result with a changed record, or one that has lost its signature.

    Parameters
    ----------
    result
        result to check

    Raises
    ------
    FileFormatError
        if the record differs from the signed one
    """
    signed, key = result.signed, logged(result.id).key
    if signed.state in ("changed", "removed"):
        raise FileFormatError(
            f"{result.id}: the signature of this record is not valid (state: {signed.state}); "
            "restore the result from a backup."
        )
    if key and result.key != key:
        raise FileFormatError(
            f"{result.id}: the record of this result is not signed with the key recorded in the "
            "audit log; restore the result from a backup."
        )


def _fault(result: Result, made: tuple[Signature, ...], text: str) -> str:
    """Return the first fault of the signatures of a result; empty if there is none."""
    if not all(each.is_of(result) for each in made):
        return "a signature in this file was changed or belongs to another result."
    with_key, known = False, known_keys()
    for i, each in enumerate(made):
        if each.key and not each.has_valid_key:
            return "a signature in this file was changed or belongs to another result."
        if each.key and each.key not in known:
            return (
                f"a signature has an unknown key ({short(each.key)}), which must "
                "be listed in trusted-keys.txt."
            )
        if each.key and each.before != _chain(made[:i]):
            return "a signature before another one was changed or removed."
        if with_key and not each.key:
            return "a signature without key follows one with a key."
        with_key = with_key or bool(each.key)
    # Versions that sign results also sign with a key.
    stated = logged(result.id)
    has_key = result.key or stated.key or (stated.sign_offs and not with_key)
    if made and not made[0].key and has_key:
        return "a signature without a key is newer than the key of its result."
    if with_key and text.encode() != _file_of(made):
        return "this file was changed."
    return ""


def _refuse_other_patient(result: Result, made: tuple[Signature, ...]) -> None:
    """Refuse signatures for another patient than that of the worklist order."""
    signed, now = _patients(made) - {""}, _patient_of(result)
    # An order that cannot be read is reported by its own readers, and names no patient.
    if signed and now is not None and signed != {now}:
        raise FileFormatError(
            f"{result.id}: the worklist order of this result is missing or names another patient "
            "than at its sign-off. Restore the folder of the result from a backup."
        )


def _patients(made: tuple[Signature, ...]) -> set[str]:
    """Return the patients of signatures; older versions did not state them."""
    return {each.patient for each in made if "patient" in each.model_fields_set}


def _patient_of(result: Result) -> str | None:
    """Return the mark of the patient in the worklist order as it is now.

    It is empty without an order, and None if the order cannot be read.
    """
    from engine.io.dicom.order import ORDER, ImagingOrder  # few results have a patient

    path = result.folder / ORDER
    try:
        return patient_mark(ImagingOrder.read(path).patient_id) if path.is_file() else ""
    except EngineError:
        return None


def _chain(earlier: tuple[Signature, ...]) -> str:
    """Return a digest of sign-offs and their order; empty for none."""
    text = "".join(each.sha256 for each in earlier)
    return sha256(text.encode()).hexdigest() if text else ""


def _missing(result_id: str, made: tuple[Signature, ...]) -> tuple[str, ...]:
    there = {each.sha256 for each in made}
    return tuple(each for each in logged(result_id).sign_offs if each not in there)


def _file_of(made: tuple[Signature, ...]) -> bytes:
    return to_json({"signatures": [each.to_json() for each in made]}, indent=2).encode()
