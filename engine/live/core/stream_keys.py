"""Keys of live streams (CURVE of ZeroMQ): this program has a pair, and knows the keys of senders.

The pair of a user is made at first use, and only its owner can read it. It identifies a receiver to
its senders, and `live send` to its receiver.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import ResourceError, SettingsError
from engine.core.paths import config_dir, made
from engine.core.private_files import privacy_fault
from engine.io.folder import is_file
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import after_others
from engine.io.safety.open_input import open_input

FOLDER, PAIR, ALLOWED = "key", "stream.key", "allowed-senders.txt"
KEY = re.compile(r"[0-9A-Za-z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}")
"""A public or secret key, in the notation Z85 of ZeroMQ."""
LISTED = re.compile(rf'\s*(?:public-key\s*=\s*")?({KEY.pattern})"?(?:\s.*)?')
"""A line of a file of keys: of our own, or of a certificate of ZeroMQ."""
MAX_FILE_BYTES = 2**20


@dataclass(frozen=True)
class StreamKey:
    """A pair of keys.

    Attributes
    ----------
    public : public key, 40 characters
    secret : secret key, which must not be printed or sent
    """

    public: str
    secret: str


def stream_key() -> StreamKey:
    """Return the pair of this user, made if missing.

    Raises
    ------
    ResourceError
        if it cannot be made or read, others can read it, or ZeroMQ has no CURVE
    SettingsError
        if the file is damaged
    """
    require_curve()
    path = config_dir() / FOLDER / PAIR
    if not path.exists():
        _make(path)
    reason = privacy_fault(path)
    if not reason and os.name == "posix" and path.stat().st_mode & 0o077:
        reason = "Other users can read this file."
    if reason:
        raise ResourceError(
            f"{path}: the key for live streams cannot be used. {reason} Run `chmod 600` on this "
            "file, or delete it to create a new key."
        )
    lines = path.read_text("ascii", errors="replace").split()
    if len(lines) != 2 or not all(KEY.fullmatch(each) for each in lines):
        raise SettingsError(
            f"{path}: not a key pair; delete this file to create a new key pair, and give the new "
            "public key to the senders."
        )
    return StreamKey(*lines)


def allowed_keys(given: Sequence[str], *, network: bool) -> tuple[str, ...]:
    """Return the public keys of the senders that may send.

    Parameters
    ----------
    given
        keys, and files of keys; if there are none, the list of the settings counts for the network
    network
        True if senders on other computers are accepted

    Returns
    -------
    keys
        empty if no keys are asked for

    Raises
    ------
    SettingsError
        if a text is neither a key nor a file of keys
    ResourceError
        if others can change the list of the settings, or ZeroMQ has no CURVE
    """
    listed = config_dir() / FOLDER / ALLOWED
    if not given and network and listed.exists():
        reason = privacy_fault(listed)
        if reason:
            raise ResourceError(
                f"{listed}: this list of senders cannot be used. {reason} Run `chmod go-w` on it, "
                "or give the keys with --sender-key."
            )
        given = (str(listed),)
    found: list[str] = []
    for each in given:
        found += [each] if KEY.fullmatch(each) and not is_file(Path(each)) else _keys_in(Path(each))
    if found:
        require_curve()
    return tuple(dict.fromkeys(found))


def checked_key(text: str) -> str:
    """Return a public key.

    Parameters
    ----------
    text
        value of an option

    Raises
    ------
    SettingsError
        if it is not a key
    """
    if not KEY.fullmatch(text):
        raise SettingsError(
            f"{text[:60]}: not a public key; expected the 40 characters that `isocenter live key` "
            "prints, in quotes."
        )
    require_curve()
    return text


def require_curve() -> None:
    """Refuse to work without CURVE.

    Raises
    ------
    ResourceError
        if this copy of ZeroMQ has none
    """
    import zmq

    if not zmq.has("curve"):
        raise ResourceError(
            "This build of pyzmq does not support CURVE, which streams with keys need; install "
            "pyzmq from PyPI, or use a stream without keys."
        )


def _make(path: Path) -> None:
    import zmq

    made(path.parent, mode=0o700)
    with after_others(path):
        if not path.exists():
            public, secret = zmq.curve_keypair()
            write_atomically(public + b"\n" + secret + b"\n", path, private=True)


def _keys_in(path: Path) -> list[str]:
    if not is_file(path):
        raise SettingsError(
            f"{str(path)[:200]}: neither a public key of 40 characters nor a key file; run "
            "`isocenter live key` on the computer of the sender."
        )
    with open_input(path) as file:
        text = file.text(MAX_FILE_BYTES)
    lines = [each for each in text.splitlines() if not each.lstrip().startswith("#")]
    found = [line[1] for each in lines if (line := LISTED.fullmatch(each))]
    if not found:
        raise SettingsError(
            f"{path}: no public key found; write one key of 40 characters on each line."
        )
    return found
