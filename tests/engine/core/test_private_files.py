"""Tests that only files that no other user can change are used without a question.

Cases: own folder; world-writable; group-writable; another owner; the same for a parent folder;
sticky parent; private parent; link to a writable folder; link in a writable folder; chain of two
links; loop of links; missing file; trusted group for data; trusted group for code; unknown group.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.core import paths, private_files
from engine.core.errors import SettingsError
from engine.core.private_files import is_own, privacy_fault, refused_paths

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX owners and modes")
STRANGER = 4343


@pytest.fixture(autouse=True)
def no_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_files, "_refused", {})


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folders of the tests accessible to others; those of pytest are private."""
    monkeypatch.setattr(private_files, "_REACHED_BY_OTHERS", 0o777)


@pytest.fixture
def other_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Return another group of this user with other members."""
    monkeypatch.setattr(private_files, "_is_alone_in", lambda number: False)


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Return a function that gives a path to another user; without root, the user ID is patched."""

    def give(path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, STRANGER, -1)
        else:
            me = os.geteuid()
            monkeypatch.setattr(os, "geteuid", lambda: me + 1)

    return give


def folder_with_mode(path: Path, mode: int = 0o755) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    return path


def test_own_folder_is_private(tmp_path: Path) -> None:
    assert privacy_fault(folder_with_mode(tmp_path / "a")) == ""


@pytest.mark.usefixtures("reachable")
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777])
def test_world_writable_folder_is_not_private(tmp_path: Path, mode: int) -> None:
    assert "Everybody may write" in privacy_fault(folder_with_mode(tmp_path / "a", mode))


@pytest.mark.usefixtures("other_group", "reachable")
def test_group_writable_folder_is_not_private(tmp_path: Path) -> None:
    assert "may write" in privacy_fault(folder_with_mode(tmp_path / "a", 0o775))


@pytest.mark.usefixtures("reachable")
def test_world_writable_file_is_not_private(tmp_path: Path) -> None:
    file = folder_with_mode(tmp_path / "a") / "file"
    file.touch()
    file.chmod(0o666)
    assert "Everybody may write" in privacy_fault(file)
    assert not is_own(file)


def test_folder_of_another_owner_is_not_private(
    tmp_path: Path, give_away: Callable[[Path], None]
) -> None:
    folder = folder_with_mode(tmp_path / "a")
    give_away(folder)
    assert "belongs to user" in privacy_fault(folder)
    assert not is_own(folder)


@pytest.mark.usefixtures("reachable")
def test_parent_folders_are_checked(tmp_path: Path) -> None:
    folder = folder_with_mode(tmp_path / "a/b/c")
    folder_with_mode(tmp_path / "a", 0o777)
    assert f"Everybody may write to {tmp_path / 'a'}." == privacy_fault(folder)
    # In a sticky folder, only owners can replace their files
    folder_with_mode(tmp_path / "a", 0o1777)
    assert privacy_fault(folder) == ""


def test_everything_below_a_private_folder_is_private(tmp_path: Path) -> None:
    folder = folder_with_mode(tmp_path / "a/b", 0o777)
    folder_with_mode(tmp_path / "a", 0o700)
    assert privacy_fault(folder) == ""
    # The folder may have been writable before, so it must not contain code
    assert privacy_fault(folder, code=True)


@pytest.mark.usefixtures("reachable")
def test_links_to_or_in_writable_folders_are_not_private(tmp_path: Path) -> None:
    # Outside the private folder of pytest, which others cannot access
    open_, closed = (
        folder_with_mode(tmp_path / "open", 0o777),
        folder_with_mode(tmp_path / "closed"),
    )
    (closed / "to open").symlink_to(open_)
    (open_ / "to closed").symlink_to(closed)
    (closed / "twice").symlink_to(open_ / "to closed")
    for path in (closed / "to open", open_ / "to closed", closed / "twice"):
        assert privacy_fault(path), path
    (closed / "fine").symlink_to(folder_with_mode(closed / "folder"))
    assert privacy_fault(closed / "fine") == ""


def test_loop_of_links_is_not_private(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "cannot be checked" in privacy_fault(tmp_path / "a")


@pytest.mark.usefixtures("reachable")
def test_missing_file_is_as_private_as_its_folders(tmp_path: Path) -> None:
    assert privacy_fault(folder_with_mode(tmp_path / "a") / "later") == ""
    assert privacy_fault(folder_with_mode(tmp_path / "b", 0o777) / "later" / "file")


@pytest.mark.usefixtures("other_group", "reachable")
def test_trusted_group_shares_data_but_no_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, give_away: Callable[[Path], None]
) -> None:
    folder = folder_with_mode(tmp_path / "a", 0o2775)
    group = folder.stat().st_gid
    if os.geteuid() == 0:
        group = STRANGER
        os.chown(folder, 0, group)
    give_away(folder)
    monkeypatch.setenv("ISOCENTER_GROUP", str(group))
    assert privacy_fault(folder) == ""
    assert privacy_fault(folder, code=True)
    folder_with_mode(tmp_path / "a", 0o2777)
    assert "Everybody" in privacy_fault(folder)


def test_unknown_group_gives_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOCENTER_GROUP", "no such group")
    with pytest.raises(SettingsError, match="there is no group 'no such group'"):
        privacy_fault(Path.cwd())


@pytest.mark.usefixtures("reachable")
@pytest.mark.parametrize("name", ["jobs_dir", "queue_dir", "tuning_dir", "windows_dir"])
def test_home_writable_by_others_is_replaced_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("ISOCENTER_HOME", str(folder_with_mode(tmp_path / "home", 0o777)))
    folder = getattr(paths, name)()
    assert folder.is_relative_to(tmp_path) and not folder.is_relative_to(tmp_path / "home")
    (report,) = refused_paths()
    assert str(folder) in report.describe() and "Everybody may write" in report.describe()
    # A home that is private again is used again
    folder_with_mode(tmp_path / "home")
    assert getattr(paths, name)().parent == tmp_path / "home"


def test_new_folders_are_private_under_any_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "new/home"))
    before = os.umask(0)
    try:
        jobs = paths.jobs_dir()
        assert privacy_fault(jobs) == "" == privacy_fault(jobs, code=True)
    finally:
        os.umask(before)


@pytest.mark.usefixtures("reachable")
@pytest.mark.parametrize("name", ["sensitivity", "response"])
def test_caches_writable_by_others_are_recomputed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("ISOCENTER_HOME", str(folder_with_mode(tmp_path / "home", 0o777)))
    folder_with_mode(tmp_path / "home" / "cache" / name).joinpath("a.npz").touch()
    folder = paths.cached_dir(name)
    assert not folder.is_relative_to(tmp_path / "home") and not folder.exists()
    (report,) = refused_paths()
    assert f"without the contents of {name} (1)" in report.describe()


def test_keys_in_a_folder_of_another_user_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, give_away: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("ISOCENTER_HOME", str(folder_with_mode(tmp_path / "home")))
    assert paths.key_dir() == tmp_path / "home" / "key"
    give_away(folder_with_mode(tmp_path / "home" / "key", 0o700))
    if os.geteuid() == 0:
        assert not paths.key_dir().is_relative_to(tmp_path / "home")


@pytest.mark.usefixtures("other_group", "reachable")
def test_closed_key_folder_in_a_shared_home_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new key would invalidate all earlier signatures."""
    monkeypatch.setenv("ISOCENTER_HOME", str(folder_with_mode(tmp_path / "home", 0o770)))
    folder_with_mode(tmp_path / "home" / "key", 0o700)
    assert paths.key_dir() == tmp_path / "home" / "key"
