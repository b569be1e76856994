"""Write ECAT 7 files in the published layout: main header, directories, big-endian images."""

from __future__ import annotations

from pathlib import Path

import nibabel.ecat as ecat
import numpy as np

BLOCK, ROWS = 512, 32
FIRST = 3


def main_header(n_frames: int, n_planes: int, **changes: object) -> bytes:
    header = np.zeros(1, ecat.hdr_dtype.newbyteorder(">"))
    fields = {
        "magic_number": b"MATRIX72v", "file_type": 7, "num_frames": n_frames, "num_gates": 1,
        "num_planes": n_planes, "ecat_calibration_factor": 2.5, "data_units": b"Bq/cc",
        "isotope_name": b"F-18", "sw_version": 74, "patient_orientation": 8,
    }  # fmt: skip
    for name, value in {**fields, **changes}.items():
        header[name] = value
    return header.tobytes().ljust(BLOCK, b"\0")


def sub_header(shape: tuple[int, int, int], **changes: object) -> bytes:
    header = np.zeros(1, ecat.subhdr_dtype.newbyteorder(">"))
    z, y, x = shape
    fields = {
        "data_type": 6, "num_dimensions": 3, "x_dimension": x, "y_dimension": y, "z_dimension": z,
        "scale_factor": 0.5, "x_pixel_size": 0.2, "y_pixel_size": 0.3, "z_pixel_size": 0.4,
        "frame_duration": 1000,
    }  # fmt: skip
    for name, value in {**fields, **changes}.items():
        header[name] = value
    return header.tobytes().ljust(BLOCK, b"\0")


def number(frame: int, gate: int = 1, bed: int = 0) -> int:
    return frame | 1 << 16 | bed << 12 | gate << 24


def write(
    path: Path,
    frames: list[np.ndarray],
    starts_ms: list[int],
    *,
    numbers: list[int] | None = None,
    main: dict[str, object] | None = None,
    sub: dict[str, object] | None = None,
) -> Path:
    """Write stored values (z, y, x) of frames. More than 31 frames need a second directory."""
    content = bytearray(main_header(len(frames), frames[0].shape[0], **(main or {})))
    n_directories = -(-len(frames) // (ROWS - 1))
    numbers = numbers or [number(k + 1) for k in range(len(frames))]
    blocks, rows, place = [], [], FIRST + n_directories - 1
    for each, values, start in zip(numbers, frames, starts_ms, strict=True):
        header = sub_header(values.shape, frame_start_time=start, **(sub or {}))
        data = values.astype(">i2").tobytes()
        n = -(-len(data) // BLOCK)
        rows.append((each, place, place + n, 1))
        blocks.append(header + data.ljust(n * BLOCK, b"\0"))
        place += n + 1
    for k in range(n_directories):
        used = rows[k * (ROWS - 1) : (k + 1) * (ROWS - 1)]
        following = k + 3 if k + 1 < n_directories else 2
        table = np.zeros((ROWS, 4), ">i4")
        table[0] = (ROWS - 1 - len(used), following, 0, len(used))
        table[1 : len(used) + 1] = used
        content += table.tobytes()
    path.write_bytes(bytes(content) + b"".join(blocks))
    return path
