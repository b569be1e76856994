"""Writing a file so that it is either the old one, whole, or the new one, whole.

The bytes go into a hidden `.part` file in the same folder, reach the disk, are checked, and only
then take the place of the old file in one step.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import ResourceError

READABLE_BY_ALL = 0o644
"""mkstemp makes files that only their owner may read; colleagues must be able to."""
MAX_STEM = 100
"""Characters of the target's name in the name of the `.part` file (folders allow 255 bytes)."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)


def write_atomically(data: bytes, path: Path, check: Callable[[Path], None] | None = None) -> None:
    """Write `data` to `path`; whatever fails, the old file stays and no `.part` is left.

    Parameters
    ----------
    data
        the whole content
    path
        target; its folder must exist
    check
        called with the finished `.part` file; raises to keep it from being published
    """
    with publishing(path, len(data)) as part:
        part.write_bytes(data)
        if check is not None:
            _to_disk(part)
            check(part)


@contextmanager
def publishing(path: Path, n_bytes: int) -> Iterator[Path]:
    """Yield an empty `.part` file to fill; it becomes `path` when the block ends well.

    Parameters
    ----------
    path
        target; its folder must exist
    n_bytes
        how much will be written; refused at once where that much is not free
    """
    path = _real(path)
    refuse_impossible(path, n_bytes)
    part: Path | None = None
    try:
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name[:MAX_STEM]}.", suffix=".part"
        )
        os.close(handle)
        part = Path(name)
        yield part
        _to_disk(part)
        part.chmod(READABLE_BY_ALL)
        part.replace(path)
        part = None
        _folder_to_disk(path.parent)
    except OSError as e:
        raise _explained(e, path, n_bytes) from e
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink()


def _real(path: Path) -> Path:
    """Follow links, so that a link keeps pointing at the file that is replaced."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as e:  # Python 3.11 and 3.12 raise RuntimeError on a loop
        raise ResourceError(f"{path}: the link leads nowhere; choose another name.") from e


def refuse_impossible(path: Path, n_bytes: int = 0) -> None:
    """Refuse a target that can be seen not to take `n_bytes`, before any work is spent on it."""
    if not path.parent.is_dir():
        raise ResourceError(
            f"{path.name}: there is no folder {path.parent}; make it or choose another."
        )
    if path.is_dir():
        raise ResourceError(f"{path}: this is a folder; give the name of a file.")
    if not os.access(path.parent, os.W_OK):
        raise ResourceError(_forbidden(path))
    free = shutil.disk_usage(path.parent).free
    if free < n_bytes:
        raise ResourceError(_full(path, n_bytes, free))


def _full(path: Path, n_bytes: int, free: int) -> str:
    return (
        f"{path.name}: needs {n_bytes:,} bytes and {free:,} are free in {path.parent}; "
        "nothing was changed, so make room or choose another folder."
    )


def _forbidden(path: Path) -> str:
    return (
        f"{path.name}: no permission to write in {path.parent}; choose another folder, or close "
        "the program that holds the file."
    )


def _explained(e: OSError, path: Path, n_bytes: int) -> ResourceError:
    if e.errno in FULL:
        return ResourceError(_full(path, n_bytes, shutil.disk_usage(path.parent).free))
    if isinstance(e, PermissionError):
        return ResourceError(_forbidden(path))
    return ResourceError(
        f"{path.name}: could not be written ({e.strerror or e}); nothing was changed, "
        "choose another folder."
    )


def _to_disk(file: Path) -> None:
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())


def _folder_to_disk(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
