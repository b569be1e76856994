"""Tests of pseudonyms: stable for each file, and known only to their owner."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.core.errors import DataError
from engine.protocols.privacy import key
from engine.protocols.privacy.key import ending_of, file_of, pseudonym_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    forget()
    yield tmp_path / "home"
    forget()


def forget() -> None:
    """Clear the cache, like a new process."""
    key._pseudonym.cache_clear()
    key._secret.cache_clear()


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    path = tmp_path / "Doe^Jane.l.hdr"
    path.write_bytes(b"events")
    return path


def test_file_keeps_its_pseudonym_and_is_found_by_it(scan: Path) -> None:
    name = pseudonym_of(scan)
    assert name.startswith("study-") and name.endswith(".l.hdr") and "Doe" not in name
    forget()
    assert pseudonym_of(scan) == name and file_of(name) == scan
    assert file_of(name.replace(".l.hdr", ".nii.gz")) is None
    assert file_of("study-00000000.l.hdr") is None and file_of("scan.l") is None


def test_different_file_at_the_same_path_has_another_pseudonym(scan: Path) -> None:
    name = pseudonym_of(scan)
    scan.write_bytes(b"of the next patient")
    assert pseudonym_of(scan) != name
    with pytest.raises(DataError, match="has changed"):
        file_of(name)


def test_key_is_readable_by_its_owner_only(scan: Path, home: Path) -> None:
    before = os.umask(0)
    try:
        pseudonym_of(scan)
    finally:
        os.umask(before)
    modes = {p.name: p.stat().st_mode & 0o777 for p in (home / "key", *(home / "key").iterdir())}
    assert modes == {"key": 0o700, "secret": 0o600, "names.jsonl": 0o600}


def test_two_files_never_share_a_pseudonym(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key, "MIN_DIGITS", 0)  # all pseudonyms start alike
    names = [pseudonym_of(tmp_path / f"{k}.h5") for k in range(40)]
    assert len(set(names)) == 40
    assert [file_of(name) for name in names] == [tmp_path / f"{k}.h5" for k in range(40)]


def test_another_user_has_other_pseudonyms(scan: Path, home: Path) -> None:
    name = pseudonym_of(scan)
    (home / "key" / "secret").unlink()
    (home / "key" / "names.jsonl").unlink()
    forget()
    assert pseudonym_of(scan) != name


def test_concurrent_threads_lose_no_line(tmp_path: Path) -> None:
    paths = [tmp_path / f"{k}.h5" for k in range(60)]
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(pseudonym_of, paths))
    forget()
    assert [file_of(name) for name in names] == paths


def test_torn_line_and_unwritable_settings_are_tolerated(
    scan: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = pseudonym_of(scan)
    with (home / "key" / "names.jsonl").open("ab") as file:
        file.write(b'["study-12345678", "/a\xff')
    assert file_of(name) == scan
    monkeypatch.setenv("ISOCENTER_HOME", str(scan / "no folder"))
    assert pseudonym_of(scan).endswith(".l.hdr")


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("Doe.Jane.l.hdr", ".l.hdr"), ("a.nii.gz", ".nii.gz"), ("scan.Doe", ""), ("scan", ""),
        ("A.H5", ".H5"), (".l", ""),
    ],
)  # fmt: skip
def test_only_known_extensions_stay_in_the_pseudonym(name: str, ending: str) -> None:
    assert ending_of(name) == ending


def test_folder_keeps_its_pseudonym_until_its_scan_changes(tmp_path: Path) -> None:
    folder = tmp_path / "Doe^Jane"
    folder.mkdir()
    (folder / "scan settings.txt").write_text("SOD : 100")
    name = pseudonym_of(folder)
    (folder / "image.nii.gz").write_bytes(b"a result")
    assert pseudonym_of(folder) == name and file_of(name) == folder
    (folder / "scan settings.txt").write_text("SOD : 100.5")
    assert pseudonym_of(folder) != name
