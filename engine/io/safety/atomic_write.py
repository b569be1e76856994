"""Write a file so that either the old or the new version exists, always complete.

The bytes are written to a hidden `.part` file in the same folder, flushed to the disk, read back
and compared. Only then does the part replace the old file in one step.

Written data are read back from the disk or share, not from the page cache.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE

from engine.core.errors import ResourceError
from engine.io.names import refuse_unusable_name
from engine.io.safety.locks import locked_part, part_name, sweep_parts
from engine.io.safety.open_input import open_input

OPEN_TO_UMASK, OWNER_ONLY = 0o666, 0o600
"""Permissions requested for a new file; the umask of the user reduces them."""
# NAME_MAX of all common file systems. It counts bytes, not letters, so UTF-8 names are shorter.
MAX_NAME_BYTES = 255
"""Longest file name."""
MAX_STEM_BYTES = 100
"""Bytes of the target's name in the name of the `.part` file."""
# Disk full, quota exceeded, file too large (such as 4 GiB on FAT): the same remedy.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
PIECE_BYTES = 2**20


def write_atomically(
    data: bytes,
    path: Path,
    check: Callable[[Path], None] | None = None,
    *,
    private: bool = False,
) -> None:
    """Write `data` to `path`; after an error the old file is unchanged and no `.part` remains.

    Parameters
    ----------
    data
        complete content
    path
        target; its folder must exist
    check
        called with the finished `.part` file; an exception prevents the replacement
    private
        True: only the owner may read the file; False: the umask decides

    Raises
    ------
    ResourceError
        if the target cannot be written, or the bytes read back differ
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
    """Write files that belong together; none replaces its target until all are on the disk.

    Parameters
    ----------
    files
        target -> content, in the order of replacement. The last file must be the one that marks the
        others as complete
    before
        called after all are on the disk, just before the first replacement

    Raises
    ------
    ResourceError
        if a target cannot be written, or the bytes read back differ
    """
    # If a step fails, the stack removes the parts that have not replaced their targets.
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
    """Write data that can exceed the memory, and their header.

    Parameters
    ----------
    path
        target of the data
    pieces
        called twice: for the bytes to write, and for the bytes to compare with the disk
    n_bytes
        size of the data, which must be free on the disk
    header_path
        target of the header
    header
        complete content of the header
    """

    def check(part: Path) -> None:
        refuse_other_bytes(part, pieces(), path)
        # Old header with new data would be read as a valid image. Without a header the data are not
        # opened.
        header_path.unlink(missing_ok=True)

    def put_data(_: Path) -> None:
        with publishing(path, n_bytes, check) as part, part.open("wb") as stream:
            for piece in pieces():
                stream.write(piece)

    # The data are written within the check of the header: if they fail, so does the header.
    write_atomically(header, header_path, check=put_data)


@contextmanager
def publishing(
    path: Path, n_bytes: int, check: Callable[[Path], None], *, private: bool = False
) -> Iterator[Path]:
    """Open an empty `.part` file to fill; it replaces `path` when the block ends without an error.

    A replaced file keeps its permissions.

    Parameters
    ----------
    path
        target; its folder must exist
    n_bytes
        size of the content; refused at once if less is free
    check
        called after the `.part` file was flushed and dropped from the page cache, so that it reads
        from
        the disk or share; an exception prevents the replacement
    private
        True: only the owner may read the file; False: the umask decides

    Yields
    ------
    part
        path of the `.part` file
    """
    with _part_of(path, n_bytes, private=private) as part:
        yield part.file
        part.finish()
        check(part.file)
        part.put_in_place()


@contextmanager
def published_after(path: Path, data: bytes) -> Iterator[None]:
    """Flush `data` to the disk before the block; the file replaces `path` when the block succeeds.

    Use it for a file that must not fail after the block has changed other files. The user has not
    named it: a link with its name is replaced, and the file that it leads to stays.
    """
    with _part_of(path, len(data), follows_links=False) as part:
        part.file.write_bytes(data)
        part.finish()
        refuse_other_bytes(part.file, (data,), path)
        yield
        part.put_in_place()


@dataclass
class _Part:
    """A file that is being written.

    Attributes
    ----------
    file : temporary file
    path : final name
    mode : final permissions
    is_published : True after the replacement
    """

    file: Path
    path: Path
    mode: int
    is_published: bool = False

    def finish(self) -> None:
        """Flush the file to the disk."""
        file_to_disk(self.file)

    def put_in_place(self) -> None:
        """Replace the target in one step, and flush the new name to the disk."""
        self.file.chmod(self.mode)
        self.file.replace(self.path)
        self.is_published = True
        folder_to_disk(self.path.parent)


@contextmanager
def _part_of(
    path: Path, n_bytes: int, *, private: bool = False, follows_links: bool = True
) -> Iterator[_Part]:
    """Yield an empty part; at the end it is removed unless it has replaced the target."""
    path = _real(path) if follows_links else _real(path.parent) / path.name
    refuse_impossible(path, n_bytes)
    part: _Part | None = None
    try:
        file = _new_part(path)
        # Set before the permissions are read, so that an error there removes the file too.
        part = _Part(file, path, OWNER_ONLY)
        part.mode = OWNER_ONLY if private else _permissions(path, file)
        file.chmod(OWNER_ONLY)  # other users must not read an incomplete file
        with locked_part(file):
            yield part
    except OSError as e:
        raise explained(e, path, n_bytes) from e
    finally:
        if part is not None and not part.is_published:
            with suppress(OSError):
                part.file.unlink()


def _new_part(path: Path) -> Path:
    """Create an empty file with a unique name; its permissions follow the umask."""
    # Cut in bytes, because the mark and the random part must still fit in the longest file name.
    stem = os.fsencode(path.name)[:MAX_STEM_BYTES].decode(errors="ignore")
    sweep_parts(path.parent, stem)
    part = path.with_name(part_name(stem))
    # O_EXCL fails if the name exists, even as a link, so another user cannot redirect the data.
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, OPEN_TO_UMASK))
    return part


def _permissions(path: Path, part: Path) -> int:
    """Return the permissions of the replaced file, or of the new part if there is none."""
    return S_IMODE((path if path.exists() else part).stat().st_mode)


def _real(path: Path) -> Path:
    """Resolve links, so that a link still points to the file after its replacement."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as e:  # Python 3.11 and 3.12 raise RuntimeError on a loop
        raise ResourceError(f"{path}: this link is broken; choose another name.") from e


