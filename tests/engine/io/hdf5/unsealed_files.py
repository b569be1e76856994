"""Files without a seal, as older versions and other programs write them."""

from __future__ import annotations

import h5py

from engine.io.hdf5.file_seal import SEAL, UNSEALED


def unseal(file: h5py.File) -> None:
    """Change an open file to version 1, which has no seal and can be edited."""
    file.attrs["version"] = UNSEALED
    file.attrs.pop(SEAL, None)
