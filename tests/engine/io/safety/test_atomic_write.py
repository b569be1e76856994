"""Tests of writing files: the complete old or new file, never a part, one sentence on failure."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.core.errors import DataError, ResourceError
from engine.io.safety import locks
from engine.io.safety.atomic_write import published_after, publishing, write_atomically

resource = pytest.importorskip("resource", reason="file size limits need POSIX")
not_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write to every folder"
)


def _nothing(_: Path) -> None:
    """Accept any file."""


def parts(folder: Path) -> list[Path]:
    return list(folder.glob("*.part")) + list(folder.glob(".*.part"))


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o007, 0o660)])
def test_new_file_has_the_permissions_of_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(b"volume", tmp_path / "a.bin")
    finally:
        os.umask(before)
    assert (tmp_path / "a.bin").read_bytes() == b"volume"
    assert (tmp_path / "a.bin").stat().st_mode & 0o777 == mode
    assert not parts(tmp_path)


def test_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    target.chmod(0o440)
    write_atomically(b"new", target)
    assert target.read_bytes() == b"new" and target.stat().st_mode & 0o777 == 0o440


def test_private_file_is_readable_only_by_its_owner(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    target.chmod(0o644)
    write_atomically(b"new", target, private=True)
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["n" * 256, "ä" * 128 + ".h5", "名" * 90])
def test_too_long_name_gives_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(ResourceError, match="choose a shorter name"):
        write_atomically(b"volume", tmp_path / name)


def test_too_long_folder_name_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="could not be written"):
        write_atomically(b"volume", tmp_path / ("f" * 300) / "a.bin")


def test_device_is_not_replaced() -> None:
    with pytest.raises(ResourceError, match="device or a pipe"):
        write_atomically(b"volume", Path("/dev/null"))


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, bytes | None]]:
    """Record the order of syncs: "file" or "folder", with the target's content at that time."""
    syncs: list[tuple[str, bytes | None]] = []
    sync = os.fsync

    def noted(handle: int) -> None:
        status, target = os.fstat(handle), tmp_path / "a.bin"
        if stat.S_ISDIR(status.st_mode):
            assert status.st_ino == tmp_path.stat().st_ino
            syncs.append(("folder", target.read_bytes() if target.exists() else None))
        else:
            (part,) = (each for each in tmp_path.iterdir() if each.stat().st_ino == status.st_ino)
            assert part.read_bytes() == b"new", "the part must be complete when it is synced"
            syncs.append(("file", target.read_bytes() if target.exists() else None))
        sync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    return syncs


def test_file_is_synced_before_its_rename_and_the_folder_after(
    tmp_path: Path, synced: list[tuple[str, bytes | None]]
) -> None:
    (tmp_path / "a.bin").write_bytes(b"old")
    write_atomically(b"new", tmp_path / "a.bin")
    assert synced == [("file", b"old"), ("folder", b"new")]


def test_check_reads_the_content_on_disk(
    tmp_path: Path, synced: list[tuple[str, bytes | None]]
) -> None:
    before: list[str] = []
    write_atomically(b"new", tmp_path / "a.bin", lambda _: before.extend(k for k, _ in synced))
    assert before == ["file"]
    assert synced[-1] == ("folder", b"new")


def test_failed_sync_keeps_the_old_file_and_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    (tmp_path / "a.bin").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(ResourceError, match=r"could not be written .Input/output error"):
        write_atomically(b"new", tmp_path / "a.bin")
    assert [each.name for each in tmp_path.iterdir()] == ["a.bin"]
    assert (tmp_path / "a.bin").read_bytes() == b"old"


def test_exactly_the_free_space_is_sufficient(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=100)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    write_atomically(bytes(100), tmp_path / "a.bin")
    with pytest.raises(ResourceError, match="needs 101 bytes, but 100 are free"):
        write_atomically(bytes(101), tmp_path / "b.bin")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_full_disk_is_reported_with_the_free_bytes(tmp_path: Path, number: int) -> None:
    with (
        pytest.raises(ResourceError, match=r"a\.bin: needs 50 bytes, but [\d,]+ are free"),
        publishing(tmp_path / "a.bin", 50, _nothing),
    ):
        raise OSError(number, os.strerror(number))
    assert list(tmp_path.iterdir()) == []


def test_missing_permission_is_reported(tmp_path: Path) -> None:
    with (
        pytest.raises(ResourceError, match="no permission to write"),
        publishing(tmp_path / "a.bin", 1, _nothing),
    ):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert list(tmp_path.iterdir()) == []


def test_part_is_hidden_and_in_the_folder_of_its_target(tmp_path: Path) -> None:
    with publishing(tmp_path / "a.bin", 0, _nothing) as part:
        assert part.parent == tmp_path and part.name.startswith(".a.bin.")
        assert part.stat().st_size == 0 and part.stat().st_mode & 0o077 == 0
    with publishing(tmp_path / ("n" * 250), 0, _nothing) as part:
        assert part.name.startswith(f".{'n' * 100}.")
        assert len(part.name) <= 143  # limit of an encrypted home


def test_failed_check_keeps_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")

    def refuse(part: Path) -> None:
        raise DataError(f"{part.read_bytes()!r} is damaged")

    with pytest.raises(DataError, match="new"):
        write_atomically(b"new", target, refuse)
    assert target.read_bytes() == b"old"
    assert not parts(tmp_path)


