"""Modality for list-mode PET: grid and corrections follow from the scanner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.core.backend.devices import DeviceInfo
from engine.corrections import CORRECTIONS, Attenuation, Scatter
from engine.corrections.scatter import NEEDS_ATTENUATION
from engine.data.input_role import InputRole
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.base import FinishEarly, Modality, OpenStudy, Switch
from engine.modalities.listmode_pet import accepts
from engine.modalities.listmode_pet.event_summary import EventSummary
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import estimate
from engine.modalities.listmode_pet.trigger_times import TRIGGERS
from engine.modalities.requirements import Requirements

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.data.volume import Volume
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.kernel_steps import Steps
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume, RunContext


class ListModePet(Modality[ListModeProtocol]):
    """List-mode PET: each coincidence is traced along its line."""

    key = "pet"
    title = "PET"
    protocol = ListModeProtocol
    ledger = CORRECTIONS
    switches: ClassVar[tuple[Switch, ...]] = (Switch("time_of_flight", "Time of flight"),)
    own_inputs: ClassVar[tuple[InputRole, ...]] = (TRIGGERS,)
    approach = (
        "Traces each event along its line. It starts at once and works with any voxel "
        "size. A dual-head protocol uses the stored response matrix of the panels "
        "instead, which models the blur of the crystals."
    )
    iterating = ("algorithm", "frames")
    expert = ("sensitivity", "reproducible", "error_seed")
    finishing = ("finishing", "between", "error_replicates", "error_method")
    grid_from = "scanner"
    rows = "events"
    stages: ClassVar[dict[str, str]] = {
        "read": "Read",
        "kernels": "Compiling",
        "correct": "Corrections",
        "scatter": "Scatter",
        "sensitivity": "Sensitivity",
        "reconstruct": "Iterations",
        "errors": "Error map",
        "finish": "Finishing",
    }

    def accepts(self, file: InputFile) -> bool:
        return accepts(file)

    def takes(self, scan: object) -> bool:
        return isinstance(scan, ListMode)

    def as_read(self, scan: ListMode, place: Path) -> ListMode:
        found: ListMode = super().as_read(scan, place)
        if found.time_ms is None:
            return found
        from engine.io.hdf5.listmode import order_notes  # loads HDF5

        new = [each for each in order_notes(found.time_ms, place) if each not in found.notes]
        return replace(found, notes=(*found.notes, *new)) if new else found

    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> EventSummary:
        # Facts and a sample suffice before a run; the events stay in the file.
        from engine.io import listmode_facts

        found = listmode_facts(path, scanner=scanner, complete_events=complete_events)
        return EventSummary.of(found)

    def grid(self, protocol: ListModeProtocol, study: OpenStudy) -> ImageGrid | None:
        return protocol.grid.grid_for(study.scanner) if study.scanner else None

    def default_grid(
        self, protocol: ListModeProtocol, study: OpenStudy
    ) -> tuple[Point, Point] | None:
        if study.scanner is None:
            return None
        return study.scanner.default_voxel_mm, study.scanner.default_size_mm

    def requirements(
        self,
        protocol: ListModeProtocol,
        study: OpenStudy,
        grid: ImageGrid,
        on: DeviceInfo,
        left: float,
    ) -> Requirements | None:
        scan = study.scan
        if not isinstance(scan, EventSummary) or not scan.n_events:
            return None
        n_lors = study.scanner.n_lors if study.scanner else 0
        # Auxiliary files can switch corrections on, which changes memory and time.
        data = self._with_files(scan, study)
        return estimate(protocol, grid, scan.n_events, on=on, n_lors=n_lors, left=left, scan=data)

    def _with_files(self, scan: EventSummary, study: OpenStudy) -> ListMode:
        """Return a sample of events with the contents of all auxiliary files."""
        given = [(r, study.contents[r.key]) for r in self.inputs if r.key in study.contents]
        return scan.with_contents(given)

    def obstacles(self, protocol: ListModeProtocol, study: OpenStudy) -> dict[str, str | None]:
        scan = study.scan
        if not isinstance(scan, EventSummary):
            return {}
        data = self._with_files(scan, study)
        found = {kind: choice.obstacle(data) for kind, choice in self.choices(protocol).items()}
        # The same check as in the run, so that the window shows the obstacle in advance.
        scatter, attenuation = (
            protocol.corrections.of(Scatter),
            protocol.corrections.of(Attenuation),
        )
        if attenuation.use == "off" and scatter.simulates(data):
            found[scatter.kind] = found[scatter.kind] or NEEDS_ATTENUATION
        return found

    def misfit(self, protocol: ListModeProtocol, study: OpenStudy) -> str:
        return protocol.grid.misfit(study.scanner) if study.scanner is not None else ""

    def switch_state(self, field: str, study: OpenStudy) -> tuple[bool | None, str]:
        if not isinstance(study.scan, EventSummary):
            return None, "Used if the scan records it"
        tof = study.scan.sample.scanner.tof
        if study.scan.sample.tof_bins is None or tof is None:
            return False, "The scan does not record it"
        return True, f"Used, resolution {tof.fwhm_ps:g} ps"

    def flow(
        self,
        context: RunContext[ListModeProtocol],
        resume: Resume | None,
        finish_early: FinishEarly | None,
    ) -> Stage[Volume]:
        from engine.modalities.listmode_pet.flow import flow

        return flow(context, resume, finish_early)

    def warm_up(self, on: Backend) -> Steps:
        from engine.modalities.listmode_pet.warm_up import of_any_events

        return of_any_events(on)

    @property
    def demo(self) -> Demo:
        from engine.modalities.listmode_pet.demo import PetDemo

        return PetDemo()
