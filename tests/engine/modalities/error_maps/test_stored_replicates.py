"""Finished replicates survive an interrupted run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import ResourceError
from engine.data.runs.events import Preview
from engine.modalities.error_maps import stored_replicates
from engine.modalities.error_maps.stored_replicates import FOLDER, StoredReplicates
from engine.protocols.run_context.context import Resume
from engine.recon.algorithms import svrg_cycle
from tests.engine.modalities.map_scans import events_of, last, study

SHAPE = (2, 3, 4)
N, N_FINISHED = 8, 3


def random_images(rng: np.random.Generator, n: int = 3) -> list[np.ndarray]:
    return [rng.normal(size=SHAPE).astype(np.float32) for _ in range(n)]


def stored(folder: Path, *settings: object) -> StoredReplicates:
    return StoredReplicates.of(folder, np.ones(SHAPE, np.float32), *settings)


def test_stored_replicates_have_their_bits(rng: np.random.Generator, tmp_path: Path) -> None:
    images = random_images(rng)
    for number, image in enumerate(images):
        stored(tmp_path, 7).add(number, image)

    np.testing.assert_array_equal(stored(tmp_path, 7).read(SHAPE), images)
    assert stored(tmp_path, 8).read(SHAPE) == [], "other settings have no replicates"
    other = StoredReplicates.of(tmp_path, np.full(SHAPE, 2, np.float32), 7)
    assert other.read(SHAPE) == [], "another image has no replicates"
    stored(tmp_path, 7).remove()
    assert stored(tmp_path, 7).read(SHAPE) == []


@pytest.mark.parametrize("damage", ["flipped", "short", "missing", "exchanged"])
def test_damaged_replicate_is_missing(
    rng: np.random.Generator, tmp_path: Path, damage: str
) -> None:
    images = random_images(rng)
    for number, image in enumerate(images):
        stored(tmp_path).add(number, image)
    path = tmp_path / FOLDER / "0001.bin"
    data = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "exchanged":
        path.write_bytes((tmp_path / FOLDER / "0002.bin").read_bytes())
    else:
        path.write_bytes(data[:-1] + (bytes([data[-1] ^ 1]) if damage == "flipped" else b""))

    np.testing.assert_array_equal(stored(tmp_path).read(SHAPE), images[:1])


def test_full_disk_stores_nothing_and_does_not_stop_the_run(
    rng: np.random.Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, _ = random_images(rng)
    of = stored(tmp_path)
    of.add(0, first)

    def full(*_: object, **__: object) -> None:
        raise ResourceError("the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(stored_replicates, "write_atomically", full)
        of.add(1, second)
    of.add(2, second)

    assert not (tmp_path / FOLDER).exists()


@pytest.mark.parametrize("batch", [N, 2])
def test_resumed_run_computes_only_the_missing_replicates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """Replicates of MAP are finished one by one, also within a batch of the Hessian."""
    monkeypatch.setattr("engine.modalities.error_maps.stage.batch_of", lambda *_: batch)
    of = study(tmp_path, "events", "algorithm.iterations=2", f"error_replicates={N}")
    whole, job = events_of(of), tmp_path / "job"
    job.mkdir()
    add = StoredReplicates.add

    def interrupted(self: StoredReplicates, number: int, image: np.ndarray) -> None:
        if number == N_FINISHED:
            raise KeyboardInterrupt
        add(self, number, image)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(StoredReplicates, "add", interrupted)
        events_of(of, folder=job)
    assert len(list((job / FOLDER).iterdir())) == N_FINISHED

    cycles, run_cycle = [], svrg_cycle.run_cycle

    def counted(*arguments: object) -> object:
        cycles.append(arguments)
        return run_cycle(*arguments)

    monkeypatch.setattr(svrg_cycle, "run_cycle", counted)
    preview = [each for each in whole if isinstance(each, Preview)][-1]
    where = Resume(preview.volume.values, preview.update, preview.history)
    resumed = events_of(of, resume=where, folder=job)

    assert len(cycles) == N - N_FINISHED
    one, other = (last(each).volume.error for each in (whole, resumed))
    assert one is not None and other is not None
    np.testing.assert_array_equal(one.deviations, other.deviations)
    np.testing.assert_array_equal(one.scale, other.scale)
    assert not (job / FOLDER).exists()
