"""Signature of a file in a second file next to it, `NAME.sig`, with the newest line of the log."""

from __future__ import annotations

import getpass
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, Self

from engine.core.errors import EngineError
from engine.core.settings import Settings, setting
from engine.io.safety.audit_log import latest_line
from engine.io.safety.open_input import open_input, read_text
from engine.io.safety.signing_key import is_signed, known_keys, short, signing_key
from engine.io.text.json_text import from_json, to_json

log = logging.getLogger(__name__)

SUFFIX = ".sig"
MAX_BYTES = 1 << 16
STATED = re.compile(rb"isocenter-signed ([0-9a-f]{64}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
"""Statement within a file that it was signed: public key and time."""
Kind = Literal["result", "report"]
State = Literal["valid", "without key", "unknown key", "removed", "changed"]


class FileSignature(Settings):
    """Content of a `.sig` file.

    Attributes
    ----------
    kind : kind of the file
    file : name of the file when it was signed
    sha256 : digest of the file
    result : result that it is, or is about
    when_utc, login : time, and login name of the session
    log_line, log_sha256 : number and digest of the newest line of the audit log at this time
    key, signature : public key, and signature of all other fields
    """

    format: Literal["isocenter-signature-1"] = "isocenter-signature-1"
    kind: Kind = setting()
    file: str = setting(max_length=300)
    sha256: str = setting(max_length=64)
    result: str = setting(max_length=100)
    when_utc: datetime = setting()
    login: str = setting("", max_length=120)
    log_line: int = setting(0, ge=0)
    log_sha256: str = setting("", max_length=64)
    key: str = setting(max_length=64)
    signature: str = setting("", max_length=128)

    @classmethod
    def made(cls, kind: Kind, file: str, data: bytes, result: str) -> Self:
        """Sign the content of a file with the current key.

        Parameters
        ----------
        kind
            kind of the file
        file
            name of the file
        data
            content
        result
            name of the result

        Raises
        ------
        EngineError
            if the key cannot be used
        """
        key, (line, digest) = signing_key(), latest_line()
        unsigned = cls(
            kind=kind, file=file, sha256=sha256(data).hexdigest(), result=result,
            when_utc=datetime.now(UTC), login=login_name(), log_line=line, log_sha256=digest,
            key=key.public,
        )  # fmt: skip
        return unsigned.model_copy(update={"signature": key.sign(kind, unsigned._text())})

    def to_bytes(self) -> bytes:
        """Return the content of the `.sig` file."""
        return to_json(self.model_dump(mode="json"), indent=2).encode() + b"\n"

    @property
    def is_intact(self) -> bool:
        """True if no field was changed since it was signed, by a key known here or not."""
        return is_signed(self.kind, self._text(), self.key, self.signature)

    def _text(self) -> bytes:
        return self.model_dump_json(exclude={"signature"}).encode()


@dataclass(frozen=True)
class CheckedSignature:
    """State of the signature of a file.

    Attributes
    ----------
    state : outcome
    text : outcome in words, as the end of a sentence
    signature : content of the `.sig` file; None without a readable one
    owner : owner of the key; "user", "site" or a name; empty if not known
    """

    state: State
    text: str
    signature: FileSignature | None = None
    owner: str = ""


def signature_file(path: Path) -> Path:
    """Return the path of the signature of a file."""
    return path.with_name(path.name + SUFFIX)


def check_file(path: Path, kind: Kind) -> CheckedSignature:
    """Check the signature of a file.

    Parameters
    ----------
    path
        file; its signature is next to it
    kind
        expected kind

    Returns
    -------
    checked
        never raises for a damaged signature, which counts as changed
    """
    signed = signature_file(path)
    if not signed.exists():
        return CheckedSignature("without key", "is not signed with a key")
    try:
        text = read_text(signed, MAX_BYTES)
        with open_input(path) as file:
            digest = file.sha256()
    except EngineError:
        return CheckedSignature("changed", "has a damaged signature")
    return check_signature(text, kind, path.name, digest)


def check_signature(text: str, kind: Kind, name: str, digest: str) -> CheckedSignature:
    """Check the text of a signature.

    Parameters
    ----------
    text
        content of the `.sig` file
    kind, name, digest
        expected kind, name of the signed file and digest of its content

    Returns
    -------
    checked
        never raises for a damaged signature, which counts as changed
    """
    try:
        made = FileSignature.model_validate(from_json(text))
    except ValueError:
        return CheckedSignature("changed", "has a damaged signature")
    # The same values in another spelling are not what was signed.
    if made.to_bytes() != text.encode() or made.kind != kind or not made.is_intact:
        return CheckedSignature("changed", "has a signature that was changed")
    if (made.sha256, made.file) != (digest, name):
        return CheckedSignature("changed", "was changed or renamed since it was signed", made)
    owner = known_keys().get(made.key, "")
    if not owner:
        key = short(made.key)
        return CheckedSignature("unknown key", f"is signed with an unknown key ({key})", made)
    by = f"by {made.login or 'unknown'} on {made.when_utc.astimezone():%d %b %Y %H:%M %Z}"
    return CheckedSignature("valid", f"is signed {by}, key of {_words(owner)}", made, owner)


def statement_of_key() -> tuple[str, str]:
    """Return the text by which a file states its signature, and the reason if there is no key.

    The text matches `STATED`. A file without a signature that contains it was signed once.
    """
    try:
        key = signing_key()
    except EngineError as e:
        return "", str(e)
    return f"isocenter-signed {key.public} {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", ""


def describe_statement(text: str) -> str:
    """Return the statement of a signature for a page; empty without one.

    Parameters
    ----------
    text
        result of `statement_of_key`
    """
    found = STATED.fullmatch(text.encode())
    return "" if found is None else f"key {short(found[1].decode())}, {found[2].decode()}"


def key_or_none() -> str:
    """Return the public key that signs; empty if the key cannot be used."""
    try:
        return signing_key().public
    except EngineError:
        return ""


def compared_with_statement(checked: CheckedSignature, key: str) -> CheckedSignature:
    """Return the state of a signature if the content states the key of its signature.

    Parameters
    ----------
    checked
        state of the signature alone
    key
        public key that the content states; empty for content of older versions

    Returns
    -------
    checked
        "removed" if the content states a key but has no signature, and "changed" if it was signed
        again with another key
    """
    if key and checked.state == "without key":
        text = f"states a signature with the key {short(key)}, but its signature was removed"
        return CheckedSignature("removed", text)
    made = checked.signature
    if key and made is not None and checked.state != "changed" and made.key != key:
        text = f"was signed again: it states the key {short(key)}, not {short(made.key)}"
        return CheckedSignature("changed", text, made)
    return checked


def _words(owner: str) -> str:
    return {"user": "this user", "site": "the site"}.get(owner, owner)


def signed_or_none(make: Callable[[], FileSignature]) -> FileSignature | None:
    """Return a signature; None if the key cannot be used, which must not lose the file."""
    try:
        return make()
    except EngineError as e:
        log.warning("not signed: %s", e)
        return None


def login_name() -> str:
    """Return the login name; empty if the system does not state it."""
    try:
        return getpass.getuser()[:120]
    except (OSError, KeyError, ImportError):
        return ""
