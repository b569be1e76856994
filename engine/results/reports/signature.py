"""Sign-off of a result: reader, judgement and time, stored next to the result.

A signature contains the digest of the result's record, and the record contains the digests of
image, study and provenance. A signature therefore cannot be moved to another image. New signatures
are appended.
"""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Literal, Self

from pydantic import ValidationError

from engine.core.errors import FileFormatError, SettingsError
from engine.core.settings import Settings, explain, setting
from engine.io.safety import audit_log
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import after_others
from engine.io.safety.open_input import read_text
from engine.io.text.json_text import from_json, to_json
from engine.protocols.run_context.environment import program_version
from engine.results.result import PINNED, Result

FILE = "signatures.json"
MOST_BYTES = 1 << 20
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
    sha256 : digest of all other fields
    """

    who: str = setting(min_length=1, max_length=120)
    when_utc: datetime = setting()
    judgement: Judgement = setting()
    remark: str = setting("", max_length=1000)
    login: str = setting("", max_length=120)
    result: str = setting(max_length=100)
    result_sha256: str = setting(max_length=64)
    version: str = setting(max_length=100)
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
        return f"{self.judgement}{remark}; {self.who}, {self.moment}"

    def _digest(self) -> str:
        text = self.model_copy(update={"sha256": ""}).model_dump_json()
        return sha256(text.encode()).hexdigest()


def login_name() -> str:
    """Return the login name; empty if the system does not state it."""
    try:
        return getpass.getuser()[:120]
    except (OSError, KeyError, ImportError):
        return ""


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
    made = Signature(
        who=who.strip(), when_utc=datetime.now(UTC), judgement=judgement, remark=remark.strip(),
        login=login_name(), result=result.id, result_sha256=result.record.sha256,
        version=program_version() or "not known",
    ).sealed()  # fmt: skip
    path = result.folder / FILE
    # The file is read and written as a whole. The lock keeps a second window from losing a
    # signature.
    with after_others(path):
        kept = [each.model_dump(mode="json") for each in (*signatures_of(result), made)]
        write_atomically(to_json({"signatures": kept}, indent=2).encode(), path, private=True)
        # Signed results must not be removed by the retention limits.
        result.mark(PINNED)
    audit_log.record("result signed off", result=result.id, judgement=judgement)
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
        if a signature is damaged or belongs to another result
    """
    path = result.folder / FILE
    if not path.exists():
        return ()
    try:
        found = from_json(read_text(path, MOST_BYTES))["signatures"]
        made = tuple(Signature.model_validate(each) for each in found)
    except ValidationError as e:
        raise FileFormatError(
            f"{result.id}/{FILE}: the signature file is damaged ({explain(e)}); move it away "
            "and sign off the result again."
        ) from e
    except (ValueError, KeyError, TypeError) as e:
        raise FileFormatError(
            f"{result.id}/{FILE}: the signature file is damaged ({e}); move it away and sign "
            "off the result again."
        ) from e
    if not all(each.is_of(result) for each in made):
        raise FileFormatError(
            f"{result.id}/{FILE}: a signature in this file was changed or belongs to another "
            "result; move the file away and sign off the result again."
        )
    return made
