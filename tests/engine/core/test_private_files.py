"""Only what nobody else can change is read without a question.

Cases: own folder; open to all; open to a group; another owner; the same of a folder above; sticky
folder above; closed folder above; link to an open folder; link in an open folder; two links in a
row; loop of links; missing file; trusted group for data; trusted group for code; unknown group.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.core import paths, private_files
from engine.core.errors import SettingsError
from engine.core.private_files import is_own, refused_paths, why_not_private

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has no such owners and modes")
STRANGER = 4343


@pytest.fixture(autouse=True)
def no_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_files, "_refused", {})


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let others reach the folders of the tests, which are below a closed one."""
    monkeypatch.setattr(private_files, "_REACHED_BY_OTHERS", 0o777)


@pytest.fixture
def other_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group of this user with other members."""
    monkeypatch.setattr(private_files, "_is_alone_in", lambda number: False)


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Give a path to another user: only root can, so others become another user themselves."""

    def give(path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, STRANGER, -1)
        else:
            me = os.geteuid()
            monkeypatch.setattr(os, "geteuid", lambda: me + 1)

    return give


def made(path: Path, mode: int = 0o755) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    return path


def test_a_folder_of_ones_own_is_private(tmp_path: Path) -> None:
    assert why_not_private(made(tmp_path / "a")) == ""


@pytest.mark.usefixtures("reachable")
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777])
def test_a_folder_that_all_may_write_is_not(tmp_path: Path, mode: int) -> None:
    assert "Everybody may write" in why_not_private(made(tmp_path / "a", mode))


@pytest.mark.usefixtures("other_group", "reachable")
def test_a_folder_that_a_group_may_write_is_not(tmp_path: Path) -> None:
    assert "may write" in why_not_private(made(tmp_path / "a", 0o775))


@pytest.mark.usefixtures("reachable")
def test_a_file_that_all_may_write_is_not(tmp_path: Path) -> None:
    file = made(tmp_path / "a") / "file"
    file.touch()
    file.chmod(0o666)
    assert "Everybody may write" in why_not_private(file)
    assert not is_own(file)


def test_a_folder_of_another_owner_is_not(
    tmp_path: Path, give_away: Callable[[Path], None]
) -> None:
    folder = made(tmp_path / "a")
    give_away(folder)
    assert "belongs to user" in why_not_private(folder)
    assert not is_own(folder)


@pytest.mark.usefixtures("reachable")
def test_the_folders_above_count_too(tmp_path: Path) -> None:
    folder = made(tmp_path / "a/b/c")
    made(tmp_path / "a", 0o777)
    assert f"Everybody may write to {tmp_path / 'a'}." == why_not_private(folder)
    # In a sticky folder nobody can replace what belongs to another
    made(tmp_path / "a", 0o1777)
    assert why_not_private(folder) == ""


def test_nobody_reaches_what_is_below_a_closed_folder(tmp_path: Path) -> None:
    folder = made(tmp_path / "a/b", 0o777)
    made(tmp_path / "a", 0o700)
    assert why_not_private(folder) == ""
    # The folder may have been open before, and code must not depend on it
    assert why_not_private(folder, code=True)


@pytest.mark.usefixtures("reachable")
def test_links_lead_to_nothing_that_others_change(tmp_path: Path) -> None:
    # Not below the closed folder of pytest, which nobody else reaches
    open_, closed = made(tmp_path / "open", 0o777), made(tmp_path / "closed")
    (closed / "to open").symlink_to(open_)
    (open_ / "to closed").symlink_to(closed)
    (closed / "twice").symlink_to(open_ / "to closed")
    for path in (closed / "to open", open_ / "to closed", closed / "twice"):
        assert why_not_private(path), path
    (closed / "fine").symlink_to(made(closed / "folder"))
    assert why_not_private(closed / "fine") == ""


def test_a_loop_of_links_is_not_private(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "cannot be checked" in why_not_private(tmp_path / "a")


@pytest.mark.usefixtures("reachable")
def test_a_missing_file_is_judged_by_its_folders(tmp_path: Path) -> None:
    assert why_not_private(made(tmp_path / "a") / "later") == ""
    assert why_not_private(made(tmp_path / "b", 0o777) / "later" / "file")


@pytest.mark.usefixtures("other_group", "reachable")
def test_a_trusted_group_shares_data_and_no_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, give_away: Callable[[Path], None]
) -> None:
    folder = made(tmp_path / "a", 0o2775)
    group = folder.stat().st_gid
    if os.geteuid() == 0:
        group = STRANGER
        os.chown(folder, 0, group)
    give_away(folder)
    monkeypatch.setenv("ISOCENTER_GROUP", str(group))
    assert why_not_private(folder) == ""
    assert why_not_private(folder, code=True)
    made(tmp_path / "a", 0o2777)
    assert "Everybody" in why_not_private(folder)


def test_an_unknown_group_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOCENTER_GROUP", "no such group")
    with pytest.raises(SettingsError, match="there is no group 'no such group'"):
        why_not_private(Path.cwd())


@pytest.mark.usefixtures("reachable")
@pytest.mark.parametrize("name", ["jobs_dir", "queue_dir", "tuning_dir", "windows_dir"])
def test_a_home_that_others_change_is_replaced_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("ISOCENTER_HOME", str(made(tmp_path / "home", 0o777)))
    folder = getattr(paths, name)()
    assert folder.is_relative_to(tmp_path) and not folder.is_relative_to(tmp_path / "home")
    (report,) = refused_paths()
    assert str(folder) in report.describe() and "Everybody may write" in report.describe()
    # A home that was made private again is used again
    made(tmp_path / "home")
    assert getattr(paths, name)().parent == tmp_path / "home"


def test_new_folders_are_private_under_any_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "new/home"))
    before = os.umask(0)
    try:
        jobs = paths.jobs_dir()
        assert why_not_private(jobs) == "" == why_not_private(jobs, code=True)
    finally:
        os.umask(before)


@pytest.mark.usefixtures("reachable")
@pytest.mark.parametrize("name", ["sensitivity", "response"])
def test_images_that_others_could_change_are_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("ISOCENTER_HOME", str(made(tmp_path / "home", 0o777)))
    made(tmp_path / "home" / "cache" / name).joinpath("a.npz").touch()
    folder = paths.cached_dir(name)
    assert not folder.is_relative_to(tmp_path / "home") and not folder.exists()
    (report,) = refused_paths()
    assert f"without the contents of {name} (1)" in report.describe()


def test_keys_in_a_folder_of_another_user_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, give_away: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("ISOCENTER_HOME", str(made(tmp_path / "home")))
    assert paths.key_dir() == tmp_path / "home" / "key"
    give_away(made(tmp_path / "home" / "key", 0o700))
    if os.geteuid() == 0:
        assert not paths.key_dir().is_relative_to(tmp_path / "home")


@pytest.mark.usefixtures("other_group", "reachable")
def test_a_closed_folder_of_keys_stays_in_a_shared_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another key would make all earlier signatures unknown."""
    monkeypatch.setenv("ISOCENTER_HOME", str(made(tmp_path / "home", 0o770)))
    made(tmp_path / "home" / "key", 0o700)
    assert paths.key_dir() == tmp_path / "home" / "key"
