"""What the window must know of a kind of scan: the files beside this one say it, panels ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from app.models.inputs import Inputs, Role
from engine.backend.devices import DeviceInfo
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.requirements import Requirements
from engine.settings import Settings

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities.xray_ct.parameter_sweep import Of

P = TypeVar("P", bound=Settings)


@dataclass(frozen=True)
class Switch:
    """A yes-or-no field of a protocol that is shown beside the corrections."""

    field: str
    title: str


class WindowModality(ABC, Generic[P]):
    """One kind of scan.

    Attributes
    ----------
    key, title : as protocols name it, and as people do
    ledger_title : what its preparation is called
    ledger_field : field of the protocol that holds the choices of the preparation
    ledger : kinds of these, in order
    switches : yes-or-no fields of the protocol that belong to the preparation
    folded : whether the settings of the ledger are shown only when asked for
    on_demand : kinds that do nothing until the user enters something, which is no fault
    tried : parts of the preparation whose value can be chosen from pictures, and what it is of
    way : how it goes about a scan that other kinds of protocols suit, too
    long_work : words for stages that may take minutes, by key
    roles : inputs that belong to a study
    absent : why the other inputs do not; empty if all belong
    expert : fields of the protocol that only experts see
    finishing : fields of the protocol for the finished image
    grid_from : what the grid follows from where the protocol leaves it out
    rows : what the algorithm's speed counts
    stages : names of stages, by key
    curve : what iterations tell of their convergence, and its unit
    has_preview : whether one slice can be looked at before a run
    """

    key: ClassVar[str]
    title: ClassVar[str]
    ledger_title: ClassVar[str]
    ledger_field: ClassVar[str]
    ledger: ClassVar[tuple[Any, ...]]
    switches: ClassVar[tuple[Switch, ...]] = ()
    folded: ClassVar[bool] = False
    on_demand: ClassVar[tuple[str, ...]] = ()
    tried: ClassVar[dict[str, Of]] = {}
    way: ClassVar[str] = ""
    long_work: ClassVar[dict[str, str]] = {}
    roles: ClassVar[tuple[Role, ...]]
    absent: ClassVar[str] = ""
    expert: ClassVar[tuple[str, ...]]
    finishing: ClassVar[tuple[str, ...]] = ("finishing", "between")
    grid_from: ClassVar[str]
    rows: ClassVar[str]
    stages: ClassVar[dict[str, str]]
    curve: ClassVar[tuple[str, str]]
    has_preview: ClassVar[bool] = False

    @abstractmethod
    def standard(self) -> P:
        """Return the protocol to begin with."""

    @abstractmethod
    def grid(self, protocol: P, inputs: Inputs) -> ImageGrid | None:
        """Return the grid of a protocol for these inputs, None while it is not known.

        Raises `EngineError` where there is none.
        """

    @abstractmethod
    def usual_grid(self, protocol: P, inputs: Inputs) -> tuple[Point, Point] | None:
        """Return voxel and size (x, y, z) [mm] where the protocol leaves them out."""

    @abstractmethod
    def requirements(
        self, protocol: P, inputs: Inputs, grid: ImageGrid, on: DeviceInfo, left: float
    ) -> Requirements | None:
        """Return what a run needs, of which `left` is to do; None while it is not known."""

    def fitting_voxel(self, voxel_mm: Point, inputs: Inputs) -> Point:
        """Return the voxel nearest to one that the scanner allows."""
        return voxel_mm

    def grid_note(self, protocol: P, inputs: Inputs) -> str:
        """Return what may still change the grid, empty if nothing."""
        return ""

    def is_done(self, kind: str, inputs: Inputs) -> bool:
        """Whether the scan comes with this part of the preparation done."""
        return False

    def fault(self, protocol: P, inputs: Inputs) -> str:
        """Return why the protocol does not suit the scan, empty if it does."""
        return ""

    @abstractmethod
    def obstacles(self, protocol: P, inputs: Inputs) -> dict[str, str | None]:
        """Return why each part of the preparation cannot be done, by kind; None where it can."""

    def switch_state(self, field: str, inputs: Inputs) -> tuple[bool | None, str]:
        """Return whether the scan has what a switch uses, None while not known, and a sentence."""
        return None, ""

    @abstractmethod
    def speed_key(self, device: str) -> str:
        """Return under which name the speed of the device "cpu" or "cuda" is remembered."""

    def choices(self, protocol: P) -> dict[str, Any]:
        """Return the choices of the preparation, by kind."""
        held = getattr(protocol, self.ledger_field)
        return {kind.kind: getattr(held, kind.kind) for kind in self.ledger}

    def with_choice(self, protocol: P, kind: str, value: Any) -> P:
        """Return the protocol with another choice."""
        held = getattr(protocol, self.ledger_field).model_copy(update={kind: value})
        return protocol.model_copy(update={self.ledger_field: held})
