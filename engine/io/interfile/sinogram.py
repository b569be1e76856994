"""Read Interfile sinograms of STIR: a header (.hs) and adjacent bins (.s).

Order of the bins: segments in the order of the ring differences in the header; in each segment
views
before planes or planes before views, as "matrix axis label" states; tangential bins last. TOF bins
are slowest. Only files of this program state the direction of the TOF bins.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.core.settings import parse
from engine.data.sinogram import APPLIED, SUMMED_TIMES, Bins, Sinogram
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import Segment, SinogramLayout
from engine.io.base import SinogramReader
from engine.io.interfile.header import (
    SOURCE,
    InterfileHeader,
    is_interfile,
    is_spect,
    no_numbers,
    read_header,
    refuse_others_data,
)
from engine.io.interfile.sinogram_facts import (
    ORDER,
    RISING,
    counted,
    energy_of,
    summed_note,
    tof_of,
)
from engine.io.safety.open_input import InputFile, open_input

SUFFIX, BINS = ".hs", ".s"
MARK = b"ring difference per segment"
AXES = {1: "tangential coordinate", 4: "segment"}
BY_VIEW, BY_PLANE = ("axial coordinate", "view"), ("view", "axial coordinate")
ARC = "arc correction"
TIMES, MAX_TIMES = "timing positions", 9999
CM, SCANNER = 10.0, "scanner type"


class InterfileSinogram(SinogramReader):
    """Sinograms in Interfile."""

    format_name: ClassVar[str] = "Interfile (STIR)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if not is_interfile(file.head):
            return False
        # SPECT projections of STIR have the suffix .hs, too.
        if is_spect(file.head):
            return False
        return MARK in file.head.lower() or file.path.suffix.lower() == SUFFIX

    @classmethod
    def read(cls, file: InputFile) -> Sinogram:
        header = read_header(file)
        layout, by_view, n_times = _layout_of(header), _is_by_view(header), _n_times(header)
        keeps = layout.scanner.tof is not None
        is_ordered = (header.text(ORDER) or "").lower() == RISING
        with open_input(header.data_file) as data:
            refuse_others_data(header, data)
            # TOF bins are kept only if the header states their width and resolution.
            values, timed = counted(
                lambda time: _values(header, data, layout, by_view=by_view, time=time),
                n_times,
                layout.n_bins,
                keeps=keeps,
                is_ordered=is_ordered,
            )
        # Typical of a wrong byte order, so the message contains that advice.
        n_bad = int(np.count_nonzero(~np.isfinite(values)))
        if n_bad:
            raise FileFormatError(no_numbers(header, n_bad))
        # STIR versions differ: with and without the index of the frame.
        duration = header.number("image duration (sec)[1]") or header.number("image duration (sec)")
        info: Plain = {
            "format": cls.name,
            "system": header.text("originating system") or "unknown",
            APPLIED: (header.text("applied corrections") or "").strip("{} ").lower(),
        }
        info |= header.axes_facts
        if header.text(SOURCE):
            info["source"] = header.text(SOURCE)
        notes = header.order_note()
        if n_times > 1 and timed is None:
            info[SUMMED_TIMES] = n_times
            notes = (*notes, summed_note(file.name, n_times))
        return Sinogram(layout, values, duration or 0.0, info=info, notes=notes, timed=timed)


def _list(header: InterfileHeader, key: str, n: int) -> list[int]:
    text = (header.text(key) or "").strip("{} \t")
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != n:
        raise FileFormatError(
            f"{header.path.name}: {key!r} is {text[:40]!r}, expected {n} integers, one per "
            "segment; correct the header."
        )
    return values


def _layout_of(header: InterfileHeader) -> SinogramLayout:
    name = header.path.name
    labels = {k: (header.text(f"matrix axis label [{k}]") or "").lower() for k in range(1, 5)}
    if any(labels[k] != label for k, label in AXES.items()) or (labels[2], labels[3]) not in (
        BY_VIEW,
        BY_PLANE,
    ):
        raise FileFormatError(
            f"{name}: the axes are {', '.join(labels.values())}, expected tangential coordinate, "
            "view and axial coordinate (in either order) and segment; correct the header."
        )
    n_segments = header.required("matrix size [4]")
    # Axis 4 is the slowest. Axes 2 and 3 can be exchanged.
    view_axis = 3 if _is_by_view(header) else 2
    planes = _list(header, f"matrix size [{5 - view_axis}]", n_segments)
    min_difference = _list(header, "minimum ring difference per segment", n_segments)
    max_difference = _list(header, "maximum ring difference per segment", n_segments)
    segments = tuple(map(Segment, min_difference, max_difference, planes))
    n_views = header.required(f"matrix size [{view_axis}]")
    n_bins = header.required("matrix size [1]")
    arc_mm = None
    if ARC in (header.text("applied corrections") or "").lower():
        sizes = ("effective central bin size (cm)", "default bin size (cm)")
        # STIR states lengths in cm.
        arc_mm = CM * next((n for n in map(header.number, sizes) if n), 0.0)
        if arc_mm <= 0:
            raise FileFormatError(
                f"{name}: the data are arc-corrected, but {sizes[0]!r} is missing; add it to the "
                "header."
            )
    scanner = _scanner_of(header, segments, n_bins, arc_mm)
    return SinogramLayout(scanner, segments, n_views, n_bins, arc_mm)


def _n_times(header: InterfileHeader) -> int:
    """Return the number of TOF bins; 1 if there are none."""
    n = header.whole("number of dimensions") or 4
    if n == 4:
        return 1
    label = (header.text("matrix axis label [5]") or "").lower()
    n_times = header.required("matrix size [5]") if n == 5 else 0
    if label != TIMES or not 1 <= n_times <= MAX_TIMES:
        raise FileFormatError(
            f"{header.path.name}: has {n} dimensions ('matrix axis label [5]' is {label!r}, "
            f"'matrix size [5]' is {n_times:,}), expected 4 dimensions, or 5 with up to "
            f"{MAX_TIMES:,} {TIMES!r}; correct the header."
        )
    return n_times


def _is_by_view(header: InterfileHeader) -> bool:
    """Return True if all planes of a view are contiguous."""
    return (header.text("matrix axis label [3]") or "").lower() == "view"


def _scanner_of(
    header: InterfileHeader, segments: tuple[Segment, ...], n_bins: int, arc_mm: float | None
) -> RingScanner:
    n_rings = header.required("number of rings")
    n_crystals = header.required("number of detectors per ring")
    numbers = {
        key: header.number(key) or 0.0
        for key in (
            *("inner ring diameter (cm)", "average depth of interaction (cm)"),
            *("distance between rings (cm)", "default bin size (cm)", "view offset (degrees)"),
        )
    }
    inner, depth, separation, bin_cm, offset = numbers.values()
    # STIR's effective radius: photons interact at a mean depth inside the crystal.
    radius, pitch = CM * (inner / 2 + depth), CM * separation
    n_across = n_bins if arc_mm is None else header.whole(_MAX_BINS) or n_bins
    # Without arc correction, bin t is at radius · sin(π t / n), so the edge limits the field of
    # view.
    angle = np.pi * (n_bins // 2) / max(n_crystals, 1)
    across = 2 * radius * float(np.sin(angle)) if arc_mm is None else n_bins * arc_mm
    blocks = {
        key: max(header.whole(f"number of crystals per block in {direction} direction") or 1, 1)
        for key, direction in (("block_rings", "axial"), ("block_places", "transaxial"))
    }
    values = {
        "name": (header.text(SCANNER) or "Unknown")[:80],
        "n_rings": n_rings,
        "n_crystals_per_ring": n_crystals,
        "radius_mm": radius,
        "ring_pitch_mm": pitch,
        "first_angle_deg": offset - 90,  # STIR counts crystals from −y
        "max_ring_difference": max(
            max(abs(s.min_difference), abs(s.max_difference)) for s in segments
        ),
        # n crystals have n - 1 different tangential positions.
        "n_tangential": min(n_across, n_crystals - 1),
        "voxel_mm": (CM * bin_cm or pitch,) * 2 + (pitch / 2,),
        "fov_mm": (min(across, 2 * radius), n_rings * pitch),
        **blocks,
        "tof": tof_of(header, _n_times(header)),
        "energy": energy_of(header),
    }
    return RingScanner(parse(RingSettings, values, where=header.path.name))


_MAX_BINS = "maximum number of non-arc-corrected bins"


def _values(
    header: InterfileHeader,
    data: InputFile,
    layout: SinogramLayout,
    *,
    by_view: bool,
    time: int = 0,
) -> Bins:
    """Return the bins of one TOF bin as (plane, view, tangential bin), flattened."""
    start = header.whole("data offset in bytes[1]") or 0
    start += time * layout.n_bins * np.dtype(header.number_type).itemsize
    scale = header.number("image scaling factor[1]")
    stored = data.array(header.number_type, (layout.n_bins,), start)
    values = np.empty(layout.n_bins, np.float32)
    begin = 0
    for each in layout.segments:
        n = each.n_planes * layout.n_views * layout.n_tangential
        part: Array = stored[begin : begin + n]
        if by_view:
            # The program stores planes before views, so files by view are transposed segment by
            # segment.
            views = part.reshape(layout.n_views, each.n_planes, layout.n_tangential)
            part = views.transpose(1, 0, 2).reshape(-1)
        values[begin : begin + n] = part
        begin += n
    return values if scale in (None, 1) else values * np.float32(scale)
