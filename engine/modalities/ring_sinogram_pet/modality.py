"""Modality for sinograms: bins and grid follow from the header of the scan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.core.backend.devices import DeviceInfo
from engine.corrections.roles import ATTENUATION_MAP
from engine.corrections.scatter import NEEDS_ATTENUATION
from engine.corrections.sinogram import (
    SINOGRAM_CORRECTIONS,
    BinAttenuation,
    BinScatter,
)
from engine.data.bin_values import BinSummary
from engine.data.sinogram import NORMALISED, Sinogram
from engine.geometry.grid import ImageGrid, Point
from engine.modalities.base import FinishEarly, Modality, OpenStudy, Switch
from engine.modalities.requirements import Requirements
from engine.modalities.ring_sinogram_pet import accepts, gathers
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.ring_sinogram_pet.requirements import estimate, n_columns_of
from engine.modalities.ring_sinogram_pet.sinogram_summary import SinogramSummary
from engine.modalities.scan_files import ScanFiles

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.data.volume import Volume
    from engine.io.safety.open_input import InputFile
    from engine.modalities.demo import Demo
    from engine.modalities.kernel_steps import Steps
    from engine.modalities.stages import Stage
    from engine.protocols.run_context.context import Resume, RunContext


class RingSinogramPet(Modality[RingSinogramProtocol]):
    """Ring PET in sinograms: each bin is traced along its line."""

    key = "pet-sinogram"
    title = "PET sinograms"
    protocol = RingSinogramProtocol
    takes_scanner = False
    ledger = SINOGRAM_CORRECTIONS
    switches: ClassVar[tuple[Switch, ...]] = (Switch("time_of_flight", "Time of flight"),)
    approach = (
        "Uses sinograms. Every bin is traced along its line, with or without counts, "
        "and the corrections are sinograms, too."
    )
    grid_from = "scanner"
    rows = "bins"
    expert = ("error_seed",)
    finishing = ("finishing", "between", "error_replicates", "error_method")
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
        return isinstance(scan, Sinogram)

    def summarise(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> SinogramSummary:
        from engine.io import read_sinogram, scan_file

        # Notes about the folder are part of the scan's notes, so that a run reports them.
        data, found = read_sinogram(scan_file(path)), self.gathered(path)
        notes = () if found is None else found.notes
        return SinogramSummary.of(replace(data, notes=(*data.notes, *notes)))

    def gathered(self, path: Path) -> ScanFiles | None:
        if not gathers(path):
            # A path that cannot be such a folder must not be searched.
            return None
        from engine.modalities.ring_sinogram_pet.site_files import site_files

        return site_files(path)

    def grid(self, protocol: RingSinogramProtocol, study: OpenStudy) -> ImageGrid | None:
        return protocol.grid.grid_for(study.scanner) if study.scanner else None

    def default_grid(
        self, protocol: RingSinogramProtocol, study: OpenStudy
    ) -> tuple[Point, Point] | None:
        if study.scanner is None:
            return None
        return study.scanner.default_voxel_mm, study.scanner.default_size_mm

    def requirements(
        self,
        protocol: RingSinogramProtocol,
        study: OpenStudy,
        grid: ImageGrid,
        on: DeviceInfo,
        left: float,
    ) -> Requirements | None:
        if not isinstance(study.scan, SinogramSummary):
            return None
        n_columns = n_columns_of((*study.contents, *study.scan.brings))
        n_bins = study.scan.layout.n_bins
        n_timed = study.scan.n_timed if protocol.time_of_flight else 0
        return estimate(
            protocol,
            grid,
            n_bins,
            on=on,
            n_columns=n_columns,
            n_timed=n_timed,
            left=left,
            scan=self._single_bin_scan(study.scan, study),
        )

    def obstacles(self, protocol: RingSinogramProtocol, study: OpenStudy) -> dict[str, str | None]:
        # Corrections decide on a summary with the same headers; reading all bins would take
        # seconds.
        if not isinstance(study.scan, SinogramSummary):
            return {}
        data = self._single_bin_scan(study.scan, study)
        found = {kind: choice.obstacle(data) for kind, choice in self.choices(protocol).items()}
        scatter, attenuation = (
            protocol.corrections.of(BinScatter),
            protocol.corrections.of(BinAttenuation),
        )
        # The same check as in the run, so that the window shows the obstacle in advance.
        if attenuation.use == "off" and scatter.simulates(data):
            found[scatter.kind] = found[scatter.kind] or NEEDS_ATTENUATION
        return found

    def _single_bin_scan(self, scan: SinogramSummary, study: OpenStudy) -> Sinogram:
        """Return the counts in a single bin, with the contents of all auxiliary files."""
        # Only the presence of a file is tested, so its values are not needed.
        given = dict.fromkeys((*study.contents, *scan.brings))
        mu_map = study.contents.get(ATTENUATION_MAP.key)
        summaries = {k: each for k, each in study.contents.items() if isinstance(each, BinSummary)}
        normalised_keys = tuple(key for key, each in summaries.items() if each.normalised)
        info = {**scan.sums.info, NORMALISED: normalised_keys}
        return replace(scan.sums, auxiliary=given, mu_map=mu_map, info=info)

    def misfit(self, protocol: RingSinogramProtocol, study: OpenStudy) -> str:
        return protocol.grid.misfit(study.scanner) if study.scanner is not None else ""

    def switch_state(self, field: str, study: OpenStudy) -> tuple[bool | None, str]:
        if not isinstance(study.scan, SinogramSummary):
            # Before a scan is open, only the general rule is known.
            return None, "Used if the scan records it"
        tof = study.scan.scanner.tof if study.scan.scanner else None
        if not study.scan.n_timed or tof is None:
            return False, "The scan does not record it"
        return True, f"Used, resolution {tof.fwhm_ps:g} ps"

    def is_done(self, kind: str, study: OpenStudy) -> bool:
        if not isinstance(study.scan, SinogramSummary):
            return False
        data = self._single_bin_scan(study.scan, study)
        return any(each().is_needless(data) for each in self.ledger if each.kind == kind)

    def flow(
        self,
        context: RunContext[RingSinogramProtocol],
        resume: Resume | None,
        finish_early: FinishEarly | None,
    ) -> Stage[Volume]:
        from engine.modalities.ring_sinogram_pet.flow import flow

        return flow(context, resume, finish_early)

    def warm_up(self, on: Backend) -> Steps:
        from engine.modalities.kernel_steps import TINY
        from engine.modalities.ring_sinogram_pet.warm_up import of_bins

        return of_bins(on, TINY, TINY, scatter=True)

    @property
    def demo(self) -> Demo:
        from engine.modalities.ring_sinogram_pet.demo import SinogramDemo

        return SinogramDemo()
