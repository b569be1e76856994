"""`isocenter resolution`: measure the resolution of a ring scanner with point sources."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.geometry.ring import RingScanner
from engine.io import SINOGRAM_READERS, read_listmode, read_sinogram
from engine.io.auxiliary.point_spread import write_point_spread
from engine.io.safety.open_input import open_input

if TYPE_CHECKING:
    from engine.data.listmode import ListMode
    from engine.data.sinogram import Sinogram
    from engine.geometry.scanner import Scanner
    from engine.tools.resolution.point_sources import PointSource


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter resolution`.

    The sources can be in one scan, at least 25 mm apart, or in several scans of one scanner.
    """
    p = add_verb(verbs, "resolution")
    p.add_argument(
        "scans", type=Path, nargs="+", metavar="SCAN", help="scans of point sources in air"
    )
    p.add_argument(
        "-o",
        "--output",
        type=Path,
        action=Output,
        required=True,
        metavar="OUT.txt",
        help="table of widths, for --point-spread",
    )
    p.add_argument(
        "--diameter-mm",
        type=float,
        default=0.0,
        metavar="MM",
        help="diameter of the sources, whose width is subtracted (default: 0)",
    )
    p.add_argument("--scanner", metavar="S", help="scanner, if the scans do not state it")
    add_force(p)
    p.set_defaults(act=_measure)


def _measure(arguments: argparse.Namespace, console: Console) -> None:
    # Imported here: the search needs Numba kernels, and the help does not
    from engine.core.backend import cpu
    from engine.tools.resolution.point_sources import point_sources, point_spread_of

    if arguments.output.suffix.lower() not in (".txt", ".csv", ".tsv"):
        raise SettingsError(
            f"{arguments.output.name}: the name of a table of widths must end with .txt."
        )
    if not 0 <= arguments.diameter_mm < 20:
        raise SettingsError(
            f"--diameter-mm {arguments.diameter_mm:g}: expected 0 to 20 mm; point sources are "
            "smaller than the resolution."
        )
    found: list[PointSource] = []
    first: Scanner | None = None
    for path in arguments.scans:
        scan = _read(path, arguments.scanner)
        if not isinstance(scan.scanner, RingScanner):
            raise SettingsError(
                f"{path.name}: {scan.scanner.name!r} is not a ring scanner. The resolution model "
                "needs one."
            )
        first = first or scan.scanner
        if scan.scanner.fingerprint() != first.fingerprint():
            raise SettingsError(
                f"{path.name}: the scan is from another scanner ({scan.scanner.name!r}) than the "
                "first one. Measure each scanner separately."
            )
        console.line(f"{path.name}:")
        # The library does not know the file's name
        try:
            sources = point_sources(scan, on=cpu())
        except DataError as e:
            raise DataError(f"{path.name}: {e}") from e
        for source in sources:
            console.line(f"  {source.describe()}")
        found += sources
    spread = point_spread_of(found, diameter_mm=arguments.diameter_mm)
    write_point_spread(
        spread,
        arguments.output,
        notes=(
            f"{'' if first is None else first.name}, measured with {len(found)} point sources of "
            f"{arguments.diameter_mm:g} mm",
            *(source.describe() for source in found),
        ),
    )
    if len(spread.radius_mm) == 1:
        console.line(
            "note: all sources are at the same distance from the axis. The table is used at every "
            "distance; measure at least one source at the centre and one near the edge."
        )
    console.line(f"Resolution: {arguments.output} ({spread.describe()})")


def _read(path: Path, scanner: str | None) -> ListMode | Sinogram:
    # Recognised by content: sinograms and list mode share suffixes
    with open_input(path) as file:
        is_sinogram = SINOGRAM_READERS.accepting(file) is not None
    return read_sinogram(path) if is_sinogram else read_listmode(path, scanner=scanner)
