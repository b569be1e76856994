"""Tests of expected randoms against the judge's known randoms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import engine
from engine.core.backend import cpu
from engine.corrections import Randoms
from tests.judge.coincidences import coincidences
from tests.judge.materials import WATER
from tests.judge.pairs import RANDOM
from tests.judge.phantoms import Phantom, Region
from tests.judge.readout import Physics
from tests.judge.singles import simulate_singles
from tests.judge.solids import cylinder
from tests.judge.studies import round_ring
from tests.judge_scans import listmode_of, ring_of

ON = cpu(2)
RING = round_ring(60.0, 32.0, n_crystals=96, row_mm=4.0)
TAU_S, DURATION_S = 4e-9, 0.004
SECTORS, SLABS = 12, 2


@dataclass(frozen=True)
class Judged:
    """Scan with singles and delayeds, and a mark for each prompt that is a random."""

    scan: engine.ListMode
    randoms: np.ndarray
    lines: np.ndarray


@pytest.fixture(scope="module")
def judged() -> Judged:
    """Simulate a small source off the centre, with singles that differ between sides and ends."""
    phantom = Phantom("off", (Region(cylinder(15, 30, at=(25, 0, 8)), WATER, 1.0),))
    singles = simulate_singles(
        phantom, RING, Physics(), activity_bq=3.2e8, duration_s=DURATION_S, seed=6
    )
    prompts = coincidences(singles, RING, window_s=TAU_S)
    delayeds = coincidences(singles, RING, window_s=TAU_S, delay_s=1e-6)
    scanner = ring_of(RING, diameter_mm=80.0, voxel_mm=(2.0, 2.0, 2.0))
    crystals = np.concatenate([prompts.crystals, delayeds.crystals])
    scan = listmode_of(prompts, scanner, crystals, delayeds=delayeds, duration_s=DURATION_S)
    counted = np.bincount(singles.crystal, minlength=scanner.n_crystals).astype(np.float32)
    scan = replace(scan, singles=counted, coincidence_window_ps=TAU_S * 1e12)
    randoms = prompts.crystals[prompts.kind == RANDOM]
    lines = scanner.lors(np.arange(scanner.n_lors))
    lines = lines[scanner.in_coincidence(lines)]
    return Judged(scan, randoms[scanner.in_coincidence(randoms)], lines)


def by_blocks(crystals: np.ndarray, counts: np.ndarray | None = None) -> np.ndarray:
    """Return the sums of counts over pairs of coarse blocks of the ring."""
    ring, place = np.divmod(crystals, RING.n_modules)
    block = place * SECTORS // RING.n_modules + SECTORS * (ring * SLABS // RING.n_rows)
    low, high = np.sort(block, axis=1).T
    n = SECTORS * SLABS
    return np.bincount(low * n + high, counts, n * n)


def expected(judged: Judged, model: str) -> np.ndarray:
    """Return (n,) expected randoms on every line of the scanner."""
    scan = judged.scan
    n = len(judged.lines)
    both = replace(
        scan,
        crystals=np.concatenate([judged.lines, scan.crystals]),
        delayed=np.concatenate([np.zeros(n, bool), scan.delayed]),
    )
    if model == "singles":
        both = replace(both, delayed=None)
    return Randoms(model=model).apply(both, on=ON).background[:n].astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["singles", "crystals"])
def test_expected_randoms_of_block_pairs_are_within_counting_noise(
    judged: Judged, model: str
) -> None:
    wanted = by_blocks(judged.lines, expected(judged, model))
    counted = by_blocks(judged.randoms)
    used = wanted > 20
    assert np.count_nonzero(used) > 80 and len(judged.randoms) > 20_000
    # the fit is as noisy as its delayeds, which are as many as the randoms
    chi2 = ((counted - wanted)[used] ** 2 / wanted[used]).mean()
    assert chi2 < 1.35
    error = 4 / np.sqrt(len(judged.randoms))
    assert wanted.sum() == pytest.approx(len(judged.randoms), rel=error)


def test_fitted_randoms_vary_far_less_than_delayeds(judged: Judged) -> None:
    """Compared with the estimate from singles, which is nearly free of noise."""
    truth = expected(judged, "singles")
    fitted = expected(judged, "crystals")
    n = judged.scan.scanner.n_crystals
    key = lambda lines: np.sort(lines, axis=1) @ np.array([n, 1])  # noqa: E731
    order = np.argsort(key(judged.lines))
    at = np.searchsorted(key(judged.lines)[order], key(judged.scan.delayeds.crystals))
    raw = np.bincount(order[at], minlength=len(truth))
    seen = truth > 0
    variances = [np.mean((found - truth)[seen] ** 2 / truth[seen]) for found in (raw, fitted)]
    # more than 20,000 randoms of Poisson noise give their variance to 1 %; the noise of the singles
    # is additional
    assert variances[0] == pytest.approx(1, abs=0.1)
    assert variances[1] < 0.05 * variances[0]
