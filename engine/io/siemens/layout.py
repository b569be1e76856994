"""Return the bins of sinograms from Siemens PET scanners, from their headers.

Segments are in the order 0, −1, +1, −2, +2, ...; segment k contains the ring differences within
span / 2 of k · span, second ring minus first. Each has planes, then views, then tangential bins.
Views and bins are numbered as in list mode (`engine.io.siemens.petlink`). A single segment of
2 n − 1 planes for n rings contains direct planes, into which all others were rebinned.

After STIR (UCL/STIR, InterfileHeaderSiemens.cxx) and list mode of the Biograph mMR.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.core.errors import FileFormatError, GeometryError
from engine.geometry.energy import ELECTRON_KEV
from engine.geometry.ring import RingScanner
from engine.geometry.sinogram_layout import Segment, SinogramLayout
from engine.io.folder import entries
from engine.io.interfile.header import InterfileHeader, keys_of
from engine.io.scanners import read_scanner
from engine.io.scanners.adjacent_file import is_scanner_file

SYSTEMS = {"2008": "siemens-mmr", **dict.fromkeys(("1104", "2011", "1094"), "siemens-mct")}
"""Value of `originating system` in a header -> scanner."""
FIRST_AXIS = ("bin", "x", "sinogram bins", "")
ARC = ("arc correction", "arc-correction", "arc corrected")
MAX_SPAN, MAX_BINS = 999, 20_000
WAYS, MAX_KEV = ("lower", "upper"), 2000.0


def scanner_of(header: InterfileHeader) -> RingScanner:
    """Return the scanner of a header.

    Parameters
    ----------
    header
        Interfile header; an unknown `originating system` needs a scanner file (.toml) in the folder

    Returns
    -------
    scanner
        with the energy window of the header, if it states one around 511 keV

    Raises
    ------
    GeometryError
        if the scanner is unknown or has another number of rings
    """
    system = header.text("originating system") or "no number"
    key = SYSTEMS.get(system)
    scanner = read_scanner(key) if key else _adjacent_scanner(header.path, system)
    stated = header.whole("number of rings")
    # The number of rings guards against a wrong `originating system`.
    if not isinstance(scanner, RingScanner) or stated not in (None, scanner.settings.n_rings):
        n_rings = scanner.settings.n_rings if isinstance(scanner, RingScanner) else "no"
        raise GeometryError(
            f"{header.path.name}: states {stated} rings, but {scanner.name!r} has {n_rings} rings; "
            "put the right scanner file (.toml) next to the header."
        )
    return _counting(scanner, header)


def _counting(scanner: RingScanner, header: InterfileHeader) -> RingScanner:
    """Return the scanner with the energy window of a header; its energy resolution stays."""
    low, high = (header.number(f"energy window {end} level (kev) [1]") or 0 for end in WAYS)
    energy = scanner.settings.energy
    # Scatter simulation uses the window, so an implausible one is ignored.
    if energy is None or not 0 < low < ELECTRON_KEV < high <= MAX_KEV:
        return scanner
    stated = energy.model_copy(update={"window_kev": (low, high)})
    return RingScanner(scanner.settings.model_copy(update={"energy": stated}))


def _adjacent_scanner(header: Path, system: str) -> RingScanner:
    """Return the ring scanner file next to the header."""
    found = [each for each in entries(header.parent) if is_scanner_file(each)]
    scanner = read_scanner(str(found[0])) if len(found) == 1 else None
    if not isinstance(scanner, RingScanner):
        raise GeometryError(
            f"{header.name}: the scanner model {system!r} has no built-in geometry (known: "
            f"{', '.join(SYSTEMS)}); put its scanner file (.toml) next to the header."
        )
    return scanner


def layout_of(header: InterfileHeader) -> SinogramLayout:
    """Return the bins that a sinogram header describes.

    Parameters
    ----------
    header
        Interfile header of a sinogram

    Returns
    -------
    layout
        arc-corrected if `applied corrections` states it

    Raises
    ------
    FileFormatError
        if a size is missing, or the segments do not add up to `matrix size [3]`
    GeometryError
        if the scanner is unknown
    """
    name, scanner = header.path.name, scanner_of(header)
    label = (header.of_axis("matrix axis label", 1) or "").lower()
    n_bins, n_views, n_planes = (header.required(*keys_of("matrix size", k)) for k in (1, 2, 3))
    if label not in FIRST_AXIS or not (0 < n_bins <= MAX_BINS and 0 < n_views <= MAX_BINS):
        raise FileFormatError(
            f"{name}: has {n_bins} × {n_views} × {n_planes} values and the first axis is "
            f"{label!r}, expected the axes bins, projections and planes; correct the header."
        )
    segments = _segments(header, scanner)
    stated = sum(each.n_planes for each in segments)
    if stated != n_planes:
        raise FileFormatError(
            f"{name}: 'matrix size [3]' states {n_planes:,} planes, but the segments have "
            f"{stated:,}; correct the header."
        )
    arc_mm = None
    # Arc correction makes tangential bins equidistant, so the layout needs their size.
    if any(word in (header.text("applied corrections") or "").lower() for word in ARC):
        keys = keys_of("scale factor (mm/pixel)", 1)
        arc_mm = next((n for key in keys if (n := header.number(key))), 0.0)
        if arc_mm <= 0:
            raise FileFormatError(
                f"{name}: the data are arc-corrected, but {keys[0]!r} is missing; add it to the "
                "header."
            )
    return SinogramLayout(scanner, segments, n_views, n_bins, arc_mm)


def _segments(header: InterfileHeader, scanner: RingScanner) -> tuple[Segment, ...]:
    """Return the segments in the order of their planes, as many as the header states."""
    n_rings, table = scanner.settings.n_rings, _table(header)
    # Rebinned data (SSRB, FORE) contain lines of all ring differences in direct planes.
    if table == [2 * n_rings - 1]:
        return (Segment(1 - n_rings, n_rings - 1, table[0]),)
    span = header.required("axial compression")
    most = header.required("maximum ring difference")
    if not 1 <= span <= MAX_SPAN:
        raise FileFormatError(
            f"{header.path.name}: 'axial compression' is {span}, expected 1 to {MAX_SPAN}; "
            "correct the header."
        )
    default = by_obliqueness(SinogramLayout.of(scanner, span=span, max_difference=most))
    # Some scans store the first segments only; `or None` keeps all if there is no segment table.
    segments = default.segments[: len(table) or None]
    planes = [each.n_planes for each in segments]
    if table and table != planes:
        raise FileFormatError(
            f"{header.path.name}: the segments have {', '.join(map(str, table[:5]))} ... planes, "
            f"but span {span} and maximum ring difference {most} give "
            f"{', '.join(map(str, planes[:5]))} ...; correct the header."
        )
    return segments


def by_obliqueness(layout: SinogramLayout) -> SinogramLayout:
    """Return a layout with its segments in the order 0, −1, +1, −2, +2, ....

    Parameters
    ----------
    layout
        segments in any order
    """
    return replace(layout, segments=tuple(sorted(layout.segments, key=_place)))


def _place(segment: Segment) -> tuple[float, float]:
    return abs(segment.mean_difference), segment.mean_difference


def _table(header: InterfileHeader) -> list[int]:
    text = (header.text("segment table") or "").strip("{} \t")
    try:
        return [int(part) for part in text.split(",")] if text else []
    except ValueError as e:
        raise FileFormatError(
            f"{header.path.name}: 'segment table' is {text[:40]!r}, expected the number of planes "
            "of each segment; correct the header."
        ) from e
