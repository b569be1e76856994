"""A queue of studies: each ends for itself, it goes on where it stopped, and nothing piles up."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import numpy as np
import psutil
import pytest

from engine import paths
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.events import Preview
from engine.geometry.ring import RingScanner
from engine.io import read_frames, read_volume, write_listmode
from engine.jobs.checkpoint import jobs
from engine.jobs.process.slots import FOLDER, PREFIX
from engine.jobs.queue import QueuedStudy, run_queue
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.simulate import simulate_listmode, uniform_cylinder
from engine.study.study import Study, write_study
from tests.engine import engine_sources
from tests.engine.jobs.test_gpu_failure import RING

MOST_GROWTH_BYTES = 1 << 20
"""Of a job, after the first few: as promised."""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


def queued(folder: Path, name: str, iterations: int = 2, subsets: int = 3) -> QueuedStudy:
    (folder / f"{name}.l").write_bytes(name.encode())
    algorithm = {"kind": "osem", "iterations": iterations, "subsets": subsets}
    protocol = ListModeProtocol.model_validate({"algorithm": algorithm})
    study = Study(data=folder / f"{name}.l", protocol=protocol)
    return QueuedStudy(study, folder / f"{name}.h5")


def states(*outcomes: object, **options: object) -> list[str]:
    return [each.state for each in run_queue(outcomes, **options)]


def test_each_study_ends_for_itself_and_what_is_there_stays(tmp_path: Path) -> None:
    good, other = queued(tmp_path, "good"), queued(tmp_path, "other")
    bad = QueuedStudy(good.study, tmp_path / "nowhere" / "bad.h5")
    found = list(run_queue((good, bad, other), source=engine_sources.steady))
    assert [each.state for each in found] == ["written", "failed", "written"]
    assert "there is no folder" in found[1].text and found[0].text == ""
    np.testing.assert_array_equal(
        read_volume(good.output).values, 2 * engine_sources.image_after(6)
    )
    again = states(good, bad, other, source=engine_sources.steady)
    assert again == ["there already", "failed", "there already"]
    assert states(good, source=engine_sources.steady, force=True) == ["written"]
    assert read_volume(good.output).info == {"updates": 6}


def test_a_study_whose_engine_fails_or_dies_is_a_sentence_and_the_next_begins(
    tmp_path: Path,
) -> None:
    (died,) = run_queue([queued(tmp_path, "died")], source=engine_sources.killed_gpu)
    assert died.state == "failed" and "SIGSEGV" in died.text
    (failed,) = run_queue([queued(tmp_path, "failed")], source=engine_sources.faulty_input)
    assert failed.state == "failed" and "nothing to reconstruct" in failed.text


def test_a_queue_that_was_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    each, seen = queued(tmp_path, "long", 40), []

    def watch(event: object) -> None:
        seen.append(event)
        if isinstance(event, Preview) and event.iteration == 3:
            raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        closing(run_queue([each], source=engine_sources.slow, on_event=watch)) as outcomes,
    ):
        list(outcomes)
    (left,) = jobs()
    assert left.status == "aborted" and left.done
    updates: list[int] = []

    def note(event: object) -> None:
        updates.extend([event.update] if isinstance(event, Preview) else [])

    (done,) = run_queue([each], source=engine_sources.steady, on_event=note)
    assert done.state == "written" and updates[0] > left.done - 1 >= 5
    assert len(jobs()) == 1, "it is the same job"


def test_nothing_grows_from_one_study_to_the_next(tmp_path: Path) -> None:
    _refuse_growth(tmp_path, 3)


@pytest.mark.slow
def test_nothing_grows_over_200_studies(tmp_path: Path) -> None:
    _refuse_growth(tmp_path, 200)


def _refuse_growth(folder: Path, n: int, n_first: int = 2) -> None:
    """Run studies with images of 8 MB; memory and handles after each are those after the first."""
    me, usage = psutil.Process(), []

    def studies() -> Iterator[QueuedStudy]:
        for k in count():
            if k == n + n_first:
                return
            each = queued(folder, f"study-{k}", 1, 1)
            yield each
            each.output.unlink()

    for outcome in run_queue(studies(), source=engine_sources.large):
        assert outcome.state == "written", outcome.text
        gc.collect()
        usage.append((me.memory_info().rss, me.num_fds(), me.num_threads(), len(me.children())))
    memory, *handles = zip(*usage[n_first:], strict=True)
    slope = np.polyfit(np.arange(n), memory, 1)[0]
    assert slope < MOST_GROWTH_BYTES, f"{slope / 1e6:.2f} MB a job, {memory}"
    for numbers in handles:
        assert len(set(numbers)) == 1, numbers
    assert not list(FOLDER.glob(f"{PREFIX}{os.getpid()}-*")), "shared memory"


def test_the_command_line_names_images_by_pseudonyms_and_tells_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    data = simulate_listmode(phantom, RingScanner(RING), n_prompts=500, seed=7, attenuation=False)
    write_listmode(data, tmp_path / "scan.h5")
    algorithm = {"kind": "osem", "iterations": 1, "subsets": 1}
    protocol = ListModeProtocol.model_validate({"algorithm": algorithm, "frames": "n=2"})
    write_study(Study(data=tmp_path / "scan.h5", protocol=protocol), tmp_path / "Mustermann.toml")
    (tmp_path / "broken.toml").write_text("data = 3\n")
    studies = [str(tmp_path / name) for name in ("broken.toml", "Mustermann.toml")]
    command = ["queue", *studies, "-o", str(tmp_path / "images"), "--format", ".h5"]
    assert main(command) == USER_FAULT
    said = capsys.readouterr()
    assert "1 of 2 studies have no image, the first since: broken.toml" in said.err
    assert "  written, " in said.out
    (image,) = (tmp_path / "images").iterdir()
    assert image.name.startswith("study-") and read_volume(image).unit == "counts/mm"
    assert len(read_frames(image)) == 2
    assert main(["queue", studies[1], *command[3:]]) == DONE
    assert "  there already" in capsys.readouterr().out
