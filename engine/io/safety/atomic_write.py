"""Write a file so that either the old or the new version exists, always complete.

The bytes go into a hidden `.part` file in the same folder, reach the disk, are read back from there
and compared, and only then take the place of the old file in one step.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_IMODE

from engine.core.errors import ResourceError
from engine.io.names import refuse_unusable_name
from engine.io.safety.dead_parts import held, part_name, sweep_parts
from engine.io.safety.read_back import forget, refuse_other_bytes

OPEN_TO_UMASK, OWNER_ONLY = 0o666, 0o600
"""Permissions asked for a new file; the user's umask takes away from them."""
MAX_NAME_BYTES = 255
"""Longest name that file systems take."""
MAX_STEM_BYTES = 100
"""Bytes of the target's name in the name of the `.part` file."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)


def write_atomically(
    data: bytes,
    path: Path,
    check: Callable[[Path], None] | None = None,
    *,
    private: bool = False,
) -> None:
    """Write `data` to `path`; whatever fails, the old file stays and no `.part` is left.

    Parameters
    ----------
    data
        the whole content
    path
        target; its folder must exist
    check
        called with the finished `.part` file; raises to keep it from being published
    private
        whether nobody but its owner may read it; else the umask says who may
    """

    def checked(part: Path) -> None:
        refuse_other_bytes(part, (data,), path)
        if check is not None:
            check(part)

    with publishing(path, len(data), checked, private=private) as part:
        part.write_bytes(data)


def write_all(
    files: Mapping[Path, bytes | memoryview], before: Callable[[], None] | None = None
) -> None:
    """Write files that belong together: none takes its place before all are on the disk.

    They take their places in the order given, so that the last may say that all are there;
    `before` is called when all are on the disk, just before.
    """
    with ExitStack() as stack:
        parts = []
        for path, data in files.items():
            part = stack.enter_context(_part_of(path, len(data)))
            part.file.write_bytes(data)
            parts.append(part)
        for part, (path, data) in zip(parts, files.items(), strict=True):
            part.finish()
            refuse_other_bytes(part.file, (data,), path)
        if before is not None:
            before()
        for part in parts:
            part.put_in_place()


def write_with_header(
    path: Path,
    pieces: Callable[[], Iterable[bytes]],
    n_bytes: int,
    header_path: Path,
    header: bytes,
) -> None:
    """Write data that memory may not hold, and their header; an older header goes before they come.

    `pieces` is called twice: for the bytes to write, and for those to compare with the disk's.
    """

    def check(part: Path) -> None:
        refuse_other_bytes(part, pieces(), path)
        header_path.unlink(missing_ok=True)

    def put_data(_: Path) -> None:
        with publishing(path, n_bytes, check) as part, part.open("wb") as stream:
            for piece in pieces():
                stream.write(piece)

    write_atomically(header, header_path, check=put_data)


@contextmanager
def publishing(
    path: Path, n_bytes: int, check: Callable[[Path], None], *, private: bool = False
) -> Iterator[Path]:
    """Yield an empty `.part` file to fill; it becomes `path` when the block ends well.

    A file that is replaced keeps its permissions.

    Parameters
    ----------
    path
        target; its folder must exist
    n_bytes
        how much will be written; refused at once where that much is not free
    check
        called when the `.part` file is on the disk and no copy of it in memory is left, so that
        it reads what the disk, or the share, has kept; raises to keep it from being published
    private
        whether nobody but its owner may read it; else the umask says who may
    """
    with _part_of(path, n_bytes, private=private) as part:
        yield part.file
        part.finish()
        check(part.file)
        part.put_in_place()


@contextmanager
def published_after(path: Path, data: bytes) -> Iterator[None]:
    """Have `data` on the disk, read back, before the block; it becomes `path` when that ends well.

    For what may not be found wrong once the block has changed other files.
    """
    with _part_of(path, len(data)) as part:
        part.file.write_bytes(data)
        part.finish()
        refuse_other_bytes(part.file, (data,), path)
        yield
        part.put_in_place()


@dataclass
class _Part:
    """A file on its way to its place.

    Attributes
    ----------
    file : where it is written
    path : what it is to become
    mode : its permissions then
    is_published : whether it has
    """

    file: Path
    path: Path
    mode: int
    is_published: bool = False

    def finish(self) -> None:
        """Have it on the disk."""
        file_to_disk(self.file)

    def put_in_place(self) -> None:
        """Put it in its place, for certain."""
        self.file.chmod(self.mode)
        self.file.replace(self.path)
        self.is_published = True
        folder_to_disk(self.path.parent)


@contextmanager
def _part_of(path: Path, n_bytes: int, *, private: bool = False) -> Iterator[_Part]:
    """Yield an empty part, which is removed in the end unless it was published."""
    path = _real(path)
    refuse_impossible(path, n_bytes)
    part: _Part | None = None
    try:
        file = _new_part(path)
        part = _Part(file, path, OWNER_ONLY)
        part.mode = OWNER_ONLY if private else _permissions(path, file)
        file.chmod(OWNER_ONLY)  # nobody else reads a file that is not whole
        with held(file):
            yield part
    except OSError as e:
        raise explained(e, path, n_bytes) from e
    finally:
        if part is not None and not part.is_published:
            with suppress(OSError):
                part.file.unlink()


def _new_part(path: Path) -> Path:
    """Make an empty file under a name that nobody has; its permissions follow the umask."""
    stem = os.fsencode(path.name)[:MAX_STEM_BYTES].decode(errors="ignore")
    sweep_parts(path.parent, stem)
    part = path.with_name(part_name(stem))
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, OPEN_TO_UMASK))
    return part


def _permissions(path: Path, part: Path) -> int:
    """Return the permissions of the file that is replaced, of a new one where there is none."""
    return S_IMODE((path if path.exists() else part).stat().st_mode)


def _real(path: Path) -> Path:
    """Follow links, so that a link keeps pointing at the file that is replaced."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as e:  # Python 3.11 and 3.12 raise RuntimeError on a loop
        raise ResourceError(f"{path}: this link is broken; choose another name.") from e


