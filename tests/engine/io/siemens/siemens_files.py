"""Write sinograms, factors and μ-maps with Siemens headers, as scanners do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_scanner

SPAN, MAX_RING_DIFFERENCE, MASHED, BINS = 11, 16, 12, 21


def layout() -> SinogramLayout:
    """Return some bins in the middle of the mMR, segments 0, -1, +1."""
    scanner = read_scanner("siemens-mmr")
    full = SinogramLayout.of(scanner, span=SPAN, max_difference=MAX_RING_DIFFERENCE, mashed=MASHED)
    back, middle, ahead = full.segments
    return SinogramLayout(scanner, (middle, back, ahead), full.n_views, BINS)


def header(
    bins: SinogramLayout,
    data: str,
    *,
    types: Sequence[str] = ("prompts",),
    kind: str = "emission",
    number: str = "float",
    n_bytes: int = 4,
    n_times: int = 1,
    more: Sequence[str] = (),
) -> str:
    """Write a header as Siemens does; order and signs are those of STIR's examples/samples."""
    table = [each.n_planes for each in bins.segments]
    size = bins.n_bins * n_times * n_bytes
    lines = [
        "!INTERFILE:=",
        "%comment:=Sinogram SubHeader for MR-PET VA20",
        "!originating system:=2008",
        "%SMS-MI header name space:=sinogram subheader",
        "%SMS-MI version number:=3.4",
        "",
        "!GENERAL DATA:=",
        f"!name of data file:={data}",
        "%compression:=off",
        "isotope name:=F-18",
        "isotope gamma halflife (sec):=6586.2",
        "image data byte order:=LITTLEENDIAN",
        "%patient orientation:=HFS",
        f"!PET data type:={kind}",
        "data format:=sinogram",
        f"number format:={number}",
        f"!number of bytes per pixel:={n_bytes}",
        f"number of dimensions:={4 if n_times > 1 else 3}",
        "matrix axis label [1]:=bin",
        "matrix axis label [2]:=projection",
        "matrix axis label [3]:=plane",
        f"matrix size [1]:={bins.n_tangential}",
        f"matrix size [2]:={bins.n_views}",
        f"matrix size [3]:={bins.n_planes}",
        *((f"matrix size [4]:={n_times}",) if n_times > 1 else ()),
        "scale factor (mm/pixel) [1]:=2.0445",
        f"%axial compression:={SPAN}",
        f"%maximum ring difference:={MAX_RING_DIFFERENCE}",
        "number of rings:=64",
        f"%number of segments:={len(table)}",
        f"%segment table:={{{','.join(map(str, table))}}}",
        f"%total number of sinograms:={bins.n_planes}",
        "applied corrections:=",
        f"%number of TOF time bins:={n_times}",
        f"number of scan data types:={len(types)}",
        *(f"scan data type description [{k}]:={each}" for k, each in enumerate(types, 1)),
        *(f"data offset in bytes [{k}]:={(k - 1) * size}" for k in range(1, len(types) + 1)),
        "!image duration (sec):=600",
        *more,
        "END OF INTERFILE :=",
    ]
    return "\r\n".join(lines) + "\r\n"


def write(
    path: Path,
    bins: SinogramLayout,
    *values: Array,
    types: Sequence[str] = ("prompts",),
    kind: str = "emission",
    number: str = "<f4",
    n_times: int = 1,
    more: Sequence[str] = (),
) -> Path:
    """Write bins (`path` ends with .s or .a) and their header; return the path of the header."""
    stored = np.dtype(number)
    path.write_bytes(b"".join(np.ascontiguousarray(each, stored).tobytes() for each in values))
    word = "float" if stored.kind == "f" else "signed integer"
    text = header(
        bins, path.name, types=types, kind=kind, number=word, n_bytes=stored.itemsize,
        n_times=n_times, more=more,
    )  # fmt: skip
    head = path.with_name(f"{path.name}.hdr")
    head.write_text(text, newline="")
    return head


def write_norm(path: Path, tables: dict[str, Array], changes: dict[str, str]) -> Path:
    """Write components (`path` ends with .n) and their header, as in STIR's sample."""
    values = {name: np.ascontiguousarray(table, "<f4") for name, table in tables.items()}
    lines = [
        "!INTERFILE:=",
        "%comment:=CPS ECAT8 sinogram common attributes",
        "!originating system:=2008",
        "%SMS-MI header name space:=normalization header",
        f"!name of data file:={path.name}",
        "image data byte order:=LITTLEENDIAN",
        "!PET data type:=normalization",
        "number format:=float",
        "number of bytes per pixel:=4",
        f"%number of normalization components:={len(values)}",
        *(f"%normalization component [{k}]:={name}" for k, name in enumerate(values, 1)),
        "%axial compression:=11",
        "%maximum ring difference:=60",
        "number of rings:=64",
    ]
    start = 0
    for k, table in enumerate(values.values(), 1):
        sizes = ",".join(map(str, reversed(table.shape)))
        lines += [f"data offset in bytes [{k}]:={start}", f"%matrix size [{k}]:={{{sizes}}}"]
        start += table.nbytes
    path.write_bytes(b"".join(table.tobytes() for table in values.values()))
    text = "\r\n".join(lines) + "\r\n"
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    head = path.with_name(f"{path.name}.hdr")
    head.write_text(text, newline="")
    return head
