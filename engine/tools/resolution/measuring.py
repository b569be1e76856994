"""Measure the resolution with point sources, from files to a table of widths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.core.backend import Backend
from engine.core.errors import DataError, SettingsError
from engine.data.listmode import ListMode
from engine.data.sinogram import Sinogram
from engine.geometry.point_spread import PointSpread
from engine.geometry.ring import RingScanner
from engine.io import SINOGRAM_READERS, read_listmode, read_sinogram
from engine.io.auxiliary.point_spread import write_point_spread
from engine.io.safety.open_input import open_input
from engine.tools.resolution.point_sources import PointSource, point_sources, point_spread_of

LARGEST_MM = 20.0
"""Larger sources would hide the resolution."""
ONE_DISTANCE = (
    "All sources are at the same distance from the axis, so their widths are used at every "
    "distance. Measure at least one source near the centre and one near the edge."
)


@dataclass(frozen=True)
class ResolutionRequest:
    """Scans of point sources.

    Attributes
    ----------
    scans : files of list mode or sinograms, of one scanner
    scanner : scanner, if the scans do not state it
    diameter_mm : diameter of the sources; their own width is subtracted
    """

    scans: tuple[Path, ...]
    scanner: str | None = None
    diameter_mm: float = 0.0


@dataclass(frozen=True)
class ReadingSources:
    """A scan is read.

    Attributes
    ----------
    name : name of its file
    number, total : its number, and the number of all scans
    """

    name: str
    number: int
    total: int


@dataclass(frozen=True, eq=False)
class MeasuredResolution:
    """Result of a measurement.

    Attributes
    ----------
    sources : all sources, by distance from the axis
    spread : widths by distance from the axis
    scanner : scanner of the scans
    diameter_mm : subtracted diameter of the sources
    notes : warnings, one sentence each
    """

    sources: tuple[PointSource, ...]
    spread: PointSpread
    scanner: RingScanner
    diameter_mm: float
    notes: tuple[str, ...]

    def write(self, path: Path) -> None:
        """Write the table that the resolution model reads; its folder must exist.

        Parameters
        ----------
        path
            output file, .txt
        """
        title = (
            f"{self.scanner.name}, measured with {len(self.sources)} point sources of "
            f"{self.diameter_mm:g} mm"
        )
        notes = (title, *(source.describe() for source in self.sources))
        write_point_spread(self.spread, path, notes=notes)


ResolutionEvent = ReadingSources | MeasuredResolution


def measure_resolution(
    request: ResolutionRequest, *, on: Backend, tell: Callable[[ResolutionEvent], object]
) -> MeasuredResolution:
    """Measure the resolution of a ring scanner.

    Parameters
    ----------
    request
        scans and sources
    on
        device that searches the sources
    tell
        called with events, `MeasuredResolution` last; may raise to stop

    Raises
    ------
    DataError
        if a scan has no source, or one with too few counts
    SettingsError
        if there is no scan, the scans are from several scanners or from no ring scanner, or the
        diameter is impossible
    """
    if not 0 <= request.diameter_mm < LARGEST_MM:
        raise SettingsError(
            f"the diameter of the sources is {request.diameter_mm:g} mm, expected 0 to "
            f"{LARGEST_MM:g} mm; use sources that are smaller than the resolution."
        )
    found: list[PointSource] = []
    scanner: RingScanner | None = None
    for number, path in enumerate(request.scans, 1):
        tell(ReadingSources(path.name, number, len(request.scans)))
        scan = _read(path, request.scanner)
        scanner = _checked(path, scan, scanner)
        # The sources do not know the name of the file
        try:
            found += point_sources(scan, on=on)
        except DataError as e:
            raise DataError(f"{path.name}: {e}") from e
    if scanner is None:
        raise SettingsError("no scan was given; give at least one scan of point sources.")
    spread = point_spread_of(found, diameter_mm=request.diameter_mm)
    notes = (ONE_DISTANCE,) if len(spread.radius_mm) == 1 else ()
    sources = tuple(sorted(found, key=lambda source: source.radius_mm))
    made = MeasuredResolution(sources, spread, scanner, request.diameter_mm, notes)
    # The last event has the result, for callers in another process
    tell(made)
    return made


def _read(path: Path, scanner: str | None) -> ListMode | Sinogram:
    # Recognised by content: sinograms and list mode share suffixes
    with open_input(path) as file:
        is_sinogram = SINOGRAM_READERS.accepting(file) is not None
    return read_sinogram(path) if is_sinogram else read_listmode(path, scanner=scanner)


def _checked(path: Path, scan: ListMode | Sinogram, first: RingScanner | None) -> RingScanner:
    """Return the scanner of a scan, which must be a ring and that of the first scan."""
    scanner = scan.scanner
    if not isinstance(scanner, RingScanner):
        raise SettingsError(
            f"{path.name}: {scanner.name!r} is not a ring scanner. The resolution model needs one."
        )
    if first is not None and scanner.fingerprint() != first.fingerprint():
        raise SettingsError(
            f"{path.name}: this scan is from {scanner.name!r}, but the first scan is from a "
            "different scanner. Measure each scanner separately."
        )
    return first or scanner
