"""Compare a result and its sign-offs with the audit log, which states what must be there."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.errors import DataError
from engine.io.safety.audit_check import CheckedLog, check_quickly
from engine.io.safety.audit_log import log_file

STORED, SIGNED_OFF = "result stored", "result signed off"


@dataclass(frozen=True)
class LoggedResult:
    """Statements of the own log on a result; nothing if another user made the result.

    Attributes
    ----------
    key : public key with which the result was signed; empty if the log does not state one
    sign_offs : digests of the sign-offs that must be there, the oldest first
    fault : message if the log itself was changed; the other statements are then missing
    log : the log; None if it was changed
    """

    key: str = ""
    sign_offs: tuple[str, ...] = ()
    fault: str = ""
    log: CheckedLog | None = None


def logged(result_id: str) -> LoggedResult:
    """Return the statements of the own log on a result.

    Parameters
    ----------
    result_id
        name of the result
    """
    try:
        log = check_quickly(log_file())
    except DataError as e:
        return LoggedResult(fault=str(e))
    key = ""
    digests: list[str] = []
    for entry in log.of_results.get(result_id, ()):
        facts = entry["facts"]
        if entry["what"] == STORED:
            key = str(facts.get("key", ""))
        elif entry["what"] == SIGNED_OFF and facts.get("digest"):
            # At a later sign-off, the user was informed that earlier ones are missing.
            digests = [] if facts.get("missing") else digests
            digests.append(str(facts["digest"]))
    return LoggedResult(key, tuple(digests), "", log)
