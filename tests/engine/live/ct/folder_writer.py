"""Write a FleX-ray folder as a slow network drive does; runs in a separate process.

python folder_writer.py FOLDER N: settings, darks, flats, and N projections of 6 x 10 pixels. Some
projections are written in parts, one is preallocated and filled later, one is written last.
"""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import numpy as np
import tifffile

ROWS, COLUMNS = 6, 10
HALF, FILLED_LATER, LATE = 3, 5, 7
LAST_ANGLE = 348
SETTINGS = f"""[scan]
SOD : 100.0
SDD : 200.0
voxel size : 50.0
Binned pixel size : 100.0
start angle : 0.0
last angle : {LAST_ANGLE}.0
# projections : """


def image(value: int) -> bytes:
    file = io.BytesIO()
    tifffile.imwrite(file, np.full((ROWS, COLUMNS), value, np.uint16))
    return file.getvalue()


def write(path: Path, value: int, *, halves: bool = False, preallocated: bool = False) -> None:
    data = image(value)
    with path.open("wb", buffering=0) as file:
        if preallocated:
            at = len(data) - 2 * ROWS * COLUMNS
            file.write(data[:at] + bytes(len(data) - at))
            time.sleep(0.2)
            file.seek(at)
            file.write(data[at : at + 40])
            time.sleep(0.2)
            file.write(data[at + 40 :])
        elif halves:
            for start in range(0, len(data), 100):
                file.write(data[start : start + 100])
                time.sleep(0.07)
        else:
            file.write(data)


def main(folder: Path, n: int) -> None:
    settings = folder / "scan settings.txt"
    settings.write_text(SETTINGS[:60])
    write(folder / "di000000.tif", 100)
    write(folder / "io000000.tif", 5000, halves=True)
    settings.write_text(f"{SETTINGS}{n}\n")
    time.sleep(0.2)
    for k in range(n):
        if k != LATE:
            write(
                folder / f"scan_{k:06}.tif",
                1000 + k,
                halves=k % HALF == 0 and k < 7,
                preallocated=k == FILLED_LATER,
            )
    time.sleep(0.3)
    write(folder / f"scan_{LATE:06}.tif", 1000 + LATE)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
