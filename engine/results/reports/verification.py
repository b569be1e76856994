"""Verify the signatures of a result, a report, an audit log, or all of them in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.errors import DataError, EngineError
from engine.io.safety.audit_check import check_log, check_quickly
from engine.io.safety.audit_log import log_file
from engine.io.safety.file_signature import (
    SUFFIX,
    CheckedSignature,
    State,
    check_file,
    signature_file,
)
from engine.io.safety.open_input import open_input
from engine.results.reports.signature import (
    refuse_changed_record,
    signature_warnings,
    signatures_of,
)
from engine.results.reports.signing import check_embedded, pdf_within
from engine.results.reports.writing import KINDS
from engine.results.result import RECORD, Result

LOG = ".jsonl"


@dataclass(frozen=True)
class Verified:
    """Outcome for one object.

    Attributes
    ----------
    name : path or name
    state : outcome
    text : outcome in words, as the end of a sentence
    """

    name: str
    state: State
    text: str

    @property
    def is_sound(self) -> bool:
        """True if nothing was changed and the key, if there is one, is known."""
        return self.state in ("valid", "without key")


def verify_path(path: Path) -> Iterator[Verified]:
    """Verify a result folder, an audit log, a report, or all of them in a folder.

    Parameters
    ----------
    path
        file or folder

    Yields
    ------
    Verified
        one for each object, and for each sign-off of a result

    Raises
    ------
    DataError
        if the path does not exist
    """
    if (path / RECORD).is_file():
        yield from _result(path)
    elif path.is_dir():
        yield from _folder(path)
    elif path.name.endswith(LOG):
        yield _log(path)
    elif path.is_file():
        yield _report(path)
    else:
        raise DataError(f"{path}: no such file, folder or result; check the name.")


def _folder(folder: Path) -> Iterator[Verified]:
    found = {path.parent for path in folder.rglob(RECORD)}
    found |= {path for path in folder.rglob(f"*{LOG}") if path.name == log_file().name}
    for path in folder.rglob("*"):
        is_report = path.name.lower().endswith(tuple(KINDS)) and path.is_file()
        if path.name.endswith(SUFFIX):
            # A signature without its file shows that the file was removed or renamed.
            path, is_report = path.with_name(path.name.removesuffix(SUFFIX)), True
        if is_report and path.name != RECORD and path.parent not in found:
            found.add(path)
    for path in sorted(found):
        if path.exists():
            # A DICOM series has thousands of files, and none of them is a report.
            is_image = path.name.lower().endswith(".dcm") and not signature_file(path).exists()
            for each in verify_path(path):
                if not (is_image and each.state == "without key"):
                    yield each
        else:
            yield Verified(str(path), "changed", "is missing, but its signature is here")


def _log(path: Path) -> Verified:
    try:
        found = check_log(path)
    except EngineError as e:
        return Verified(str(path), "changed", f"was changed: {e}")
    text = f"has {found.n_lines:,} lines, all unchanged, {found.n_without_key:,} without key"
    has_key = found.n_without_key < found.n_lines
    return Verified(str(path), "valid" if has_key else "without key", text)


def _result(folder: Path) -> Iterator[Verified]:
    name = str(folder)
    try:
        result = Result.read(folder)
        refuse_changed_record(result)
        result.refuse_changed_files()
        signed = result.signed
        yield Verified(name, signed.state, signed.text)
        made = signatures_of(result)
        warnings = signature_warnings(result, made)
    except EngineError as e:
        yield Verified(name, "changed", f"was changed: {e}")
        return
    for each in made:
        yield Verified(name, "valid" if each.key else "without key", f"sign-off {each.describe()}")
    yield from (Verified(name, "changed", text) for text in warnings)


def _report(path: Path) -> Verified:
    checked = check_file(path, "report")
    if not path.name.lower().endswith(tuple(KINDS)):
        return Verified(str(path), checked.state, checked.text)
    if checked.state == "without key":
        checked = check_embedded(_document(path))
        if checked.state == "valid" and path.name.lower().endswith(".dcm"):
            text = f"contains a PDF that {checked.text}; its DICOM header is not signed"
            checked = replace(checked, text=text)
    elif signature_file(path).exists() and checked.state == "valid":
        within = check_embedded(_document(path))
        # Both were made by one program, so both must hold.
        checked = within if within.state == "changed" else checked
    return Verified(str(path), *_with_log(checked))


def _document(path: Path) -> bytes:
    """Return the bytes that can end with a signature; of a DICOM file its document."""
    with open_input(path) as file:
        data = bytes(file.read())
    return pdf_within(data) if path.name.lower().endswith(".dcm") else data


def _with_log(checked: CheckedSignature) -> tuple[State, str]:
    """Return the outcome; a report that knows a later line than the log shows a rollback."""
    made = checked.signature
    if checked.state != "valid" or made is None or checked.owner != "user":
        return checked.state, checked.text
    try:
        log = check_quickly(log_file())
    except EngineError as e:
        return "changed", f"{checked.text}, but the audit log was changed: {e}"
    if log.holds(made.log_line, made.log_sha256):
        return checked.state, checked.text
    return "changed", (
        f"{checked.text}, but line {made.log_line:,} of the audit log is not the one it "
        "states; the log was replaced or brought back from an earlier day"
    )