def test_check_sees_the_complete_content(tmp_path: Path) -> None:
    syncs = []
    write_atomically(
        b"x" * 10_000, tmp_path / "a.bin", lambda part: syncs.append(part.stat().st_size)
    )
    assert syncs == [10_000]


def test_disk_that_fills_up_keeps_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, hard))
    try:
        with pytest.raises(ResourceError, match=r"needs 1,000,000 bytes, but [\d,]+ are free"):
            write_atomically(bytes(1_000_000), target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_bytes() == b"old"
    assert not parts(tmp_path)


def test_too_little_space_is_refused_before_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=99)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ResourceError, match="needs 100 bytes, but 99 are free"):
        write_atomically(bytes(100), tmp_path / "a.bin")
    assert not list(tmp_path.iterdir())


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="does not exist"):
        write_atomically(b"x", tmp_path / "nowhere" / "a.bin")


def test_folder_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="this is a folder"):
        write_atomically(b"x", tmp_path)


@not_root
def test_read_only_folder_is_reported_as_missing_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ResourceError, match="no permission"):
            write_atomically(b"x", tmp_path / "a.bin")
    finally:
        tmp_path.chmod(0o700)


def test_link_points_to_the_new_content(tmp_path: Path) -> None:
    (tmp_path / "real.bin").write_bytes(b"old")
    (tmp_path / "link.bin").symlink_to(tmp_path / "real.bin")
    write_atomically(b"new", tmp_path / "link.bin")
    assert (tmp_path / "link.bin").is_symlink()
    assert (tmp_path / "real.bin").read_bytes() == b"new"


def test_loop_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(ResourceError, match="a"):
        write_atomically(b"new", tmp_path / "a" / "c.bin")


def test_long_name_is_written(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 250)
    write_atomically(b"x", target)
    assert target.read_bytes() == b"x"


WRITER = """
import sys
from pathlib import Path
from engine.io.safety.atomic_write import write_atomically
k = 0
while True:
    k += 1
    write_atomically(bytes([k % 256]) * 3_000_000, Path(sys.argv[1]))
    print(k, flush=True)
"""


def test_kill_while_writing_leaves_a_complete_file(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.readline()
        child.kill()
        child.wait()
        child.stdout.close()
        content = target.read_bytes()
        assert len(content) == 3_000_000
        assert content == content[:1] * 3_000_000


class TestDeadParts:
    """The next write removes parts of killed processes. Parts of running processes stay."""

    @pytest.fixture(autouse=True)
    def no_wait(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(locks, "NEW_S", -1.0)

    def test_dead_parts_of_the_same_file_are_removed(self, tmp_path: Path) -> None:
        dead = tmp_path / locks.part_name("a.nii")
        other = tmp_path / locks.part_name("b.nii")
        foreign = tmp_path / ".a.nii.0123abcd.000000000000.part"
        for part in (dead, other, foreign):
            part.write_bytes(b"begun")
        write_atomically(b"whole", tmp_path / "a.nii")
        assert set(tmp_path.iterdir()) == {tmp_path / "a.nii", other, foreign}

    def test_part_of_a_live_process_stays(self, tmp_path: Path) -> None:
        with publishing(tmp_path / "a", 1, _nothing) as part:
            part.write_bytes(b"1")
            write_atomically(b"2", tmp_path / "a")
            locks.sweep_parts(tmp_path)
            assert part.read_bytes() == b"1"
        assert [path.name for path in tmp_path.iterdir()] == ["a"]
        assert (tmp_path / "a").read_bytes() == b"1"

    def test_old_parts_in_our_own_folder_are_removed(self, tmp_path: Path) -> None:
        foreign, old = tmp_path / ".a.0123abcd.1.part", tmp_path / ".a.0123abcd.2.part"
        for part in (foreign, old):
            part.write_bytes(b"begun")
        os.utime(old, (1e9, 1e9))
        locks.sweep_parts(tmp_path)
        assert list(tmp_path.iterdir()) == [foreign]


RESERVED_BY_WINDOWS = ("CON", "nul.h5", "Aux.nii.gz", "COM1.png", "lpt³.h5", "prn .txt", "CONIN$")


@pytest.mark.parametrize("name", [*RESERVED_BY_WINDOWS, "com0", "a.", "a "])
def test_reserved_or_truncated_windows_name_gives_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(ResourceError, match=r"Windows .*\. Choose another name\.$") as e:
        write_atomically(b"volume", tmp_path / name)
    assert repr(name) in str(e.value) and "\n" not in str(e.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["CON-scan.h5", "console", "a.nul", "com10.h5", "aux_1", "..a"])
def test_name_similar_to_a_reserved_one_is_written(tmp_path: Path, name: str) -> None:
    write_atomically(b"volume", tmp_path / name)
    assert (tmp_path / name).read_bytes() == b"volume"


@pytest.mark.skipif(os.name == "nt", reason="links need permission on Windows")
def test_link_in_place_of_a_second_output_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "mine.txt", tmp_path / "x.provenance.json"
    target.write_bytes(b"precious")
    link.symlink_to(target)
    with published_after(link, b"new"):
        pass
    assert (target.read_bytes(), link.read_bytes()) == (b"precious", b"new")
    assert not link.is_symlink()
