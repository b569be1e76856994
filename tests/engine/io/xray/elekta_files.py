"""Tiny scans in the format of Elekta XVI, for tests of their reader."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

N, SIDE = 12, 16
UID = "1.3.46.423632.135428"
GANTRY_DEG = -175.0 + 30 * np.arange(N)
CENTRE_MM = np.stack([-110 + 0.5 * np.cos(np.arange(N)), 0.3 * np.sin(np.arange(N))], axis=1)


def his_bytes(values: NDArray[np.uint16], more: int = 32) -> bytes:
    """Return a frame; its second header has `more` bytes."""
    rows, columns = values.shape
    head = struct.pack("<3HI", 0x7000, 68, 100, 68 + more + values.nbytes)
    head += struct.pack("<7H", more, 1, 1, columns, rows, 1, 0)
    head += struct.pack("<dH", 0.0, 4)
    return head.ljust(68 + more, b"\0") + values.astype("<u2").tobytes()


def raw() -> NDArray[np.uint16]:
    """Return (N, SIDE, SIDE) different values that include both limits of the range."""
    values = (1 + np.arange(N * SIDE * SIDE).reshape(N, SIDE, SIDE)).astype(np.uint16)
    values[:, 6, 6], values[:, 6, 7] = 0, 65535
    return values


def frames_text(frames: list[dict[str, object]]) -> str:
    each = "".join(
        f"<Frame>{''.join(f'<{name}>{value}</{name}>' for name, value in frame.items())}</Frame>"
        for frame in frames
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><Projections><Image><kV>120</kV><mA>20</mA></Image>'
        f"<Frames>{each}</Frames></Projections>"
    )


def listed() -> list[dict[str, object]]:
    return [
        {
            "Seq": k + 1,
            "GantryAngle": GANTRY_DEG[k],
            "Exposed": "True",
            "UCentre": CENTRE_MM[k, 0],
            "VCentre": CENTRE_MM[k, 1],
        }
        for k in range(N)
    ]


def elekta(
    folder: Path,
    values: NDArray[np.uint16] | None = None,
    frames: list[dict[str, object]] | None = None,
) -> Path:
    """Write a folder of frames; return the path of their list."""
    for k, image in enumerate(raw() if values is None else values):
        (folder / f"{k + 1:05}.{UID}.his").write_bytes(his_bytes(image))
    (folder / "_Frames.xml").write_text(frames_text(listed() if frames is None else frames))
    return folder / "_Frames.xml"


def elekta_frame(folder: Path) -> Path:
    """Write a folder of frames; return one of the frames."""
    elekta(folder)
    return folder / f"00002.{UID}.his"
