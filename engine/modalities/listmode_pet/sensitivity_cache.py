"""Cache of sensitivity images on disk, by their content.

The key is a digest of everything that the image depends on: scanner, line factors, grid, method and
the number of events (which determines the size of a sample).
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from engine.core.backend import Backend
from engine.core.errors import EngineError
from engine.data.line_factors import fingerprint
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import sweep_parts
from engine.io.safety.seal import seal_of
from engine.io.volumes.npy import DAMAGE
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import Sensitivity

FORMAT = 11
"""Version of the computation; increase it when the result changes."""
MAX_CACHE_BYTES = 2 * 2**30

log = logging.getLogger(__name__)


def key_of(
    data: ListMode, grid: ImageGrid, settings: SensitivitySettings, *, on: Backend | None
) -> str:
    """Return the digest of everything that determines a sensitivity image.

    Parameters
    ----------
    data
        scan with its scanner and line factors
    grid
        grid of the image
    settings
        method, error and seed
    on
        device, whose rounding matters; None for reproducible sums, which are the same on any device
    """
    digest = hashlib.sha256()
    facts = {
        "format": FORMAT,
        "scanner": data.scanner.fingerprint(),
        "grid": [grid.shape, grid.voxel_mm, grid.centre_mm],
        "settings": settings.model_dump(mode="json"),
        "events": data.n_events,
        # Non-reproducible sums differ in their last bits between devices.
        "device": None if on is None else on.label,
    }
    digest.update(json.dumps(facts, sort_keys=True).encode())
    for part in fingerprint(data.line_factors):
        digest.update(part)
    return digest.hexdigest()


def load(folder: Path, key: str, grid: ImageGrid) -> Sensitivity | None:
    """Return the cached image.

    Parameters
    ----------
    folder
        folder of the cache
    key
        digest from `key_of`
    grid
        grid of the image

    Returns
    -------
    found
        None if there is no image or its file is damaged; it is then computed again
    """
    path = folder / f"{key}.npz"
    try:
        # np.load keeps a damaged file open, which Windows could not delete.
        content = io.BytesIO(path.read_bytes())
        with np.load(content, allow_pickle=False) as stored:
            n_lors, n_traced, error, is_ratio = stored["numbers"]
            found = Sensitivity(
                stored["image"], int(n_lors), int(n_traced), float(error), bool(is_ratio)
            )
            seal = str(stored["seal"])
    except FileNotFoundError:
        return None
    except DAMAGE as e:
        log.warning("sensitivity cache: cannot read %s (%s)", path.name, e)
        return None
    # A file that was changed or belongs to another grid must not be used silently.
    if seal != _seal(key, found) or found.image.shape != grid.shape:
        log.warning("sensitivity cache: %s has changed since it was written", path.name)
        return None
    # The access time orders the cache: images that are used stay longest.
    with suppress(OSError):
        os.utime(path)
    return found


def keep(folder: Path, key: str, sensitivity: Sensitivity) -> None:
    """Store an image; a full disk or a read-only folder only costs time in the next run.

    Parameters
    ----------
    folder
        folder of the cache
    key
        digest from `key_of`
    sensitivity
        image to store
    """
    buffer = io.BytesIO()
    numbers = np.array(_numbers(sensitivity))
    seal = np.array(_seal(key, sensitivity))
    np.savez(buffer, image=sensitivity.image, numbers=numbers, seal=seal)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(buffer.getvalue(), folder / f"{key}.npz")
        _trim(folder)
    except (OSError, EngineError) as e:
        log.warning("sensitivity cache: not stored (%s)", e)


# The seal covers the key, so that a renamed file is not used for another scan.
def _seal(key: str, sensitivity: Sensitivity) -> str:
    return seal_of(key=key, image=sensitivity.image, numbers=_numbers(sensitivity))


def _numbers(of: Sensitivity) -> list[float]:
    return [of.n_lors, of.n_traced, of.error_percent, float(of.is_ratio)]


def _trim(folder: Path) -> None:
    """Remove parts of killed processes, and the oldest images beyond the size of the cache."""
    sweep_parts(folder)
    files = sorted(folder.glob("*.npz"), key=lambda f: f.stat().st_mtime, reverse=True)
    total = 0
    for file in files:
        total += file.stat().st_size
        if total > MAX_CACHE_BYTES:
            file.unlink(missing_ok=True)
