"""Cache of response matrices on disk, by scanner and settings.

An interrupted build continues from its parts, which are next to the file of the matrix.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engine.core.errors import FileFormatError, GeometryError, ResourceError
from engine.data.layered_response import StoredResponse
from engine.geometry.dual_head import DualHead
from engine.io.hdf5.response import read_response
from engine.io.safety.locks import after_others, is_in_use, sweep_parts
from engine.modalities.dual_head_pet.response.identity import path_of, plan_of
from engine.modalities.dual_head_pet.response.layered import build_response
from engine.modalities.dual_head_pet.response.parts import forget_other_parts
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse

MAX_BYTES = 12 * 2**30
"""Largest size of all stored matrices and parts; the oldest are removed first."""
ABANDONED_S = 24 * 3600.0
"""Time without new parts after which a build counts as abandoned.

An active one adds some per minute.
"""

OnProgress = Callable[[int, int], None]

log = logging.getLogger(__name__)


def find(folder: Path, scanner: DualHead, settings: AnalyticResponse) -> StoredResponse | None:
    """Return the cached matrix.

    Parameters
    ----------
    folder
        folder of the cache
    scanner
        panels with their image
    settings
        settings of the response

    Returns
    -------
    find
        None if there is no matrix or its file is damaged; it is then computed again
    """
    path = path_of(folder, scanner, settings)
    if not path.exists():
        return None
    try:
        matrix = read_response(path, scanner)
        # The access time orders the cache: matrices that are used stay longest.
        with suppress(OSError):
            os.utime(path)
        return matrix
    # Another process has removed it in the meantime.
    except ResourceError:
        return None
    except (FileFormatError, GeometryError) as e:
        log.warning("response cache: recomputing %s (%s)", path.name, e)
        path.unlink(missing_ok=True)
        return None


def build(
    folder: Path,
    scanner: DualHead,
    settings: AnalyticResponse,
    *,
    threads: int,
    on_progress: OnProgress | None = None,
) -> StoredResponse:
    """Return a matrix from a new or interrupted build, and store it.

    If another process builds the same matrix, its result is awaited.

    Parameters
    ----------
    folder
        folder of the cache
    scanner
        panels with their image
    settings
        settings of the response
    threads
        number of threads
    on_progress
        called with the work done and in total; may raise to stop

    Raises
    ------
    ResourceError
        if the folder cannot be used
    """
    path = path_of(folder, scanner, settings)
    with after_others(path, lambda: on_progress(0, 1) if on_progress else None):
        # Checked again after waiting, because the other process has usually finished it.
        found = find(folder, scanner, settings)
        if found is not None:
            return found
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _trim(folder, path)
            forget_other_parts(path, plan_of(scanner, settings))
        except OSError as e:
            raise ResourceError(
                f"{folder}: the response matrix cannot be stored in this folder "
                f"({e.strerror or e}); compute it with `isocenter response build` and add its "
                "file to the study."
            ) from e
        return build_response(scanner, settings, path, threads=threads, on_progress=on_progress)


def is_being_built(folder: Path, scanner: DualHead, settings: AnalyticResponse) -> bool:
    """Return True if a process is building the matrix now.

    Parameters
    ----------
    folder
        folder of the cache
    scanner
        panels with their image
    settings
        settings of the response
    """
    return is_in_use(path_of(folder, scanner, settings))


def _trim(folder: Path, wanted: Path) -> None:
    """Remove the oldest matrices and abandoned parts beyond the size of the cache."""
    sweep_parts(folder)
    n_bytes, now = 0, time.time()
    # The most recent first, so that the oldest exceed the limit.
    for changed_s, size, path in sorted(_stored_matrices(folder), reverse=True):
        n_bytes += size
        # The parts of this build count, but must not be removed.
        if n_bytes <= MAX_BYTES or path.name == f"{wanted.name}.parts":
            continue
        if path.suffix == ".h5":
            with suppress(OSError):  # Windows cannot remove a file that another program has open
                path.unlink()
        elif now - changed_s > ABANDONED_S:
            shutil.rmtree(path, ignore_errors=True)


def _stored_matrices(folder: Path) -> list[tuple[float, int, Path]]:
    """Return modification time [s], size and path of all matrices and folders of parts."""
    found = []
    for path in (*folder.glob("*.h5"), *folder.glob("*.h5.parts")):
        with suppress(FileNotFoundError):  # a build that ends meanwhile removes its parts
            files = path.iterdir() if path.is_dir() else [path]
            size = sum(file.stat().st_size for file in files)
            found.append((path.stat().st_mtime, size, path))
    return found
