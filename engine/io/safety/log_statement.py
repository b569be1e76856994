"""Compare the log with what files that left state about it: number and digest of a line.

A DICOM object carries the text of `audit_log.latest_statement`. Reports carry number and digest in
their signatures. If the log was restored from an earlier backup, a stated line is missing in it.
"""

from __future__ import annotations

from engine.core.errors import EngineError
from engine.io.safety.audit_check import check_quickly
from engine.io.safety.audit_lines import NEWEST, NEWEST_LINE
from engine.io.safety.audit_log import log_file
from engine.io.safety.file_signature import State
from engine.io.safety.signing_key import is_signed, known_keys, short


def check_statement(text: str) -> tuple[State, str]:
    """Check the statement of a DICOM object against the own log.

    Parameters
    ----------
    text
        number, digest, key and signature of a line

    Returns
    -------
    state
        "valid" if a known key made the statement and nothing contradicts it
    text
        outcome in words, as the end of a sentence
    """
    found = NEWEST_LINE.fullmatch(text + "\n")
    if found is None or found[3] is None:
        return "changed", "states a line of the audit log in a damaged form"
    number, digest, key, signature = found.groups()
    if not is_signed(NEWEST, f"{number} {digest}".encode(), key, signature):
        return "changed", f"states line {int(number):,} of the audit log, but this was changed"
    owner = known_keys().get(key, "")
    states = f"states line {int(number):,} of an audit log"
    if not owner:
        return "unknown key", f"{states} with an unknown key ({short(key)})"
    fault = fault_of_log(int(number), digest, owner)
    if fault:
        return "changed", f"{states}; {fault}"
    is_here = owner in ("user", "site") and _is_in_log(int(number), digest)
    if is_here:
        return "valid", f"{states}, which contains it"
    return "valid", f"{states}, which {owner} signed"


def fault_of_log(number: int, digest: str, owner: str) -> str:
    """Return how the own log contradicts a stated line.

    Parameters
    ----------
    number, digest
        line as a file states it
    owner
        owner of the key of the file; only the key "user" always means the own log

    Returns
    -------
    fault
        the end of a sentence; empty if the log has the line, or belongs to another user
    """
    if owner != "user":
        return ""
    try:
        log = check_quickly(log_file())
    except EngineError as e:
        return f"the audit log was changed: {e}"
    if log.holds(number, digest):
        return ""
    return (
        f"line {number:,} of the audit log differs from the stated line; the log was replaced, "
        "or restored from an earlier backup"
    )


def _is_in_log(number: int, digest: str) -> bool:
    try:
        return check_quickly(log_file()).holds(number, digest)
    except EngineError:
        return False
