"""Tests of the signing key: created once, private, optionally encrypted."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.core.errors import EngineError
from engine.core.paths import HOME_VARIABLE
from engine.io.safety import signing_key as keys
from engine.io.safety.signing_key import PASSPHRASE, is_signed, known_keys, signing_key

DATA = b"content"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder without a key."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setenv(PASSPHRASE, "")
    return tmp_path / "home"


def site_with_key(tmp_path: Path, home: Path) -> str:
    """Give the site a key; return its public half."""
    site = tmp_path / "site"
    os.environ[HOME_VARIABLE] = str(tmp_path / "other")
    public = signing_key().public
    (tmp_path / "other" / "key").rename(site)
    os.environ[HOME_VARIABLE] = str(home)
    home.mkdir(exist_ok=True)
    (home / "site.toml").write_text(f'protocols = "{site}"\n')
    return public


def test_key_is_created_once_and_is_private(home: Path) -> None:
    assert not known_keys() and not keys.has_user_key(), "verifying must not create a key"
    public = signing_key().public
    file = home / "key" / keys.PRIVATE
    assert os.name != "posix" or file.stat().st_mode & 0o777 == 0o600
    assert signing_key().public == public and known_keys() == {public: "user"}
    assert keys.has_user_key()


def test_signature_covers_content_kind_and_key(home: Path) -> None:
    key = signing_key()
    signature = key.sign("log", DATA)
    assert is_signed("log", DATA, key.public, signature)
    assert not is_signed("report", DATA, key.public, signature)
    assert not is_signed("log", DATA + b" ", key.public, signature)
    assert not is_signed("log", DATA, "0" * 64, signature)
    assert not is_signed("log", DATA, key.public, signature.upper())
    assert not is_signed("log", DATA, key.public + "\n", signature + "\n")
    assert not is_signed("log", DATA, "", "")


def test_parallel_threads_create_one_key(home: Path) -> None:
    keys._read.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        public_keys = list(pool.map(lambda _: signing_key().public, range(8)))
    assert public_keys == [*known_keys()] * 8
    assert {each.name for each in (home / "key").iterdir()} == {keys.PRIVATE, keys.PUBLIC}


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
def test_key_readable_by_others_is_refused(home: Path) -> None:
    signing_key()
    (home / "key" / keys.PRIVATE).chmod(0o640)
    with pytest.raises(EngineError, match="mode 640, expected at most 600"):
        signing_key()


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\n"])
def test_damaged_key_is_named_and_never_replaced(home: Path, content: bytes) -> None:
    signing_key()
    file = home / "key" / keys.PRIVATE
    file.write_bytes(content)
    with pytest.raises(EngineError, match="damaged"):
        signing_key()
    assert file.read_bytes() == content


def test_passphrase_is_optional_and_asked_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public, prompts = signing_key().public, []
    keys.set_passphrase("secret words")
    assert b"ENCRYPTED" in (home / "key" / keys.PRIVATE).read_bytes()
    keys._read.cache_clear()
    with pytest.raises(EngineError, match=f"set {PASSPHRASE}"):
        signing_key()
    assert known_keys() == {public: "user"}, "verifying must not ask for the passphrase"
    monkeypatch.setenv(PASSPHRASE, "wrong")
    with pytest.raises(EngineError, match="wrong"):
        signing_key()
    monkeypatch.delenv(PASSPHRASE)
    monkeypatch.setattr(keys, "getpass", lambda _: prompts.append(1) or "secret words")
    terminal = SimpleNamespace(isatty=lambda: True)
    modules = {name: each for name, each in sys.modules.items() if name != "PySide6"}
    monkeypatch.setattr(keys, "sys", SimpleNamespace(stdin=terminal, modules=modules))
    assert signing_key().public == signing_key().public == public
    assert prompts == [1] and os.environ[PASSPHRASE] == "secret words"
    keys.set_passphrase("")
    keys._read.cache_clear()
    assert PASSPHRASE not in os.environ and signing_key().public == public


def test_site_key_signs_instead_of_the_user_key(home: Path, tmp_path: Path) -> None:
    own = signing_key().public
    public = site_with_key(tmp_path, home)
    assert signing_key().public == public
    assert known_keys() == {public: "site", own: "user"}


def test_public_key_is_trusted_if_listed(home: Path) -> None:
    own = signing_key().public
    (home / "key" / keys.TRUSTED).write_text(f"# partners\n\n{'ab' * 32}  Clinic B\n{'cd' * 32}\n")
    assert known_keys() == {"ab" * 32: "Clinic B", "cd" * 32: "cd" * 8, own: "user"}
    (home / "key" / keys.TRUSTED).write_text("ab\n")
    with pytest.raises(EngineError, match="line 1 is not a public key"):
        known_keys()
