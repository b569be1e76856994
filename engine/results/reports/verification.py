"""Verify the signatures of a result, a report, an audit log, or all of them in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.errors import DataError, EngineError
from engine.io.dicom.private_block import AUDIT_LOG
from engine.io.folder import is_file, is_folder
from engine.io.safety.audit_check import check_log
from engine.io.safety.audit_log import log_file
from engine.io.safety.file_signature import (
    SUFFIX,
    CheckedSignature,
    State,
    check_file,
    compared_with_statement,
    signature_file,
)
from engine.io.safety.log_statement import check_statement, fault_of_log
from engine.results.reports.exported import ExportedReport
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
    is_ours : True if a DICOM object states that this program made it
    """

    name: str
    state: State
    text: str
    is_ours: bool = False

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
    if is_file(path / RECORD):
        yield from _result(path)
    elif is_folder(path):
        yield from _folder(path)
    elif path.name.endswith(LOG):
        yield _log(path)
    elif is_file(path):
        yield _report(path)
    else:
        raise DataError(f"{path}: no such file, folder or result; check the name.")


def _folder(folder: Path) -> Iterator[Verified]:
    found = {path.parent for path in folder.rglob(RECORD)}
    found |= {path for path in folder.rglob(f"*{LOG}") if path.name == log_file().name}
    images: dict[Path, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        is_report = path.name.lower().endswith(tuple(KINDS)) and path.is_file()
        if path.name.endswith(SUFFIX):
            # A signature without its file shows that the file was removed or renamed.
            path, is_report = path.with_name(path.name.removesuffix(SUFFIX)), True
        if not is_report or path.name == RECORD or path.parent in found:
            continue
        if path.name.lower().endswith(".dcm") and not signature_file(path).exists():
            images.setdefault(path.parent, []).append(path)
        else:
            found.add(path)
    for path in sorted(found):
        if path.exists():
            yield from verify_path(path)
        else:
            yield Verified(str(path), "changed", "is missing, but its signature is here")
    for each in images.values():
        yield from _images(each)


def _images(paths: list[Path]) -> Iterator[Verified]:
    """Yield one outcome for all DICOM objects of a folder that are alike.

    A series has thousands of files. Those that state nothing were made by other programs.
    """
    found = (_report(path) for path in paths)
    alike: dict[tuple[State, str], list[str]] = {}
    for each in found:
        if each.is_ours or each.state != "without key":
            alike.setdefault((each.state, each.text), []).append(each.name)
    for (state, text), names in alike.items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield Verified(f"{names[0]}{more}", state, text)


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
    try:
        report = ExportedReport.read(path)
    except EngineError as e:
        return Verified(str(path), "changed", f"cannot be read: {e}")
    is_object = path.name.lower().endswith(".dcm")
    within = check_embedded(pdf_within(report.data) if is_object else report.data)
    checked = _combined(checked, within, is_object=is_object)
    checked = compared_with_statement(checked, report.key)
    if checked.state == "without key":
        checked = report.removed_signature() or checked
    if checked.state == "without key" and AUDIT_LOG in report.facts:
        return _unsigned_object(path, report.facts[AUDIT_LOG])
    return Verified(str(path), *_with_log(checked), bool(report.facts.get(AUDIT_LOG)))


def _combined(
    next_to: CheckedSignature, within: CheckedSignature, *, is_object: bool
) -> CheckedSignature:
    """Return the state of a report from the signatures next to it and within it."""
    if next_to.state == "without key":
        if within.state == "valid" and is_object:
            text = f"contains a PDF that {within.text}; its DICOM header is not signed"
            return replace(within, text=text)
        return within
    # Both were made by one program, so both must hold.
    if next_to.state == "valid" and within.state == "changed":
        return within
    if next_to.state == "changed" and within.state == "without key" and not is_object:
        return replace(next_to, text=f"{next_to.text}, or the signature within it was removed")
    return next_to


def _unsigned_object(path: Path, statement: str) -> Verified:
    """Return the outcome for a DICOM image: it has no signature, but states a line of the log."""
    state, text = check_statement(statement)
    # The statement is signed, the image is not.
    return Verified(str(path), "without key" if state == "valid" else state, text, True)


def _with_log(checked: CheckedSignature) -> tuple[State, str]:
    """Return the outcome; a report that states a later line than the log shows a rollback."""
    made = checked.signature
    if checked.state != "valid" or made is None:
        return checked.state, checked.text
    fault = fault_of_log(made.log_line, made.log_sha256, checked.owner)
    return ("changed", f"{checked.text}; {fault}") if fault else (checked.state, checked.text)
