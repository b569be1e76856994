"""Iterations with volumes larger than the memory: in files, with the values of memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.data.runs.events import Checkpointed, Corrected, Event, Finished, Planned, Preview
from engine.data.storage.iterates import iterate_files
from engine.data.storage.volume_file import NAME, place_of
from engine.geometry.grid import ImageGrid
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.modalities.xray_ct.iteration_sizes import MAX_BYTES, iteration_needs
from engine.recon.algorithms import Cgls, FistaTv, Sirt
from engine.recon.algorithms.base import Algorithm
from engine.results import Results
from tests.engine.modalities.xray_ct.test_beyond_memory_ct import (
    ON,
    finished,
    little_memory,
    scan,
    study_of,
)

__all__ = ["little_memory", "scan"]
SIRT = ("algorithm.kind=sirt", "algorithm.iterations=2", "algorithm.subsets=4")
ALGORITHMS = {
    "OS-SIRT": SIRT,
    "SIRT": ("algorithm.kind=sirt", "algorithm.iterations=1", "algorithm.subsets=1"),
    "CGLS": ("algorithm.kind=cgls", "algorithm.iterations=3"),
    "FISTA-TV": ("algorithm.kind=fista_tv", "algorithm.iterations=3", "algorithm.inner=2"),
}
"""Settings of all iterative algorithms."""


def previews(events: list[Event]) -> list[Preview]:
    return [each for each in events if isinstance(each, Preview)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_images_equal_those_in_memory(
    scan: Path, tmp_path: Path, name: str, request: pytest.FixtureRequest
) -> None:
    study = study_of(scan, *ALGORITHMS[name])
    in_memory = list(run(study, on=ON))
    request.getfixturevalue("little_memory")

    shown, messages, planned_texts, found = [], [], [], None
    for event in run(study, on=ON, folder=tmp_path):
        if isinstance(event, Preview):
            shown.append((event.update, np.array(event.volume.values), event.residual))
            assert event.volume.is_in_file  # receivers get no copy
            assert len(iterate_files(tmp_path)) == 1
        elif isinstance(event, Corrected) and event.kind == "volume":
            messages.append(event.text)
        elif isinstance(event, Planned):
            planned_texts.append(event.text)
        elif isinstance(event, Finished):
            found = event.volume.values

    assert any("slices" in text and "values are the same to rounding" in text for text in messages)
    assert all(
        "Disk space needed for projections and volume: up to " in text for text in planned_texts
    )
    expected = finished(in_memory).volume.values
    assert found is not None and place_of(found).path == tmp_path / NAME
    np.testing.assert_allclose(found, expected, atol=5e-5 * expected.max())
    assert [update for update, *_ in shown] == [each.update for each in previews(in_memory)]
    for (_, image, residual), each in zip(shown, previews(in_memory), strict=True):
        np.testing.assert_allclose(image, each.volume.values, atol=5e-5 * image.max())
        assert residual == (None if each.residual is None else pytest.approx(each.residual, 1e-5))
    assert not iterate_files(tmp_path)


@pytest.mark.essential
def test_interrupted_run_continues_with_the_same_bits(
    scan: Path, tmp_path: Path, little_memory: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.jobs.checkpoint.images.MAPPED_BYTES", 0)
    study = study_of(scan, *SIRT, "hounsfield={}")
    expected = finished(list(run(study, on=ON))).volume.values.copy()
    job = Job.create(study, tmp_path / "job")
    events = keep(run(job.study, on=ON, folder=job.folder), job)
    for event in events:
        if isinstance(event, Checkpointed):
            break
    events.close()  # a program that aborts the run does this
    again = Job.open(job.folder)
    resume = again.latest()
    assert resume is not None and 0 < resume.done < 8 and isinstance(resume.image, np.memmap)

    events_after = list(keep(run(again.study, on=ON, resume=resume, folder=again.folder), again))

    assert previews(events_after)[0].update == resume.done + 1
    np.testing.assert_array_equal(finished(events_after).volume.values, expected)
    np.testing.assert_array_equal(Results().newest_first()[0].volume().values, expected)
    assert not list(job.folder.glob("*.f32")) and not list(job.folder.glob("*.bin"))


@pytest.mark.parametrize("algorithm", [Sirt(), Cgls(), FistaTv(inner=2)])
@pytest.mark.parametrize("free", [2 << 30, 8 << 30])
def test_more_memory_changes_neither_slabs_nor_stated_needs(
    algorithm: Algorithm, free: int
) -> None:
    grid, shape = ImageGrid((1024, 1024, 1024), (0.25, 0.25, 0.25)), (720, 1024, 1024)
    needs = iteration_needs(algorithm, shape, grid, free_bytes=free, threads=2)
    assert needs.budget_bytes == MAX_BYTES and needs.memory_bytes <= 2 << 30
    assert needs.disk_bytes > 8 * 4 * grid.n_voxels


def test_many_total_variation_steps_need_many_slices() -> None:
    grid, shape = ImageGrid((1024, 1024, 1024), (0.25, 0.25, 0.25)), (720, 1024, 1024)
    few, many = (
        iteration_needs(FistaTv(inner=n), shape, grid, free_bytes=0, threads=2) for n in (5, 50)
    )
    assert many.budget_bytes > 5 * few.budget_bytes
