"""Scans with almost no events, and repeated runs of one scan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.data.runs.events import Corrected, Event, Finished
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode
from engine.jobs import hash_array
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings

RING = RingScanner(
    RingSettings(
        name="tiny",
        n_rings=4,
        n_crystals_per_ring=32,
        radius_mm=60,
        ring_pitch_mm=5,
        max_ring_difference=3,
        n_tangential=16,
        voxel_mm=(5, 5, 5),
        fov_mm=(50, 20),
    )
)
MIDDLE = 133
"""A line of response through the axis."""
SETTINGS = ("algorithm.iterations=2", "algorithm.subsets=2", "finishing=[]", "reproducible=true")


def events(folder: Path, lines: np.ndarray, *, delayed: np.ndarray | None = None) -> list[Event]:
    """Reconstruct a scan of these lines of response; return all events of the run."""
    return list(run(study(folder, lines, delayed=delayed), on=cpu(2)))


def study(folder: Path, lines: np.ndarray, *, delayed: np.ndarray | None = None) -> Study:
    """Return a scan of these lines of response."""
    scan = ListMode(RING, RING.lors(lines), duration_s=1.0, delayed=delayed)
    write_listmode(scan, folder / "scan.h5")
    return Study(data=folder / "scan.h5", protocol=with_settings(ListModeProtocol(), SETTINGS))


def last(of_run: list[Event]) -> np.ndarray:
    """Return the image at the end of a run."""
    assert isinstance(of_run[-1], Finished)
    return np.asarray(of_run[-1].volume.values)


def test_scan_without_events_is_refused_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="prompt"):
        events(tmp_path, np.zeros(0, np.int64))


def test_fewer_events_than_subsets_are_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"1 prompts .* for 2 subsets.*algorithm\.subsets to at most 1"
    ):
        events(tmp_path, np.array([MIDDLE]))


def test_one_event_gives_a_finite_image(tmp_path: Path) -> None:
    one = study(tmp_path, np.array([MIDDLE]))
    protocol = with_settings(one.protocol, ("algorithm.subsets=1",))
    one = one.model_copy(update={"protocol": protocol})
    image = last(list(run(one, on=cpu(2))))
    assert np.isfinite(image).all() and image.min() >= 0 and image.max() > 0


def test_scan_of_delayeds_is_refused_with_a_reason(tmp_path: Path) -> None:
    lines = np.arange(0, RING.n_lors, 11)
    with pytest.raises(DataError, match="prompt"):
        events(tmp_path, lines, delayed=np.ones(len(lines), bool))


def test_scan_of_only_randoms_is_reported(tmp_path: Path, rng: np.random.Generator) -> None:
    lines = rng.integers(0, RING.n_lors, 20_000)
    messages = events(tmp_path, lines, delayed=np.arange(len(lines)) % 2 == 0)
    (randoms,) = [e for e in messages if isinstance(e, Corrected) and e.kind == "randoms"]
    share = float(randoms.text.split(" %")[0].split()[-1])
    assert share == pytest.approx(100, abs=5)
    image = last(messages)
    assert np.isfinite(image).all() and image.min() >= 0


def test_ten_runs_with_one_or_two_threads_have_one_hash(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    same = study(tmp_path, rng.integers(0, RING.n_lors, 5_000))
    hashes = {hash_array(last(list(run(same, on=cpu(1 + k % 2))))) for k in range(10)}
    assert len(hashes) == 1
