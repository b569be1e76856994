"""Base class of a modality: everything that depends on the type of scan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from engine.corrections.base import AnyCorrection, inputs_of
from engine.protocols.study.protocol import Protocol

if TYPE_CHECKING:  # flows and demos load kernels, which reading a protocol does not need
    from engine.core.backend import Backend
    from engine.core.backend.devices import DeviceInfo
    from engine.data.input_role import InputRole
    from engine.data.volume import Volume
    from engine.geometry.grid import ImageGrid, Point
    from engine.geometry.scanner import Scanner
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.kernel_steps import Steps
    from engine.modalities.requirements import Requirements
    from engine.modalities.scan_files import ScanFiles
    from engine.modalities.scan_summary import ScanSummary
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume, RunContext
    from engine.protocols.study.choices import ChoiceGroup

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
    kind : kind of the correction or step that contains it
    title, lead : title of the question, and a hint
    before, after : text before and after a value
    unit : unit of the values
    step : distance between the first values
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
        """Return a value in words.

        Parameters
        ----------
        value
            value of the parameter, in `unit`
        """
        # A real minus sign, because this text is displayed.
        number = f"{value:.8g}".replace("-", "−")
        return f"{self.before}{number}{self.after}"


class Modality(ABC, Generic[P]):
    """One type of scan, with protocols of type P.

    Attributes
    ----------
    key, title : name in protocols, and displayed name
    protocol : the class of its protocols
    takes_scanner : True if a study may name the scanner
    ledger_title : title of its corrections or steps (the ledger)
    ledger_field : field of the protocol that contains their settings
    ledger : corrections or steps, in the order in which they run
    switches : yes-or-no fields of the protocol that are shown with the ledger
    sweeps : parameters of the ledger that can be chosen from slices
    folded : True if the settings of the ledger are collapsed at first
    own_inputs : auxiliary files that the reconstruction itself reads, not a correction
    absent : why a study has no other files; empty if that needs no explanation
    approach : method, for scans that several modalities can reconstruct
    long_work : texts for stages that may take minutes, by key
    iterating : fields of the protocol for the iterations
    expert : fields of the protocol that only experts see
    finishing : fields of the protocol for the finished image
    grid_from : source of grid values that the protocol leaves empty
    rows : unit of the speed of the algorithm
    stages : names of the stages of a run, by key, in order
    curve : convergence figure of the iterations, and its unit
    has_preview : True if a slice can be previewed before a run
    """

    key: ClassVar[str]
    title: ClassVar[str]
    protocol: ClassVar[type[Protocol]]
    takes_scanner: ClassVar[bool] = True
    ledger_title: ClassVar[str] = "Corrections"
    ledger_field: ClassVar[str] = "corrections"
    ledger: ClassVar[tuple[type[AnyCorrection], ...]] = ()
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

    # Open files

    @property
    def inputs(self) -> tuple[InputRole, ...]:
        """Auxiliary files that a study may contain, those of the ledger first."""
        return (*inputs_of(self.ledger), *self.own_inputs)

    @abstractmethod
    def accepts(self, file: InputFile) -> bool:
        """Return True if a file is a scan of this type, or belongs to one.

        Parameters
        ----------
        file
            opened file; its first bytes usually decide

        Returns
        -------
        accepts
            must be quick: each modality is asked for each file that is opened
        """

    @abstractmethod
    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> ScanSummary:
        """Read a whole scan and return its summary.

        Parameters
        ----------
        path
            the scan
        scanner
            scanner for a scan that names none; None if it names one
        complete_events
            True to use the complete events of list mode that ends within a record
        """

    def takes(self, scan: object) -> bool:
        """Return True if protocols of this modality can reconstruct a scan in memory.

        Parameters
        ----------
        scan
            value of any type
        """
        return False

    def as_read(self, scan: Any, place: Path) -> Any:
        """Return a scan in memory as the readers would deliver it, or refuse it.

        Parameters
        ----------
        scan
            scan that this modality takes
        place
            its name in messages

        Raises
        ------
        EngineError
            if a value is impossible
        """
        from engine.data.validated_scan import validated  # runs from files do not need it

        return validated(scan)

    def gathered(self, path: Path) -> ScanFiles | None:
        """Return the scan that a path belongs to, with the files for its roles.

        None if it is one file.

        Raises `EngineError` if there are several possibilities.
        """
        return None

    def suits(self, study: OpenStudy) -> bool:
        """Return True if protocols of this modality can reconstruct the open scan.

        Parameters
        ----------
        study
            scan and auxiliary files as they were read
        """
        return study.scan is not None and study.scan.modality == self.key

    def standard(self) -> P:
        """Return the default protocol."""
        # pydantic fills in all defaults, so an empty call gives the standard protocol.
        return self.protocol()  # type: ignore[return-value,call-arg]  # all fields have defaults

    # Before a run

    @abstractmethod
    def grid(self, protocol: P, study: OpenStudy) -> ImageGrid | None:
        """Return the grid of a protocol for a study; None while it is unknown.

        Raises `EngineError` if no grid is possible.
        """

    def default_grid(self, protocol: P, study: OpenStudy) -> tuple[Point, Point] | None:
        """Return voxel and size that apply if the protocol leaves them empty.

        Parameters
        ----------
        protocol
            protocol of the study
        study
            scan and auxiliary files as they were read

        Returns
        -------
        default_grid
            (x, y, z) [mm] each; None while they are unknown
        """
        return None

    @abstractmethod
    def requirements(
        self, protocol: P, study: OpenStudy, grid: ImageGrid, on: DeviceInfo, left: float
    ) -> Requirements | None:
        """Return memory and time of a run.

        Parameters
        ----------
        protocol
            protocol of the study
        study
            scan and auxiliary files as they were read
        grid
            grid of the image
        on
            device
        left
            fraction of the run that remains, less than 1 for a resumed run

        Returns
        -------
        requirements
            None while they are unknown
        """

    def obstacles(self, protocol: P, study: OpenStudy) -> dict[str, str | None]:
        """Return why corrections or steps cannot be done.

        Parameters
        ----------
        protocol
            protocol of the study
        study
            scan and auxiliary files as they were read

        Returns
        -------
        obstacles
            a clause for each kind; None if it can be done
        """
        return {}

    def fitting_voxel(self, voxel_mm: Point, study: OpenStudy) -> Point:
        """Return the nearest voxel that the scanner allows.

        Parameters
        ----------
        voxel_mm
            requested edges (x, y, z)
        study
            scan and auxiliary files as they were read
        """
        return voxel_mm

    def grid_note(self, protocol: P, study: OpenStudy) -> str:
        """Return a note if the grid is not final yet; empty if it is.

        Parameters
        ----------
        protocol
            protocol of the study
        study
            scan and auxiliary files as they were read
        """
        return ""

    def is_done(self, kind: str, study: OpenStudy) -> bool:
        """Return True if the data already include this correction or step.

        Parameters
        ----------
        kind
            kind of the correction or step
        study
            scan and auxiliary files as they were read
        """
        return False

    def fault(self, protocol: P, study: OpenStudy) -> str:
        """Return why a protocol cannot reconstruct the scan; empty if it can.

        Parameters
        ----------
        protocol
            protocol of the study
        study
            scan and auxiliary files as they were read

        Returns
        -------
        fault
            a sentence; the run is refused
        """
        return ""

    def misfit(self, protocol: P, study: OpenStudy) -> str:
        """Return why a protocol does not match the scan; empty if it does.

        Parameters
        ----------
        protocol
            protocol of the study
        study
            scan and auxiliary files as they were read

        Returns
        -------
        misfit
            a sentence; it is only a warning
        """
        return ""

    def scanner_kind(self, study: OpenStudy) -> str:
        """Return the type of scanner, for a scan that names none.

        Parameters
        ----------
        study
            scan and auxiliary files as they were read
        """
        return self.title

    def switch_state(self, field: str, study: OpenStudy) -> tuple[bool | None, str]:
        """Return the state of a switch, and a sentence about it.

        Parameters
        ----------
        field
            field of the protocol
        study
            scan and auxiliary files as they were read

        Returns
        -------
        switch_state
            True if the scan contains the data of the switch, None while it is unknown
        """
        return None, ""

    def speed_key(self, device: str) -> str:
        """Return the name under which the measured speed of a device is stored.

        Parameters
        ----------
        device
            "cpu" or "cuda"
        """
        return f"{self.key}_{device}"

    # Run

    @abstractmethod
    def flow(
        self, context: RunContext[P], resume: Resume | None, finish_early: FinishEarly | None
    ) -> Stage[Volume]:
        """Reconstruct the study of a run and yield events on the way.

        Parameters
        ----------
        context
            inputs and log of the run
        resume
            state of an interrupted run; None for a new run
        finish_early
            returns True if the user wants to stop the iterations; None: never

        Returns
        -------
        flow
            the finished volume with its provenance
        """

    def warm_up(self, on: Backend) -> Steps:
        """Return calls that compile all kernels that a run may need.

        Parameters
        ----------
        on
            device
        """
        return ()

    @property
    @abstractmethod
    def demo(self) -> Demo:
        """A simulated scan of this kind."""

    # Settings of corrections or steps

    def group(self, protocol: P) -> ChoiceGroup:
        """Return the settings of all corrections or steps in a protocol.

        Parameters
        ----------
        protocol
            protocol of this modality
        """
        # getattr, because the field has a different name and type in each modality.
        values: ChoiceGroup = getattr(protocol, self.ledger_field)
        return values

    def choices(self, protocol: P) -> dict[str, AnyCorrection]:
        """Return the settings of corrections or steps, by kind.

        Parameters
        ----------
        protocol
            protocol of this modality
        """
        return {step.kind: step for step in self.group(protocol).steps()}

    def with_choice(self, protocol: P, kind: str, value: AnyCorrection) -> P:
        """Return the protocol with other settings of one correction or step.

        Parameters
        ----------
        protocol
            protocol of this modality
        kind
            kind of the correction or step
        value
            its new settings
        """
        # Protocols are immutable; two copies change one nested field.
        values = self.group(protocol).model_copy(update={kind: value})
        return protocol.model_copy(update={self.ledger_field: values})


AnyModality = Modality[Any]
"""A modality whose type of protocol does not matter: it is only asked about its own protocols."""
