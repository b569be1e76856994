"""X-ray CT scans in the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from app.models.inputs import Inputs, Role
from app.models.modality import WindowModality
from app.models.xray_scan import XrayScan
from engine.backend.devices import DeviceInfo
from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.requirements import Requirements
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import estimate_unread, most_room
from engine.preprocess import STEPS, CentreOfRotation, Roll

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities.xray_ct.parameter_sweep import Of


class Ct(WindowModality[CtProtocol]):
    """X-ray CT: grid and preparation come from the scan itself."""

    key = "ct"
    title = "X-ray CT"
    ledger_title = "Preparation"
    ledger_field = "steps"
    ledger = STEPS
    folded = True
    curve = ("Residual ‖Ax − y‖ / ‖y‖", "%")
    has_preview = True
    on_demand = tuple(step.kind for step in STEPS if step.on_demand)
    tried: ClassVar[dict[str, Of]] = {CentreOfRotation.kind: "axis", Roll.kind: "roll"}
    roles: ClassVar[tuple[Role, ...]] = ("data",)
    absent = (
        "Its geometry is in the scan: scanner, μ-map and normalisation are for PET and left out."
    )
    expert = ("adjoint",)
    finishing = ("finishing", "between", "hounsfield")
    grid_from = "scan"
    rows = "pixels"
    stages: ClassVar[dict[str, str]] = {
        "read": "Read",
        "correct": "Preparation",
        "kernels": "Kernels",
        "adjoint": "Adjoint check",
        "reconstruct": "Reconstruction",
        "finish": "Finishing",
    }

    def standard(self) -> CtProtocol:
        return CtProtocol()

    def grid(self, protocol: CtProtocol, inputs: Inputs) -> ImageGrid | None:
        empty_scan = self._prepared(protocol, inputs)
        if empty_scan is None:
            return None
        return protocol.grid.grid_for(empty_scan.geometry)

    def usual_grid(self, protocol: CtProtocol, inputs: Inputs) -> tuple[Point, Point] | None:
        empty_scan = self._prepared(protocol, inputs)
        if empty_scan is None:
            return None
        grid = CtProtocol().grid.grid_for(empty_scan.geometry)
        x, y, z = (float(edge) for edge in grid.size_mm)
        return grid.voxel_mm, (x, y, z)

    def requirements(
        self, protocol: CtProtocol, inputs: Inputs, grid: ImageGrid, on: DeviceInfo, left: float
    ) -> Requirements | None:
        empty_scan = self._prepared(protocol, inputs)
        if empty_scan is None:
            return None
        return estimate_unread(protocol, empty_scan, grid, on=on).times(left)

    def grid_note(self, protocol: CtProtocol, inputs: Inputs) -> str:
        scan, steps = inputs.scan, tuple(self.choices(protocol).values())
        if not isinstance(scan, XrayScan):
            return ""
        notes = []
        if protocol.grid.diameter_mm is None and scan.axis_is_sought(steps):
            notes.append(
                "The axis of rotation is found in the scan; the volume then reaches as far "
                "around it"
            )
        geometry = scan.prepared(steps).geometry
        grid = protocol.grid.grid_for(geometry)
        most = most_room(protocol, geometry, grid)
        if most != grid:
            notes.append(
                "Iterations need all that the rays through the object pass, up to "
                f"{inputs.describe(most)} voxels; the picture is cut out of it"
            )
        return ". ".join(notes)

    def is_done(self, kind: str, inputs: Inputs) -> bool:
        scan = inputs.scan
        if not isinstance(scan, XrayScan):
            return False
        return any(step.is_done(scan.empty_scan.kind) for step in STEPS if step.kind == kind)

    def fault(self, protocol: CtProtocol, inputs: Inputs) -> str:
        scan = inputs.scan
        if not isinstance(scan, XrayScan) or protocol.hounsfield is None:
            return ""
        if scan.empty_scan.pixel_mm_known:
            return ""
        return (
            "CT numbers need the size of the detector's pixels, which the scan does not tell; "
            "take them out in step 5."
        )

    def obstacles(self, protocol: CtProtocol, inputs: Inputs) -> dict[str, str | None]:
        scan = inputs.scan
        if not isinstance(scan, XrayScan):
            return {}
        return scan.obstacles(tuple(self.choices(protocol).values()))

    def speed_key(self, device: str) -> str:
        return f"ct_{device}"

    def _prepared(self, protocol: CtProtocol, inputs: Inputs) -> Projections | None:
        scan = inputs.scan
        if not isinstance(scan, XrayScan):
            return None
        return scan.prepared(tuple(self.choices(protocol).values()))