def refuse_impossible(path: Path, n_bytes: int = 0) -> None:
    """Refuse a target that can be seen not to take `n_bytes`, before any work is spent on it."""
    try:
        _refuse_place(path)
    except OSError as e:
        raise explained(e, path, n_bytes) from e
    except ValueError as e:
        raise ResourceError(f"{path.name!r}: not a valid file name ({e}); choose another.") from e
    free = shutil.disk_usage(path.parent).free
    if free < n_bytes:
        raise ResourceError(_full(path, n_bytes, free))


def _refuse_place(path: Path) -> None:
    refuse_unusable_name(path.name)
    length = len(os.fsencode(path.name))
    if length > MAX_NAME_BYTES:
        raise ResourceError(
            f"{path.name[:20]}…: the name has {length:,} bytes, but file systems allow "
            f"{MAX_NAME_BYTES}; choose a shorter one."
        )
    if not path.parent.is_dir():
        raise ResourceError(
            f"{path.name}: the folder {path.parent} does not exist; create it or choose another."
        )
    if path.is_dir():
        raise ResourceError(f"{path}: this is a folder; give the name of a file.")
    if path.exists() and not path.is_file():
        raise ResourceError(f"{path}: this is a device or a pipe; give the name of a file.")
    if not os.access(path.parent, os.W_OK):
        raise ResourceError(_forbidden(path))


def _full(path: Path, n_bytes: int, free: int) -> str:
    return (
        f"{path.name}: needs {n_bytes:,} bytes, but {free:,} are free in {path.parent}; nothing "
        "was changed, so free some space or choose another folder."
    )


def _forbidden(path: Path) -> str:
    return (
        f"{path.name}: no permission to write in {path.parent}; choose another folder, or close "
        "the program that uses the file."
    )


def explained(e: OSError, path: Path, n_bytes: int) -> ResourceError:
    """Return the sentence for what the system said while `n_bytes` were written to a path."""
    if e.errno in FULL:
        return ResourceError(_full(path, n_bytes, shutil.disk_usage(path.parent).free))
    if isinstance(e, PermissionError):
        return ResourceError(_forbidden(path))
    return ResourceError(
        f"{path.name}: could not be written ({e.strerror or e}); nothing was changed, so choose "
        "another folder."
    )


def file_to_disk(file: Path) -> None:
    """Have a file on the disk, and no copy of it in memory."""
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())
        forget(handle.fileno())


def folder_to_disk(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can do that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