def refuse_impossible(path: Path, n_bytes: int = 0) -> None:
    """Refuse a target that cannot be written, before any work is done.

    Parameters
    ----------
    path
        target file
    n_bytes
        size of the content, which must be free on the disk

    Raises
    ------
    ResourceError
        if the name is not allowed, the folder is missing or read-only, the target is not a regular
        file, or
        the disk is full
    """
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
            f"{path.name[:20]}…: the name has {length:,} bytes, but file systems allow at most "
            f"{MAX_NAME_BYTES}; choose a shorter name."
        )
    # Before Python 3.14, `is_dir` raises an error for names that are too long; `stat` always does.
    with suppress(FileNotFoundError, NotADirectoryError):
        path.parent.stat()
    if not path.parent.is_dir():
        raise ResourceError(
            f"{path.name}: the folder {path.parent} does not exist; create it or choose another."
        )
    if path.is_dir():
        raise ResourceError(f"{path}: this is a folder; give the name of a file.")
    # Replacing a device or a pipe would remove it, which root can do to /dev/null.
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
        "the program that is using the file."
    )


def explained(e: OSError, path: Path, n_bytes: int) -> ResourceError:
    """Return the error for an exception of the system while `n_bytes` were written to a path."""
    if e.errno in FULL:
        return ResourceError(_full(path, n_bytes, shutil.disk_usage(path.parent).free))
    # Windows raises this too if another program has the file open.
    if isinstance(e, PermissionError):
        return ResourceError(_forbidden(path))
    return ResourceError(
        f"{path.name}: could not be written ({e.strerror or e}); nothing was changed, so choose "
        "another folder."
    )


def file_to_disk(file: Path) -> None:
    """Flush a file to the disk, and drop its copy in memory."""
    # Windows cannot flush a file that is open for reading only.
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())
        forget(handle.fileno())


def folder_to_disk(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system supports it."""
    # Windows cannot open a folder as a file, and NTFS logs changes of names itself.
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_pieces(
    path: Path,
    pieces: Iterable[bytes | memoryview],
    n_bytes: int,
    before: Callable[[str], None],
) -> None:
    """Write a file piece by piece, and compare the digest of the data on the disk.

    Parameters
    ----------
    path
        target; its folder must exist
    pieces
        the content in order
    n_bytes
        size of the content; refused at once if less is free
    before
        called with the SHA-256 of the data on the disk, just before they replace the target; an
        exception
        prevents that

    Raises
    ------
    ResourceError
        if the target cannot be written, or the data read back differ
    """
    # A digest instead of a second pass over the pieces, which can be an iterator or a computation.
    written = sha256()

    def check(part: Path) -> None:
        with open_input(part) as file:
            if file.sha256() != written.hexdigest():
                raise other_bytes(path)
        before(written.hexdigest())

    with publishing(path, n_bytes, check) as part, part.open("wb") as stream:
        for piece in pieces:
            written.update(piece)
            stream.write(piece)


def forget(descriptor: int) -> None:
    """Ask the system to drop its cached copy of a file, where that is possible."""
    # Only pages that are already on the disk are dropped, so call this after fsync
    # (posix_fadvise(2)).
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def refuse_other_bytes(part: Path, pieces: Iterable[bytes | memoryview], path: Path) -> None:
    """Refuse a file that does not contain the data that were written.

    Parameters
    ----------
    part
        file to read
    pieces
        the written data in order
    path
        final name, for the message

    Raises
    ------
    ResourceError
        if bytes differ, are missing, or follow the data
    """
    with part.open("rb") as file:
        for piece in pieces:
            for start in range(0, len(piece), PIECE_BYTES):
                # Python compares bytes at once, but the items of a memoryview one by one.
                wanted = bytes(piece[start : start + PIECE_BYTES])
                if file.read(len(wanted)) != wanted:
                    raise other_bytes(path)
        if file.read(1):
            raise other_bytes(path)


def other_bytes(path: Path) -> ResourceError:
    """Return the error for a disk or share that returns other bytes than were written."""
    return ResourceError(
        f"{path.name}: data read back from {path.parent} differ from the written data; nothing was "
        "changed, so choose another folder and check this disk or share."
    )
