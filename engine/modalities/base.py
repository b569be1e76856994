"""Base class of a modality: everything that depends on the type of scan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from engine.core.backend.devices import DeviceInfo
from engine.corrections.base import AnyCorrection, inputs_of
from engine.data.input_role import InputRole
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.scanner import Scanner
from engine.modalities.requirements import Requirements
from engine.modalities.scan_files import ScanFiles
from engine.modalities.scan_summary import ScanSummary
from engine.protocols.study.choices import ChoiceGroup
from engine.protocols.study.protocol import Protocol

if TYPE_CHECKING:  # flows and demos load kernels, which reading a protocol does not need
    from engine.core.backend import Backend
    from engine.data.volume import Volume
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.kernel_steps import Steps
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume, RunContext

P = TypeVar("P", bound=Protocol)
FinishEarly = Callable[[], bool]


@dataclass(frozen=True)
class OpenStudy:
    """Facts of a study before it runs.

    Attributes
    ----------
    scan : summary of the scan; None before it is read
    scanner : the scanner in use: the chosen one, or the one the scan names
    contents : contents of the readable auxiliary files, by role key
    """

    scan: ScanSummary | None = None
    scanner: Scanner | None = None
    contents: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Switch:
    """A yes-or-no field of a protocol that the window shows next to the corrections."""

    field: str
    title: str


@dataclass(frozen=True)
class Sweep:
    """A parameter whose value can be chosen from slices made with several values.

    Attributes
    ----------
    key : key of the parameter
    kind : kind of the part of the ledger that holds it
    title, lead : title of the question, and a hint
    before, after : words around a value
    unit : unit of the values
    step : distance of the values tried first
    """

    key: str
    kind: str
    title: str
    lead: str
    before: str
    after: str
    unit: str
    step: float

    def describe(self, value: float) -> str:
        """Return a value in words."""
        number = f"{value:.8g}".replace("-", "−")
        return f"{self.before}{number}{self.after}"


class Modality(ABC, Generic[P]):
    """One type of scan, with protocols of type P.

    Attributes
    ----------
    key, title : name in protocols, and displayed name
    protocol : the class of its protocols
    takes_scanner : True if a study may name the scanner
    ledger_title : title of its preparation
    ledger_field : field of the protocol that holds the choices of the preparation
    ledger : corrections or steps of the preparation, in the order they run
    switches : yes-or-no fields of the protocol that belong to the ledger
    sweeps : parameters of the ledger that can be chosen among slices
    folded : True if the settings of the ledger are shown only when asked for
    own_inputs : auxiliary files that no correction reads, but the reconstruction itself
    absent : why a study holds no other files; empty if that needs no word
    approach : method, for scans that several modalities can reconstruct
    long_work : words for stages that may take minutes, by key
    iterating : fields of the protocol for how the image is iterated
    expert : fields of the protocol that only experts see
    finishing : fields of the protocol for the finished image
    grid_from : source of grid values that the protocol leaves empty
    rows : unit of the speed of the algorithm
    stages : names of the stages of a run, by key, in order
    curve : convergence figure of the iterations, and its unit
    has_preview : True if one slice can be looked at before a run
    """

    key: ClassVar[str]
    title: ClassVar[str]
    protocol: ClassVar[type[Protocol]]
    takes_scanner: ClassVar[bool] = True
    ledger_title: ClassVar[str] = "Corrections"
    ledger_field: ClassVar[str] = "corrections"
    ledger: ClassVar[tuple[type[AnyCorrection], ...]]
    switches: ClassVar[tuple[Switch, ...]] = ()
    sweeps: ClassVar[tuple[Sweep, ...]] = ()
    folded: ClassVar[bool] = False
    own_inputs: ClassVar[tuple[InputRole, ...]] = ()
    absent: ClassVar[str] = ""
    approach: ClassVar[str] = ""
    long_work: ClassVar[dict[str, str]] = {}
    iterating: ClassVar[tuple[str, ...]] = ("algorithm",)
    expert: ClassVar[tuple[str, ...]] = ()
    finishing: ClassVar[tuple[str, ...]] = ("finishing", "between")
    grid_from: ClassVar[str]
    rows: ClassVar[str]
    stages: ClassVar[dict[str, str]]
    curve: ClassVar[tuple[str, str]] = ("Log-likelihood", "")
    has_preview: ClassVar[bool] = False

    # what it opens

    @property
    def inputs(self) -> tuple[InputRole, ...]:
        """Auxiliary files that a study may hold: of the ledger, then of the modality itself."""
        return (*inputs_of(self.ledger), *self.own_inputs)

    @abstractmethod
    def accepts(self, file: InputFile) -> bool:
        """Return True if a file is a scan of this kind, or belongs to one."""

    @abstractmethod
    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> ScanSummary:
        """Read a scan whole and return what is kept of it.

        Parameters
        ----------
        path
            the scan
        scanner
            where it names none
        complete_events
            use what is complete of list mode that ends within a record
        """

    def gathered(self, path: Path) -> ScanFiles | None:
        """Return the scan, and what lies beside it for its roles, that a path stands for, if any.

        Raises `EngineError` where that is ambiguous.
        """
        return None

    def suits(self, study: OpenStudy) -> bool:
        """Return True if protocols of this kind can reconstruct the open scan."""
        return study.scan is not None and study.scan.modality == self.key

    def standard(self) -> P:
        """Return the protocol to begin with."""
        return self.protocol()  # type: ignore[return-value,call-arg]  # all fields have defaults

    # what it does with a study that is open

    @abstractmethod
    def grid(self, protocol: P, study: OpenStudy) -> ImageGrid | None:
        """Return the grid of a protocol for a study, None while it is not known.

        Raises `EngineError` where there is none.
        """

    @abstractmethod
    def default_grid(self, protocol: P, study: OpenStudy) -> tuple[Point, Point] | None:
        """Return voxel and size (x, y, z) [mm] where the protocol leaves them out."""

    @abstractmethod
    def requirements(
        self, protocol: P, study: OpenStudy, grid: ImageGrid, on: DeviceInfo, left: float
    ) -> Requirements | None:
        """Return what a run needs, of which `left` is to do; None while it is not known."""

    @abstractmethod
    def obstacles(self, protocol: P, study: OpenStudy) -> dict[str, str | None]:
        """Return why each part of the ledger cannot be done, by kind; None where it can."""

    def fitting_voxel(self, voxel_mm: Point, study: OpenStudy) -> Point:
        """Return the voxel nearest to one that the scanner allows."""
        return voxel_mm

    def grid_note(self, protocol: P, study: OpenStudy) -> str:
        """Return what may still change the grid, empty if nothing."""
        return ""

    def is_done(self, kind: str, study: OpenStudy) -> bool:
        """Return True if the scan comes with this part of the ledger done."""
        return False

    def fault(self, protocol: P, study: OpenStudy) -> str:
        """Return why the protocol does not suit the scan, empty if it does."""
        return ""

    def misfit(self, protocol: P, study: OpenStudy) -> str:
        """Return why the protocol is not made for the scan, a sentence; empty if it is."""
        return ""

    def scanner_kind(self, study: OpenStudy) -> str:
        """Return the kind of scanner where the scan names no scanner."""
        return self.title

    def switch_state(self, field: str, study: OpenStudy) -> tuple[bool | None, str]:
        """Return whether the scan has what a switch uses, None while not known, and a sentence."""
        return None, ""

    def speed_key(self, device: str) -> str:
        """Return under which name the speed of the device "cpu" or "cuda" is remembered."""
        return f"{self.key}_{device}"

    # what runs

    @abstractmethod
    def flow(
        self, context: RunContext[P], resume: Resume | None, finish_early: FinishEarly | None
    ) -> Stage[Volume]:
        """Reconstruct: from the files of the study to the finished volume, telling events."""

    @abstractmethod
    def warm_up(self, on: Backend) -> Steps:
        """Return calls that compile the kernels any of its runs may need."""

    @property
    @abstractmethod
    def demo(self) -> Demo:
        """A simulated scan of this kind."""

    # its ledger

    def group(self, protocol: P) -> ChoiceGroup:
        """Return the choices of the ledger in a protocol."""
        values: ChoiceGroup = getattr(protocol, self.ledger_field)
        return values

    def choices(self, protocol: P) -> dict[str, AnyCorrection]:
        """Return the choices of the ledger, by kind."""
        return {step.kind: step for step in self.group(protocol).steps()}

    def with_choice(self, protocol: P, kind: str, value: AnyCorrection) -> P:
        """Return the protocol with another choice."""
        values = self.group(protocol).model_copy(update={kind: value})
        return protocol.model_copy(update={self.ledger_field: values})


AnyModality = Modality[Any]
"""A kind of scan whose type of protocol does not matter: it is asked about its own alone."""
