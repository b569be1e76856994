"""Write Interfile sinograms for STIR: a header (.hs) and adjacent bins (.s)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.patient_position import STATED_AXES
from engine.data.sinogram import Bins, Sinogram
from engine.geometry.ring import RingSettings
from engine.io.interfile.header import DIGEST, SOURCE, position_lines
from engine.io.interfile.sinogram import ARC, BINS, CM, SUFFIX
from engine.io.interfile.sinogram_facts import lines_of, lines_of_energy
from engine.io.safety.atomic_write import refuse_impossible, write_all
from engine.io.safety.budget import refuse_large_data

SIMULATED = "simulated"


def files_of(path: Path) -> tuple[Path, Path]:
    """Return the header of a sinogram and its adjacent data file."""
    return path, path.with_suffix(BINS)


def write_sinogram(data: Sinogram, path: Path) -> None:
    """Write the counts of a sinogram as header and data, both or none.

    Parameters
    ----------
    data
        sinogram; its TOF bins are written if they are known
    path
        target of the header, with suffix .hs

    Raises
    ------
    FileFormatError
        if the suffix is another one
    ResourceError
        if the files cannot be written, or do not fit in memory
    """
    if path.suffix.lower() != SUFFIX:
        raise FileFormatError(
            f"{path.name}: sinograms are saved with the suffix {SUFFIX}; change the file name."
        )
    _, bins = files_of(path)
    n_times = 1 if data.timed is None else data.timed.n_times
    n_bytes = 4 * n_times * data.layout.n_bins
    for each in (path, bins):
        refuse_impossible(each, n_bytes)
    refuse_large_data(n_bytes, bins.name)
    stored = b"".join(np.ascontiguousarray(each, "<f4").tobytes() for each in _times(data))
    lines = _lines(data, bins.name, sha256(stored).hexdigest())
    # The header is last: it must not exist without its data.
    write_all({bins: stored, path: ("\r\n".join(lines) + "\r\n").encode("utf-8")})


def _times(data: Sinogram) -> Iterator[Bins]:
    """Yield the counts (n_bins,) of each TOF bin; the sum if TOF bins are unknown."""
    if data.timed is None:
        yield data.prompts
        return
    for time in range(data.timed.n_times):
        yield data.timed.dense(time, data.layout.n_bins)


def _lines(data: Sinogram, bins: str, digest: str) -> list[str]:
    layout, s = data.layout, data.scanner.settings
    segments, timed = layout.segments, data.timed
    tof = None if timed is None else data.scanner.tof
    window, energies = lines_of_energy(s.energy)
    times, of_scanner = lines_of(tof, is_ordered=timed is not None and timed.is_ordered)

    def of(name: str) -> str:
        return "{ " + ",".join(str(getattr(each, name)) for each in segments) + "}"

    n = s.n_crystals_per_ring
    # Distance of the first bin from the axis. It is the bin size at the centre, which STIR
    # requires.
    middle = layout.bin_mm or s.radius_mm * np.sin(np.pi / n)
    return [
        "!INTERFILE  :=",
        "!imaging modality := PT",
        f"name of data file := {bins}",
        f"{DIGEST} := {digest}",
        *([f"{SOURCE} := {data.info['source']}"] if data.info.get("source") == SIMULATED else ()),
        f"originating system := {s.name}",
        "!version of keys := STIR4.0",
        "!GENERAL DATA :=",
        *position_lines(str(data.info.get(STATED_AXES) or data.info.get("axes", ""))),
        "!GENERAL IMAGE DATA :=",
        "!type of data := PET",
        "imagedata byte order := LITTLEENDIAN",
        "!PET STUDY (General) :=",
        "!PET data type := Emission",
        # Doubled braces: STIR lists have braces of their own.
        f"applied corrections := {{{ARC if layout.bin_mm else 'None'}}}",
        "!number format := float",
        "!number of bytes per pixel := 4",
        f"number of dimensions := {5 if times else 4}",
        *times,
        "matrix axis label [4] := segment",
        f"!matrix size [4] := {len(segments)}",
        "matrix axis label [3] := axial coordinate",
        f"!matrix size [3] := {of('n_planes')}",
        "matrix axis label [2] := view",
        f"!matrix size [2] := {layout.n_views}",
        "matrix axis label [1] := tangential coordinate",
        f"!matrix size [1] := {layout.n_tangential}",
        f"minimum ring difference per segment := {of('min_difference')}",
        f"maximum ring difference per segment := {of('max_difference')}",
        *_of_scanner(s, [*of_scanner, *energies]),
        f"effective central bin size (cm) := {float(middle) / CM!r}",
        *window,
        "number of time frames := 1",
        f"image duration (sec)[1] := {data.duration_s!r}",
        "image scaling factor[1] := 1",
        "data offset in bytes[1] := 0",
        "!END OF INTERFILE :=",
    ]


def _of_scanner(s: RingSettings, more: list[str]) -> list[str]:
    """Return the header lines of the scanner."""
    return [
        "Scanner parameters:=",
        f"Scanner type := {s.name}",
        f"Number of rings := {s.n_rings}",
        f"Number of detectors per ring := {s.n_crystals_per_ring}",
        # The radius of the program is the mean point of detection, so the depth is 0 here.
        f"Inner ring diameter (cm) := {2 * s.radius_mm / CM!r}",
        "Average depth of interaction (cm) := 0",
        f"Distance between rings (cm) := {s.ring_pitch_mm / CM!r}",
        f"Default bin size (cm) := {s.voxel_mm[0] / CM!r}",
        f"View offset (degrees) := {s.first_angle_deg + 90!r}",
        f"Maximum number of non-arc-corrected bins := {s.n_tangential}",
        f"Default number of arc-corrected bins := {s.n_tangential}",
        f"Number of crystals per block in axial direction := {s.block_rings}",
        f"Number of crystals per block in transaxial direction := {s.block_places}",
        "Number of detector layers := 1",
        *more,
        "end scanner parameters:=",
    ]
