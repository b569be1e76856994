"""Finished replicates of an error map on disk, so that a resumed run does not repeat them.

Each replicate is a file with its number as name: a digest, then little-endian float32 values
[z, y, x]. The digest also covers a key of the image and the settings, so that neither a damaged
file nor a file of another run is accepted. A resumed run uses the files before the first gap.
"""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import EngineError, ResourceError
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import open_input

FOLDER = "replicates"
DIGEST_BYTES = 32
Image = NDArray[np.float32]

log = logging.getLogger(__name__)


@dataclass
class StoredReplicates:
    """Finished replicates of one image.

    Attributes
    ----------
    folder : folder of the files; None to store nothing
    key : digest of everything that the replicates depend on
    """

    folder: Path | None
    key: bytes

    @classmethod
    def of(cls, job: Path | None, image: Image, *settings: object) -> StoredReplicates:
        """Return the replicates of an image in the folder of a job.

        Parameters
        ----------
        job
            folder of files that outlive the run; None if there is none
        image
            (n_z, n_y, n_x) image of the run
        settings
            all other values on which the replicates depend; their text is compared
        """
        key = sha256(np.ascontiguousarray(image, "<f4").data)
        key.update(repr((image.shape, settings)).encode())
        return cls(None if job is None else job / FOLDER, key.digest())

    def add(self, number: int, image: Image) -> None:
        """Store a replicate. If the disk is full, this and later ones are not stored.

        Parameters
        ----------
        number
            number of the replicate, from 0
        image
            (n_z, n_y, n_x) its finished image
        """
        folder = self.folder
        if folder is None:
            return
        values = np.ascontiguousarray(image, "<f4").tobytes()
        try:
            folder.mkdir(exist_ok=True)
            data = self._digest(number, values) + values
            write_atomically(data, folder / _name(number), private=True)
        except (OSError, ResourceError) as e:
            # The run itself needs no file.
            log.warning("replicate %d is not stored: %s", number, e)
            self.remove()
            self.folder = None

    def read(self, shape: tuple[int, ...]) -> list[Image]:
        """Return the replicates before the first gap.

        Parameters
        ----------
        shape
            (n_z, n_y, n_x) of an image
        """
        found: list[Image] = []
        folder, n_bytes = self.folder, 4 * int(np.prod(shape))
        while folder is not None:
            try:
                with open_input(folder / _name(len(found))) as file:
                    data = file.read()
            except EngineError:
                break
            digest, values = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
            # A damaged file counts as a gap.
            if len(values) != n_bytes or digest != self._digest(len(found), values):
                break
            found.append(np.frombuffer(values, "<f4").reshape(shape).astype(np.float32))
        return found

    def remove(self) -> None:
        """Delete all files."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _digest(self, number: int, values: bytes) -> bytes:
        return sha256(self.key + number.to_bytes(4, "little") + values).digest()


def _name(number: int) -> str:
    return f"{number:04d}.bin"
