"""All frames of a scan have the same prior strength, that of the frame with the median counts."""

from __future__ import annotations

import pytest

from engine.modalities.listmode_pet.frame_subsets import frame_algorithms
from engine.recon.algorithms import Bsrem, Svrg
from engine.recon.algorithms.map_algorithms import STRENGTHS
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.priors.equal_noise import COUNTS_POWER, MIN_COUNTS, TypicalVoxel

COUNTS = (1e5, 4e5, 9e5)


@pytest.mark.parametrize("kind", [Svrg, Bsrem])
def test_frames_with_different_counts_have_the_same_strength(kind: type[Svrg | Bsrem]) -> None:
    demands = [CountDemand(n, 1e3) for n in COUNTS]
    before = kind()
    found = frame_algorithms(before, before.for_counts(demands[1]), demands)
    # each frame has the same number of emitting voxels
    in_voxel = [TypicalVoxel(n / 1e5) for n in COUNTS]
    strengths = [each.strength_for(n) for each, n in zip(found, in_voxel, strict=True)]
    assert strengths == pytest.approx([before.strength_for(in_voxel[1])] * 3)


def test_frame_without_counts_has_the_largest_strength() -> None:
    demands = [CountDemand(n, 1e3) for n in (0.0, 0.0, 5.0)]
    found = frame_algorithms(Svrg(), Svrg(), demands)
    largest = STRENGTHS["standard"] / MIN_COUNTS**COUNTS_POWER
    assert found[0].strength_for(TypicalVoxel(0.0)) == pytest.approx(largest)
