"""Test of an extension step that moves the detector: one file and one name."""

from __future__ import annotations

import numpy as np

from engine.io import read_volume
from tests.extensions.trial import Trial

SIDEWAYS = '''
    """The detector stands off to the side by what a ruler says."""

    from __future__ import annotations

    from typing import ClassVar

    from engine.core.backend import Backend
    from engine.data.projections import Projections
    from engine.geometry.xray import XrayGeometry
    from engine.corrections.preprocess.base import PreprocessStep
    from engine.core.settings import setting


    class Sideways(PreprocessStep):
        """Detector moved along its rows."""

        title: ClassVar[str] = "Detector sideways"
        kind: ClassVar[str] = "sideways"
        on_demand: ClassVar[bool] = True
        columns: float = setting(0.0, "Along the rows", label="Moved by", unit="pixels")

        def obstacle(self, projections: Projections) -> str | None:
            return None if self.columns else "nothing is entered"

        def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
            return geometry.shifted(columns=self.columns)

        def apply(self, projections: Projections, *, on: Backend) -> Projections:
            geometry = self.geometry(projections.geometry)
            return self.changed(projections, {"columns": self.columns}, geometry=geometry)

        def summary(self, before: Projections, after: Projections) -> str:
            return f"detector moved by {self.columns:g} columns"
'''


def test_detector_moving_step_is_added_with_one_file_and_one_name(
    trial: Trial, ct_scan: list[str]
) -> None:
    trial.add_file("engine/corrections/preprocess/sideways.py", SIDEWAYS)
    trial.register(
        "engine/corrections/preprocess/__init__.py",
        "STEPS",
        "engine.corrections.preprocess.sideways.Sideways",
        after="Binning",
    )  # fmt: skip
    fixed = "steps.centre.use=off"
    moved = ["steps.sideways.use=on", "steps.sideways.columns=3", fixed]

    def reconstruct_command(scan: str, out: str, *settings: str) -> list[str]:
        pairs = [part for each in settings for part in ("--set", each)]
        return ["reconstruct", scan, "-o", out, *pairs]

    shifted = [part.replace("scan.h5", "shifted.h5") for part in ct_scan]
    answers = trial.run(
        ct_scan,
        [*shifted, "--untold-shift", "3"],
        reconstruct_command("scan.h5", "right.h5", fixed, "grid.diameter_mm=60"),
        reconstruct_command("shifted.h5", "wrong.h5", fixed, "grid.diameter_mm=60"),
        reconstruct_command("shifted.h5", "mended.h5", *moved, "grid.diameter_mm=60"),
        reconstruct_command("shifted.h5", "whole.h5", *moved),
        ask={
            "offered_texts": {},
            "planned_grids": {"scan": "shifted.h5", "settings": [moved, [fixed]]},
        },
    )

    right, wrong, mended, whole = (
        read_volume(trial.work / f"{name}.h5") for name in ("right", "wrong", "mended", "whole")
    )

    def error(volume) -> float:
        return float(np.linalg.norm(volume.values - right.values) / np.linalg.norm(right.values))

    assert error(mended) < 0.3 * error(wrong)
    grid, without = answers["planned_grids"]
    assert tuple(grid["shape"]) == whole.grid.shape
    np.testing.assert_allclose(grid["voxel_mm"], whole.grid.voxel_mm)
    assert grid != without  # the window knows the step before the run
    assert "Moved by (pixels)" in answers["offered_texts"]["ct"]
    assert any(row["kind"] == "sideways" for row in whole.info["corrections"])
