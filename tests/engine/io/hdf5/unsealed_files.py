"""Files as older versions, or other programs, write them: without a seal."""

from __future__ import annotations

import h5py

from engine.io.hdf5.file_seal import SEAL, UNSEALED


def unseal(file: h5py.File) -> None:
    """Make an open file one of version 1, so that it may be changed."""
    file.attrs["version"] = UNSEALED
    file.attrs.pop(SEAL, None)
