"""Test of an extension algorithm for counts: one file and one name."""

from __future__ import annotations

import numpy as np
import pytest

from engine.io import read_volume
from tests.extensions.trial import Trial

ROOTED = '''
    """Expectation maximisation with its factor drawn towards 1: x ← x (xⁿ⁺¹ / x)^power."""

    from __future__ import annotations

    from collections.abc import Iterator
    from typing import TYPE_CHECKING, Any, ClassVar, Literal

    import numpy as np
    from numpy.typing import NDArray

    from engine.recon.algorithms.base import Algorithm, Iterate
    from engine.core.settings import setting

    if TYPE_CHECKING:
        from engine.recon.model import SystemModel


    class Rooted(Algorithm):
        """Slower steps of expectation maximisation."""

        title: ClassVar[str] = "Rooted EM"
        kind: Literal["rooted"] = "rooted"
        iterations: int = setting(4, "Passes over all the data", label="Iterations", ge=1, le=99)
        power: float = setting(0.5, "Of the factor", label="Power", gt=0, le=1)

        def run(self, model: SystemModel, x: NDArray[Any]) -> Iterator[Iterate]:
            seen = model.sensitivity > 0
            s = np.where(seen, model.sensitivity, 1)
            while True:
                ratio = model.em_step(x).numerator / s / np.where(x > 0, x, 1)
                x = (x * np.where(seen, ratio, 0) ** self.power).astype(np.float32)
                yield Iterate(x)
'''


def test_algorithm_for_counts_is_added_with_one_file_and_one_name(
    trial: Trial, pet_scan: list[str]
) -> None:
    trial.add_file("engine/recon/algorithms/rooted.py", ROOTED)
    trial.register(
        "engine/recon/algorithms/for_counts.py",
        "ALGORITHMS",
        "engine.recon.algorithms.rooted.Rooted",
    )

    def reconstruct_command(out: str, *settings: str) -> list[str]:
        common = ("reproducible=true", "finishing=[]", *settings)
        pairs = [part for each in common for part in ("--set", each)]
        return ["reconstruct", "scan.h5", "-o", out, *pairs]

    rooted = "algorithm.kind=rooted"
    answers = trial.run(
        pet_scan,
        reconstruct_command("start.h5", "algorithm.kind=mlem", "algorithm.iterations=1"),
        reconstruct_command("whole.h5", rooted, "algorithm.power=1", "algorithm.iterations=1"),
        reconstruct_command("half.h5", rooted, "algorithm.iterations=1"),
        reconstruct_command("slow.h5", rooted, "algorithm.iterations=3"),
        ask={"offered_texts": {}},
    )

    mlem, whole, half, slow = (
        read_volume(trial.work / f"{name}.h5") for name in ("start", "whole", "half", "slow")
    )
    top = mlem.values.max()
    np.testing.assert_allclose(whole.values, mlem.values, rtol=1e-5, atol=1e-6 * top)
    ratio = half.values[mlem.values > 0] ** 2 / mlem.values[mlem.values > 0]
    np.testing.assert_allclose(ratio, np.median(ratio), rtol=1e-4)  # the initial value
    likelihoods = slow.info["log_likelihoods"]
    assert len(likelihoods) == 3 and likelihoods == sorted(likelihoods)
    assert slow.info["iterations_done"] == pytest.approx(3)
    for kind in ("pet", "dual-head"):
        assert "Rooted EM" in answers["offered_texts"][kind]
