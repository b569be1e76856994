"""Write an HDF5 file like different acquisition programs; runs in a separate process.

python hdf5_writer.py PATH METHOD N, for N frames. METHOD is

- "swmr": a growing Data Exchange file in SWMR mode
- "preallocated": an NXtomo file in SWMR mode with space for all frames
- "append": opens and closes the file for each frame
- "locked": opens the file once without SWMR
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import h5py
import numpy as np

ROWS, COLUMNS = 6, 10
PAUSE_S = 0.01


def frame(value: int) -> np.ndarray:
    return np.full((ROWS, COLUMNS), value, np.uint16)


def new_file(path: Path, n: int, *, grows: bool) -> h5py.File:
    file = h5py.File(path, "w", libver="latest")
    file["exchange/data_dark"] = frame(100)[None]
    file["exchange/data_white"] = np.stack([frame(5000), frame(5001)])
    theta = file.create_dataset("exchange/theta", data=np.arange(n) * 180.0 / n)
    theta.attrs["units"] = "deg"
    first = (0, ROWS, COLUMNS)
    file.create_dataset(
        "exchange/data", first if grows else (n, ROWS, COLUMNS), np.uint16,
        maxshape=(None, ROWS, COLUMNS), chunks=(1, ROWS, COLUMNS),
    )  # fmt: skip
    return file


def grow(file: h5py.File, k: int) -> None:
    data = file["exchange/data"]
    data.resize(k + 1, axis=0)
    data[k] = frame(1000 + k)
    data.flush()


def swmr(path: Path, n: int) -> None:
    with new_file(path, n, grows=True) as file:
        file.swmr_mode = True
        for k in range(n):
            time.sleep(PAUSE_S)
            grow(file, k)


def preallocated(path: Path, n: int) -> None:
    """Write one dark, one flat, then projections; one of them stays zero."""
    with h5py.File(path, "w", libver="latest") as file:
        entry = file.create_group("entry")
        entry.attrs["NX_class"] = "NXentry"
        entry["definition"] = "NXtomo"
        eye = entry.create_group("instrument/eye")
        eye.attrs["NX_class"] = "NXdetector"
        shape = (n + 2, ROWS, COLUMNS)
        data = eye.create_dataset("data", shape, np.uint16, chunks=(1, ROWS, COLUMNS))
        eye["image_key"] = np.array([2, 1, *[0] * n])
        angle = entry.create_dataset("sample/rotation_angle", n + 2, fillvalue=0.0)
        angle.attrs["units"] = "deg"
        file.swmr_mode = True
        for k in range(n + 2):
            time.sleep(PAUSE_S)
            if k != 5:
                data[k] = frame([100, 5000][k] if k < 2 else 1000 + k - 2)
            angle[k] = max(k - 2, 0) * 180.0 / n
            data.flush()
            angle.flush()


def append(path: Path, n: int) -> None:
    new_file(path, n, grows=True).close()
    for k in range(n):
        time.sleep(PAUSE_S)
        with h5py.File(path, "r+", libver="latest", locking=False) as file:
            grow(file, k)


def locked(path: Path, n: int) -> None:
    with new_file(path, n, grows=True) as file:
        for k in range(n):
            grow(file, k)
        time.sleep(0.5)


if __name__ == "__main__":
    methods = {"swmr": swmr, "preallocated": preallocated, "append": append, "locked": locked}
    methods[sys.argv[2]](Path(sys.argv[1]), int(sys.argv[3]))
