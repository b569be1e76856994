"""MATLAB 7.3 files as `save` writes them: HDF5 after a text of 512 bytes.

Arrays have reversed axes, because MATLAB's first index varies fastest. Each array names its class.
Texts are stored as character codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import h5py
import numpy as np

CLASSES = {"f8": "double", "f4": "single", "b1": "logical"}


def write_matlab_73(path: Path, variables: Mapping[str, object]) -> Path:
    """Write numbers and texts."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in variables.items():
            if isinstance(value, str):
                letters = np.frombuffer(value.encode("utf-16-le"), "<u2")
                item = file.create_dataset(name, data=letters[:, None])
                kind, item.attrs["MATLAB_int_decode"] = "char", np.int32(2)
            else:
                stored = np.atleast_2d(np.asarray(value))
                item = file.create_dataset(name, data=stored.T)
                kind = CLASSES.get(stored.dtype.str[1:], stored.dtype.name)
            item.attrs["MATLAB_class"] = np.bytes_(kind)
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    return path
