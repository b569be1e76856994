"""Compiled kernels are pickles. They are never unpickled if other users can write them.

Cases: an index and a data file that others can write; a folder of NUMBA_CACHE_DIR that others
own or can write; a data file outside the folder.
"""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from numba.core import caching

from engine.core import private_files
from engine.core.private_files import refused_paths
from engine.kernels import compile_cache
from engine.kernels.compile_cache import _PrivateFiles

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has no such owners and modes")


class Code:
    """An object that runs code when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


def planted(folder: Path, mode: int) -> tuple[_PrivateFiles, Path]:
    """Return kernel files with an index that runs code, and the file that the code creates."""
    mark, files = folder / "code ran", _PrivateFiles(str(folder), "kernel", "stamp")
    index = Path(files._index_path)
    index.write_bytes(pickle.dumps(caching.numba.__version__) + pickle.dumps(Code(mark)))
    (folder / "kernel.1.nbc").write_bytes(pickle.dumps(Code(mark)))
    for path in folder.iterdir():
        path.chmod(mode)
    return files, mark


@pytest.mark.parametrize("mode", [0o666, 0o646, 0o602])
def test_files_writable_by_others_are_not_unpickled(tmp_path: Path, mode: int) -> None:
    files, mark = planted(tmp_path, mode)
    assert files._load_index() == {}
    with pytest.raises(FileNotFoundError):
        files._load_data("kernel.1.nbc")
    assert files.load("key") is None and not mark.exists()


def test_planted_code_runs_without_the_check(tmp_path: Path) -> None:
    files, mark = planted(tmp_path, 0o644)
    files._load_data("kernel.1.nbc")
    assert mark.exists()


def test_data_file_in_another_folder_is_not_unpickled(tmp_path: Path) -> None:
    files, mark = planted(tmp_path, 0o644)
    _, _ = planted(tmp_path, 0o644)
    with pytest.raises(FileNotFoundError):
        files._load_data(f"../{tmp_path.name}/kernel.1.nbc")
    assert not mark.exists()


@pytest.mark.parametrize("how", ["mode", "owner"])
def test_kernels_are_compiled_in_another_folder_if_others_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    if how == "owner" and os.geteuid() != 0:
        pytest.skip("only the administrator can give a folder to another user")
    os.chown(shared, 4343 if how == "owner" else -1, -1)
    shared.chmod(0o777 if how == "mode" else 0o755)
    monkeypatch.setattr(private_files, "_refused", {})
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(shared))
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))

    folder = compile_cache.cache_folder.__wrapped__()

    assert folder is not None and folder.parent == tmp_path / "home/cache"
    (report,) = refused_paths()
    assert report.path == shared and str(folder.parent) in report.describe()


def test_files_written_under_a_loose_umask_are_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        files = _PrivateFiles(str(tmp_path), "kernel", "stamp")
        files.save("key", "value")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o022 for path in tmp_path.iterdir()} == {0}
    assert files.load("key") == "value"


def test_shared_home_uses_the_private_cache_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shared", "home/cache"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name).chmod(0o777)
    monkeypatch.setattr(private_files, "_refused", {})
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "shared"))
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(compile_cache, "user_cache_dir", lambda: tmp_path / "own")

    folder = compile_cache.cache_folder.__wrapped__()

    assert folder is not None and folder.parent == tmp_path / "own"
    assert {each.path.name for each in refused_paths()} == {"shared", "cache"}
