"""Test of an extension filter: one file and one name."""

from __future__ import annotations

import numpy as np

from engine.io import read_volume
from tests.extensions.trial import Trial

UNSHARP = '''
    """Unsharp mask: x + amount (x - mean of neighbours along x)."""

    from __future__ import annotations

    from typing import Any, ClassVar, Literal

    from numpy.typing import NDArray

    from engine.core.arrays import module_of
    from engine.geometry.grid import Point
    from engine.recon.postprocess.base import Filter
    from engine.core.settings import setting


    class Unsharp(Filter):
        """Unsharp mask along rows."""

        title: ClassVar[str] = "Unsharp mask"
        kind: Literal["unsharp"] = "unsharp"
        amount: float = setting(1.0, "How much of the detail is added", label="Amount", gt=0, le=9)

        def apply(self, image: NDArray[Any], voxel_mm: Point) -> NDArray[Any]:
            roll = module_of(image).roll
            mean = (roll(image, 1, axis=2) + roll(image, -1, axis=2)) / 2
            return image + self.amount * (image - mean)

        def describe(self) -> str:
            return f"unsharp mask of {self.amount:g}"
'''


def test_filter_is_added_with_one_file_and_one_name(trial: Trial, ct_scan: list[str]) -> None:
    trial.add_file("engine/recon/postprocess/unsharp.py", UNSHARP)
    trial.register(
        "engine/recon/postprocess/__init__.py",
        "FILTERS",
        "engine.recon.postprocess.unsharp.Unsharp",
    )

    answers = trial.run(
        ct_scan,
        ["reconstruct", "scan.h5", "-o", "plain.h5"],
        ["reconstruct", "scan.h5", "-o", "sharp.h5",
         "--set", 'finishing=[{kind="unsharp", amount=2.0}]'],
        ask={"offered_texts": {}},
    )  # fmt: skip

    plain, sharp = (read_volume(trial.work / f"{name}.h5") for name in ("plain", "sharp"))
    image = plain.values
    mean = (np.roll(image, 1, axis=2) + np.roll(image, -1, axis=2)) / 2
    np.testing.assert_allclose(sharp.values, image + 2 * (image - mean), atol=1e-6)
    assert np.abs(sharp.values - image).max() > 0.1 * image.max()
    assert sharp.info["protocol"]["finishing"] == [{"kind": "unsharp", "amount": 2.0}]
    for kind in ("pet", "dual-head", "ct"):
        assert {"Unsharp mask", "Gaussian"} <= set(answers["offered_texts"][kind])
