"""A multiplicative correction of your own, and its effect on the image.

It says which share of the photon pairs on any line is counted. The events and the sensitivity read
the same factor, so halving the counts doubles the image. In a file of its own under
engine/corrections, and with its name in CORRECTIONS, it is also in the window and in protocols.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import engine
from engine.core.backend import Backend
from engine.core.settings import setting
from engine.corrections.base import Multiplicative
from engine.data.line_factors import ConstantFactor
from engine.modalities.listmode_pet.model import build, prepare
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import compute_sensitivity
from engine.recon.algorithms import Mlem, solve
from engine.simulate import uniform_cylinder


class LiveTime(Multiplicative[engine.ListMode]):
    """Counts lost while the scanner was busy."""

    title: ClassVar[str] = "Live time"
    kind: ClassVar[str] = "live_time"
    share: float = setting(1.0, "Share of its time for which the scanner counted", gt=0, le=1)

    def obstacle(self, data: engine.ListMode) -> str | None:
        """Return why it cannot be applied."""
        return None

    def factor(self, data: engine.ListMode, *, on: Backend) -> ConstantFactor:
        """Return the factor of every line."""
        return ConstantFactor(self.share)

    def summary(self, before: engine.ListMode, after: engine.ListMode) -> str:
        """Say what it did."""
        return f"the scanner counted for {100 * self.share:g} % of the time"


scanner = engine.RingScanner(
    engine.RingSettings(
        name="Small ring",
        n_rings=6,
        n_crystals_per_ring=96,
        radius_mm=80,
        ring_pitch_mm=5,
        max_ring_difference=5,
        n_tangential=72,
        fov_mm=(90, 30),
    )
)
phantom = uniform_cylinder(diameter_mm=60, length_mm=24)
scan = engine.simulate_listmode(
    phantom, scanner, n_prompts=50_000, randoms_fraction=0, attenuation=False, seed=1
)
grid, on = engine.ImageGrid(shape=(6, 18, 18), voxel_mm=(5.0, 5.0, 5.0)), engine.cpu()


def image_with(data: engine.ListMode) -> np.ndarray:
    """Reconstruct by five steps of MLEM."""
    sensitivity = compute_sensitivity(data, grid, SensitivitySettings(), on=on)
    model = build(prepare(data, on=on).data, grid, sensitivity, on=on)
    *_, last = solve(Mlem(iterations=5), model, np.ones(grid.shape, np.float32))
    return last.image


correction = LiveTime(share=0.5)
corrected = correction.apply(scan, on=on)
ratio = image_with(corrected).sum() / image_with(scan).sum()
print(f"{correction.summary(scan, corrected)}: the image is {ratio:.2f} times as bright")
if abs(ratio - 2) > 0.01:
    raise SystemExit("half of the counts must double the image")
