"""Tiny scans in the format of ESRF beamlines, for tests of their reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.engine.io.xray.xray_files import DARKS, FLATS, N, counts

KINDS = {"u2": "UnsignedShort", "f4": "FloatValue", "i4": "SignedInteger"}
START_DEG = 12.5
INFO = {
    "Prefix": "tiny_",
    "Energy": "19.0",
    "ScanRange": "180",
    "TOMO_N": str(N),
    "REF_ON": str(N),
    "REF_N": "1",
    "DARK_N": "4",
    "Count_time": "0.25",
    "PixelSize": "0.7",
}


def edf_bytes(values: NDArray[np.generic], order: str = "<", **fields: str) -> bytes:
    """Return an EDF image with more header fields."""
    rows, columns = values.shape
    pairs = {
        "HeaderID": "EH:000001:000000:000000",
        "Image": "1",
        "ByteOrder": "LowByteFirst" if order == "<" else "HighByteFirst",
        "DataType": KINDS[f"{values.dtype.kind}{values.dtype.itemsize}"],
        "Dim_1": str(columns),
        "Dim_2": str(rows),
        "Size": str(values.nbytes),
        **fields,
    }
    text = "{\n" + "".join(f"{name} = {value} ;\n" for name, value in pairs.items())
    head = text.ljust(-(-(len(text) + 2) // 512) * 512 - 2) + "}\n"
    return head.encode() + values.astype(values.dtype.newbyteorder(order)).tobytes()


def motors(k: int) -> dict[str, str]:
    """Return the positions of three motors; one of them turns with the scan."""
    turned = START_DEG - 180 * k / N
    return {"motor_mne": "sy omega mono", "motor_pos": f"{0.01 * k} {turned:.6f} 19.0"}


def esrf(folder: Path, **info: str) -> Path:
    """Write views, three more images, flats before and after, and a dark; return the text."""
    for k, image in enumerate(counts(N + 3)):
        (folder / f"tiny_{k:04}.edf").write_bytes(edf_bytes(image, **motors(k)))
    for view in (0, N):
        flat = (FLATS[0] + view).astype(np.uint16)
        (folder / f"refHST{view:04}.edf").write_bytes(edf_bytes(flat))
    (folder / "dark.edf").write_bytes(edf_bytes(DARKS[0].astype(np.float32)))
    fields = INFO | info
    (folder / "tiny_.info").write_text("".join(f"{k}=     {v}\n" for k, v in fields.items()))
    return folder / "tiny_.info"


def esrf_image(folder: Path) -> Path:
    """Write such a scan; return one of its views."""
    esrf(folder)
    return folder / "tiny_0001.edf"
