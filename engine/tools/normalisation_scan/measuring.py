"""Create a normalisation: read scans, count events, estimate components, and check them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.core.backend import Backend
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.io import read_listmode
from engine.io.hdf5.normalisation import write_components
from engine.tools.normalisation_scan.findings import warnings_on
from engine.tools.normalisation_scan.fixed_point import MeasuredComponents, likeliest
from engine.tools.normalisation_scan.line_tally import LineTally
from engine.tools.normalisation_scan.source import CylinderSource


@dataclass(frozen=True)
class NormalisationRequest:
    """Measurement to be made.

    Attributes
    ----------
    scans : list-mode files of the same source
    source : measured source
    scanner : name or file, if the scans do not state their scanner
    interference : True to separate the positions in a block
    threads : CPU threads; None for all
    """

    scans: tuple[Path, ...]
    source: CylinderSource
    scanner: str | None = None
    interference: bool = True
    threads: int | None = None


@dataclass(frozen=True)
class ReadingScan:
    """A scan will be read next.

    Attributes
    ----------
    name : name of its file
    number, n_scans : number of the scan from 1, and number of scans
    """

    name: str
    number: int
    n_scans: int


@dataclass(frozen=True)
class Counted:
    """Events were counted.

    Attributes
    ----------
    done, total : counted and all events of this scan
    counts : trues on the used lines so far
    crystal_error : relative standard error of the median crystal; infinite without counts
    """

    done: int
    total: int
    counts: float
    crystal_error: float


@dataclass(frozen=True)
class Stepped:
    """A fixed-point step was made.

    Attributes
    ----------
    done : number of steps
    change : largest change of a component in this step, in standard errors
    """

    done: int
    change: float


@dataclass(frozen=True, eq=False)
class MeasuredNormalisation:
    """Result of a measurement.

    Attributes
    ----------
    found : components with their errors
    scanner : scanner of the scans
    info : description of the measurement for the file
    notes : warnings, one sentence each
    """

    found: MeasuredComponents
    scanner: RingScanner
    info: Plain
    notes: tuple[str, ...]

    def write(self, path: Path) -> None:
        """Write a normalisation file; its folder must exist.

        Parameters
        ----------
        path
            output file, .h5
        """
        write_components(self.found.components, self.scanner, path, self.info, self.found.errors)


NormalisationEvent = ReadingScan | Counted | Stepped | MeasuredNormalisation


def measure(
    request: NormalisationRequest, *, on: Backend, tell: Callable[[NormalisationEvent], object]
) -> MeasuredNormalisation:
    """Create a normalisation.

    Parameters
    ----------
    request
        scans and source
    on
        CPU
    tell
        called with events, `MeasuredNormalisation` last; may raise to stop

    Returns
    -------
    made
        components, their description and warnings

    Raises
    ------
    DataError
        if there are too few counts, or the components do not converge
    SettingsError
        if there is no scan, or the scans are from several scanners
    """
    tally = None
    for number, path in enumerate(request.scans, 1):
        tell(ReadingScan(path.name, number, len(request.scans)))
        data = read_listmode(path, scanner=request.scanner)
        # The first scan states the scanner, unless the user does
        tally = tally or LineTally(data.scanner, request.source)
        # Crystal numbers of two scanners do not match
        _refuse_other_scanner(data, tally, path)
        _count(data, tally, tell)
        del data  # frees the memory for the next scan
    if tally is None:
        raise SettingsError("no scan was given; give at least one scan of the source.")
    found = likeliest(
        tally,
        on=on,
        interference=request.interference,
        on_step=lambda done, change: tell(Stepped(done, change)),
    )
    # For the provenance of images that use the normalisation
    info: Plain = {
        "source": request.source.describe(),
        "counts": found.counts,
        "steps": found.steps,
        "change_in_standard_errors": found.change,
    }
    made = MeasuredNormalisation(found, tally.scanner, info, warnings_on(found, tally))
    # The last event has the result, for callers in another process
    tell(made)
    return made


def _count(data: ListMode, tally: LineTally, tell: Callable[[Counted], object]) -> None:
    def counted(done: int, total: int) -> None:
        tell(Counted(done, total, float(tally.counts.geometry.sum()), tally.crystal_error))

    tally.add(data, counted)


def _refuse_other_scanner(data: ListMode, tally: LineTally, path: Path) -> None:
    if data.scanner.fingerprint() != tally.scanner.fingerprint():
        raise SettingsError(
            f"{path.name}: this scan was acquired on {data.scanner.name!r}, but the previous "
            f"scans were acquired on {tally.scanner.name!r}; use only scans from the same scanner."
        )
