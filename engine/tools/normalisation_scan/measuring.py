"""A normalisation from scans to components: read, count, find the likeliest, look at it."""

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
    """What is measured.

    Attributes
    ----------
    scans : list mode of the same source
    source : what was scanned
    scanner : name or file, where the scans do not say which
    interference : whether neighbours in a block are told apart
    threads : of the processor; all if None
    """

    scans: tuple[Path, ...]
    source: CylinderSource
    scanner: str | None = None
    interference: bool = True
    threads: int | None = None


@dataclass(frozen=True)
class ReadingScan:
    """A scan is about to be read.

    Attributes
    ----------
    name : of its file
    number, n_scans : which of how many, from 1
    """

    name: str
    number: int
    n_scans: int


@dataclass(frozen=True)
class Counted:
    """Events were counted.

    Attributes
    ----------
    done, total : events of this scan
    counts : trues so far, on the lines that are used
    crystal_error : relative standard error of the median crystal; infinite without counts
    """

    done: int
    total: int
    counts: float
    crystal_error: float


@dataclass(frozen=True)
class Stepped:
    """A step towards the likeliest components.

    Attributes
    ----------
    done : steps
    change : the largest change of a component in this step, in its standard errors
    """

    done: int
    change: float


@dataclass(frozen=True, eq=False)
class MeasuredNormalisation:
    """What a measurement came to.

    Attributes
    ----------
    found : components and how well they are known
    scanner : of the scans
    info : how it was measured, as the file keeps it
    remarks : what to look at, a sentence each
    """

    found: MeasuredComponents
    scanner: RingScanner
    info: Plain
    remarks: tuple[str, ...]

    def write(self, path: Path) -> None:
        """Write it as a normalisation file; the folder must exist."""
        write_components(self.found.components, self.scanner, path, self.info, self.found.errors)


NormalisationEvent = ReadingScan | Counted | Stepped | MeasuredNormalisation


def measure(
    request: NormalisationRequest, *, on: Backend, tell: Callable[[NormalisationEvent], object]
) -> MeasuredNormalisation:
    """Measure a normalisation.

    Parameters
    ----------
    request
        scans and source
    on
        the CPU
    tell
        called with what happens, `MeasuredNormalisation` last; may raise to stop

    Raises
    ------
    DataError
        where there are too few counts, or the components do not settle
    SettingsError
        where there is no scan, or the scans are of several scanners
    """
    tally = None
    for number, path in enumerate(request.scans, 1):
        tell(ReadingScan(path.name, number, len(request.scans)))
        data = read_listmode(path, scanner=request.scanner)
        tally = tally or LineTally(data.scanner, request.source)
        _refuse_other_scanner(data, tally, path)
        _count(data, tally, tell)
        del data  # the next scan may need its place
    if tally is None:
        raise SettingsError("no scan is given; name at least one.")
    found = likeliest(
        tally,
        on=on,
        interference=request.interference,
        on_step=lambda done, change: tell(Stepped(done, change)),
    )
    info: Plain = {
        "source": request.source.describe(),
        "counts": found.counts,
        "steps": found.steps,
        "change_in_standard_errors": found.change,
    }
    made = MeasuredNormalisation(found, tally.scanner, info, warnings_on(found, tally))
    tell(made)
    return made


def _count(data: ListMode, tally: LineTally, tell: Callable[[Counted], object]) -> None:
    def counted(done: int, total: int) -> None:
        tell(Counted(done, total, float(tally.counts.geometry.sum()), tally.crystal_error))

    tally.add(data, counted)


def _refuse_other_scanner(data: ListMode, tally: LineTally, path: Path) -> None:
    if data.scanner.fingerprint() != tally.scanner.fingerprint():
        raise SettingsError(
            f"{path.name}: of {data.scanner.name!r}, the scans before are of "
            f"{tally.scanner.name!r}; want scans of one scanner."
        )
