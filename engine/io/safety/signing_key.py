"""Keys (Ed25519) that sign results, sign-offs, lines of the audit log and reports.

The key of the user is made at first use and readable only by its owner. A site can put a key into
its shared folder; it then signs in place of the key of the user. A signature counts only if its key
is known here: the key of the user, that of the site, or a public key in a list of trusted keys.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, ResourceError, SettingsError
from engine.core.paths import HOME_VARIABLE, config_dir, key_dir, made
from engine.core.private_files import is_own
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import after_others
from engine.io.text.toml_file import read_toml

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PRIVATE, PUBLIC, TRUSTED = "signing.pem", "signing.pub", "trusted-keys.txt"
PASSPHRASE = "ISOCENTER_PASSPHRASE"
"""Environment variable with the passphrase, for runs that nobody watches."""
PUBLIC_KEY = re.compile(r"[0-9a-f]{64}")
KEY_LINE = re.compile(r"\s*([0-9a-f]{64})(?:\s+(.*\S))?\s*")
"""A line of a list of trusted keys: public key and name of its owner."""
HEX_SIGNATURE = re.compile(r"[0-9a-f]{128}")
OWNER_ONLY, OWNER_AND_GROUP = 0o600, 0o660
"""Permissions that the key of a user and that of a site may have."""


@dataclass(frozen=True)
class SigningKey:
    """A private key that is ready to sign.

    Attributes
    ----------
    public : public key, 64 hexadecimal digits
    private : key of the library
    """

    public: str
    private: Ed25519PrivateKey

    def sign(self, purpose: str, data: bytes) -> str:
        """Return a signature of 128 hexadecimal digits.

        Parameters
        ----------
        purpose
            kind of content; a signature of one kind is invalid for any other
        data
            content to sign
        """
        return self.private.sign(_message(purpose, data)).hex()


def is_signed(purpose: str, data: bytes, public: str, signature: str) -> bool:
    """Return True if a signature is valid for this content and key, known here or not.

    Parameters
    ----------
    purpose, data
        kind and content, as they were signed
    public, signature
        hexadecimal digits in lower case

    Raises
    ------
    ResourceError
        if the library for signatures is not installed
    """
    _require_library()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    # Capital digits would be a second spelling of the same signature.
    if not (PUBLIC_KEY.fullmatch(public) and HEX_SIGNATURE.fullmatch(signature)):
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), _message(purpose, data))
    except (InvalidSignature, ValueError):
        return False
    return True


def signing_key() -> SigningKey:
    """Return the key of the site if there is one, otherwise that of the user, made if missing.

    Raises
    ------
    ResourceError
        if the key cannot be made or read, or others can read it
    SettingsError
        if the key is damaged, or its passphrase is missing or wrong
    """
    _require_library()
    path, allowed = _key_file()
    if allowed == OWNER_ONLY and not path.exists():
        _make(path)
    return _loaded(path, allowed)


def needs_passphrase() -> bool:
    """Return True if the key has a passphrase that this session does not know."""
    path, _ = _key_file()
    try:
        if b"ENCRYPTED" not in path.read_bytes():
            return False
    except OSError:
        return False
    try:
        signing_key()
    except EngineError:
        return True
    return False


def unlock(passphrase: str) -> None:
    """Use a passphrase for this session and its processes.

    Parameters
    ----------
    passphrase
        passphrase of the key

    Raises
    ------
    EngineError
        if it is wrong, or the key cannot be used
    """
    os.environ[PASSPHRASE] = passphrase
    try:
        signing_key()
    except EngineError:
        del os.environ[PASSPHRASE]
        raise


def known_keys() -> dict[str, str]:
    """Return the owner of each known public key; no key is made.

    Raises
    ------
    SettingsError
        if a list of trusted keys has a line that is not a key
    """
    own, site = key_dir(), _site_folder()
    known: dict[str, str] = {}
    for folder, owner in ((site, "site"), (own, "user")):
        if folder is not None:
            known.update(_listed(folder / TRUSTED))
            known.update((public, owner) for public in _public_of(folder))
    return known


def has_user_key() -> bool:
    """Return True if the key of the user has been made."""
    return (key_dir() / PRIVATE).exists()


def short(public: str) -> str:
    """Return the first digits of a public key, for messages."""
    return public[:16]


def set_passphrase(passphrase: str) -> Path:
    """Encrypt the key of the user with a passphrase, or store it without one.

    Parameters
    ----------
    passphrase
        new passphrase; empty for none

    Returns
    -------
    path
        file of the key

    Raises
    ------
    SettingsError
        if the old passphrase is missing or wrong
    """
    _require_library()
    path = key_dir() / PRIVATE
    if not path.exists():
        _make(path)
    key = _loaded(path, OWNER_ONLY)
    with after_others(path):
        write_atomically(_pem(key.private, passphrase), path, private=True)
    os.environ.pop(PASSPHRASE, None)
    return path


def _key_file() -> tuple[Path, int]:
    """Return the key that signs, and the permissions that it may have."""
    site = _site_folder()
    if site is not None and os.access(site / PRIVATE, os.R_OK):
        return site / PRIVATE, OWNER_AND_GROUP
    return key_dir() / PRIVATE, OWNER_ONLY


def _message(purpose: str, data: bytes) -> bytes:
    # The purpose keeps the signature of a log line from being used as that of a sign-off.
    return f"isocenter {purpose}\n".encode() + data


def _make(path: Path) -> None:
    """Make the key of the user; processes that start at once agree on one key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    made(path.parent, mode=0o700)
    with after_others(path):
        if not path.exists():
            write_atomically(_pem(Ed25519PrivateKey.generate(), ""), path, private=True)


