"""Demo of X-ray CT: a jaw in a cone beam, with a detector that needs all corrections.

The detector is shifted by some columns that the file does not state, a few pixels are dead or hot,
and the gain of all pixels has changed since the flat fields.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from engine.geometry.orbits import circle, circular_cone
from engine.geometry.xray import XrayGeometry
from engine.modalities.demo import SEED, Demo, OnProgress, save_volume
from engine.modalities.studies import Study
from engine.modalities.study_values import shipped_protocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.protocol import Protocol

SOURCE_AXIS_MM, SOURCE_DETECTOR_MM = 500.0, 700.0
DETECTOR_MM = 201.6
"""Width of the detector."""
UNTOLD_COLUMNS = 4.3
"""Shift of the detector that the file does not state [columns]."""
JAW_MM = (0.0, 0.0, 5.0)
"""Position of the jaw: the middle slice shows the lower teeth."""


@dataclass(frozen=True)
class CtDemo(Demo):
    """Counts of a cone-beam scan with flats and darks."""

    n_views: int = 240
    n_rows: int = 144
    n_columns: int = 224

    key: ClassVar[str] = "ct"
    title: ClassVar[str] = "Cone-beam CT"
    text: ClassVar[str] = (
        "A jaw in a cone beam: the demo corrects flat fields, bad pixels, rings and "
        "the axis of rotation"
    )
    wait: ClassVar[str] = "about 10 s"
    icon: ClassVar[str] = "beam"
    busy: ClassVar[str] = "Simulating the X-ray scan"
    protocol: ClassVar[type[Protocol]] = CtProtocol
    version: ClassVar[int] = 2

    def simulate(self, folder: Path, on_progress: OnProgress | None) -> Study:
        """Write projections with flats and darks, and the truth.

        Returns
        -------
        study
            the study with paths relative to the folder
        """
        from engine.io import save_projections
        from engine.simulate.jaw import jaw
        from engine.simulate.phantoms import moved
        from engine.simulate.xray import Detector, simulate_xray

        phantom, message = moved(jaw(), JAW_MM), self._geometry()
        protocol = self._protocol()

        def write_truth() -> None:
            # Oversampling: partly filled voxels have their mean, as in a reconstruction.
            truth = phantom.rasterise(protocol.grid.grid_for(message), "mu", oversample=2)
            save_volume(truth, self.truth(folder))

        # The truth takes a third of the time, so one thread writes it while others simulate.
        with ThreadPoolExecutor(1) as pool:
            truth_written = pool.submit(write_truth)
            # The scan is simulated with the true geometry, but the file states the unshifted one.
            data = simulate_xray(
                phantom,
                message.shifted(columns=UNTOLD_COLUMNS),
                # Strong rings and dead pixels, so that their correction is visible.
                detector=Detector(photons=1e5, ring_spread=0.004, dead_share=5e-4, hot_share=2e-4),
                seed=SEED,
                on_progress=on_progress,
            )
            study = Study(data=Path(self.name(".h5")), protocol=protocol)
            save_projections(replace(data, geometry=message), folder / study.data)
            truth_written.result()
        return study

    def _protocol(self) -> CtProtocol:
        """Return the shipped protocol of the demo, with the voxels of this detector."""
        found = shipped_protocol("demo-ct", CtProtocol)
        at_axis_mm = DETECTOR_MM / self.n_columns * SOURCE_AXIS_MM / SOURCE_DETECTOR_MM
        # Rounded to 0.05 mm, so that the protocol shows a plain number.
        edge = round(20 * at_axis_mm) / 20
        grid = found.grid.model_copy(update={"voxel_mm": (edge, edge, edge)})
        return found.model_copy(update={"grid": grid})

    def _geometry(self) -> XrayGeometry:
        return circular_cone(
            circle(self.n_views),
            shape=(self.n_rows, self.n_columns),
            pixel_mm=DETECTOR_MM / self.n_columns,
            source_axis_mm=SOURCE_AXIS_MM,
            source_detector_mm=SOURCE_DETECTOR_MM,
        )
