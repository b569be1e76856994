"""Write projections as Data Exchange, NXtomo, or raw with a sidecar, by the file suffix."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np

from engine.core.errors import UnknownFormatError
from engine.core.json_types import Plain
from engine.core.settings import parse
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.safety.atomic_write import write_all
from engine.io.safety.seal import digest
from engine.io.xray.hdf5.dxchange import write_projections
from engine.io.xray.hdf5.nxtomo_writer import write_nxtomo
from engine.io.xray.sidecar import FORMAT
from engine.io.xray.sidecar.seal import sealed
from engine.io.xray.sidecar.settings import VERSION, Sidecar

ENDINGS = {"file": "", "flats": "_flats", "darks": "_darks"}
"""Key in the sidecar -> end of the name of the raw file."""


def save_projections(data: Projections, path: Path | str) -> None:
    """Write projections in the format of the suffix.

    Parameters
    ----------
    data
        projections of any kind
    path
        .h5 or .hdf5 (Data Exchange), .nxs (NXtomo) or .toml (raw with sidecar)

    Raises
    ------
    UnknownFormatError
        if the suffix is another
    GeometryError
        if NXtomo cannot store the geometry
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending in (".h5", ".hdf5"):
        write_projections(data, path)
    elif ending == ".nxs":
        write_nxtomo(data, path)
    elif ending == ".toml":
        write_sidecar(data, path)
    else:
        raise UnknownFormatError(
            f"{path.name}: projections can be saved as .h5 (Data Exchange), .nxs (NXtomo) or .toml "
            "(raw with a sidecar); use one of these suffixes."
        )


def sidecar_files(path: Path) -> tuple[Path, ...]:
    """Return all files that `write_sidecar` can write."""
    names = (f"{path.stem}{ending}.raw" for ending in ENDINGS.values())
    return (path, path.with_name(f"{path.stem}.geom"), *(path.with_name(name) for name in names))


def write_sidecar(data: Projections, path: Path) -> None:
    """Write raw float32 values, a list of vectors, and their sidecar.

    Parameters
    ----------
    data
        projections of any kind
    path
        sidecar (.toml); the other files are written next to it under the same name
    """
    stem, beam = path.stem, data.geometry.beam
    digests: dict[str, str] = {}
    files: dict[Path, bytes | memoryview] = {}
    sidecar: Plain = {
        "format": FORMAT,
        "version": VERSION,
        "dtype": "float32",
        "shape": list(data.shape),
        "kind": data.kind,
        "geometry": {"kind": "vectors", "file": f"{stem}.geom", "beam": beam},
    }
    images_of = {"file": data.values, "flats": data.flats, "darks": data.darks}
    for key, images in images_of.items():
        if images is not None:
            sidecar[key] = f"{stem}{ENDINGS[key]}.raw"
            raw = np.ascontiguousarray(images, "<f4")
            # A digest of each file shows later if it was changed or exchanged.
            digests[sidecar[key]] = digest(raw)
            files[path.with_name(sidecar[key])] = raw.reshape(-1).view(np.uint8).data
    lines = _lines(data.geometry).encode()
    digests[f"{stem}.geom"] = sha256(lines).hexdigest()
    files[path.with_name(f"{stem}.geom")] = lines
    # Parsing our own sidecar proves that it can be read again.
    settings = parse(Sidecar, sidecar | {"sha256": digests}, where=path.name)
    # The sidecar is last, so it never names files that are not complete.
    write_all({**files, path: sealed(settings).encode()})


def _lines(geometry: XrayGeometry) -> str:
    g = geometry
    rows = np.concatenate([g.source_mm, g.detector_mm, g.u_mm, g.v_mm], axis=1)
    # Ten digits resolve less than 1 nm at a distance of 1 m.
    return "".join(" ".join(f"{number:.10g}" for number in row) + "\n" for row in rows)