def _pem(private: Ed25519PrivateKey, passphrase: str) -> bytes:
    from cryptography.hazmat.primitives import serialization as form

    lock: form.KeySerializationEncryption = form.NoEncryption()
    if passphrase:
        lock = form.BestAvailableEncryption(passphrase.encode())
    return private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, lock)


def _loaded(path: Path, allowed: int) -> SigningKey:
    try:
        state = path.stat()
    except OSError as e:
        raise _unreadable(path, e) from e
    mode = state.st_mode & 0o777
    if not is_own(path, code=True) and allowed == OWNER_ONLY and mode & 0o077 == 0:
        raise ResourceError(
            f"{path}: this signing key belongs to another user; change the owner of the file, or "
            f"set {HOME_VARIABLE} to a folder of your own."
        )
    # Windows has no such permissions.
    if os.name == "posix" and mode & 0o077 & ~allowed:
        raise ResourceError(
            f"{path}: other users can use this signing key (mode {mode:o}, expected at most "
            f"{allowed:o}); run `chmod {allowed:o}` on it, or set {HOME_VARIABLE} to a folder on a "
            "disk that supports file permissions."
        )
    return _read(path, state.st_mtime_ns, state.st_ino)


@lru_cache(maxsize=8)  # each log line needs the key; time and inode notice a new file
def _read(path: Path, mtime_ns: int, inode: int) -> SigningKey:
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        private = _unlocked(path.read_bytes(), path)
    except OSError as e:
        raise _unreadable(path, e) from e
    if not isinstance(private, Ed25519PrivateKey):
        raise SettingsError(f"{path}: not an Ed25519 key; restore the key from a backup.")
    public = private.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw).hex()
    _store_public(path.with_name(PUBLIC), public)
    return SigningKey(public, private)


def _unreadable(path: Path, e: OSError) -> ResourceError:
    return ResourceError(
        f"{path}: the signing key cannot be read ({e.strerror or e}); check its permissions."
    )


def _unlocked(pem: bytes, path: Path) -> object:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(pem, None)
    except TypeError:  # the library's sign of an encrypted key
        passphrase = _passphrase(path)
    except (ValueError, UnsupportedAlgorithm) as e:
        raise SettingsError(
            f"{path}: the signing key is damaged; restore the key from a backup."
        ) from e
    try:
        key = load_pem_private_key(pem, passphrase.encode())
    except ValueError as e:
        raise SettingsError(
            f"{path}: the passphrase of the signing key is wrong; enter it again."
        ) from e
    # Processes of this session must not ask again.
    os.environ[PASSPHRASE] = passphrase
    return key


def _passphrase(path: Path) -> str:
    known = os.environ.get(PASSPHRASE, "")
    if known:
        return known
    # Workers and scheduled runs have no terminal. In a window, a question there would go unseen.
    if "PySide6" not in sys.modules and sys.stdin is not None and sys.stdin.isatty():
        return getpass("Passphrase for the signing key: ")
    raise SettingsError(
        f"{path}: the signing key has a passphrase, but the program cannot ask for it here; set "
        f"{PASSPHRASE} before you start the program."
    )


def _store_public(path: Path, public: str) -> None:
    """Store the public key, which verifies without a passphrase."""
    if _digits(path) == [public]:
        return
    try:
        write_atomically(f"{public}\n".encode(), path)
    except EngineError:  # the folder of a site is read-only for most users
        return


def _public_of(folder: Path) -> list[str]:
    known = _digits(folder / PUBLIC)
    if not known and (folder / PRIVATE).exists():
        try:
            return [_loaded(folder / PRIVATE, OWNER_AND_GROUP).public]
        except EngineError:  # a key that cannot be read signs nothing
            return []
    return known


def _digits(path: Path) -> list[str]:
    try:
        return re.findall(r"^[0-9a-f]{64}$", path.read_text("ascii"), re.MULTILINE)[:1]
    except (OSError, ValueError):
        return []


def _listed(path: Path) -> Iterator[tuple[str, str]]:
    """Yield public key and owner of each line of a list of trusted keys."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError:
        return
    except ValueError as e:
        raise SettingsError(
            f"{path}: not a UTF-8 text file; save the list of keys again as UTF-8."
        ) from e
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = KEY_LINE.fullmatch(line)
        if found is None:
            raise SettingsError(
                f"{path}: line {number} is not a public key; write 64 hexadecimal digits and a "
                "name."
            )
        yield found[1], found[2] or short(found[1])


def _site_folder() -> Path | None:
    """Return the shared folder of the site settings; None without one."""
    path = config_dir() / "site.toml"
    if not path.exists():
        return None
    try:
        folder = read_toml(path).get("protocols")
    except EngineError:  # the settings themselves report this
        return None
    return Path(folder).expanduser() if isinstance(folder, str) and folder else None


def _require_library() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError as e:
        raise ResourceError(
            "The Python package cryptography, which is needed to sign results, is not installed; "
            "install Isocenter again."
        ) from e
