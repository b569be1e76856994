"""Tests of `isocenter queue` with the engine: waiting, finished and failed studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.geometry.ring import RingScanner
from engine.io import read_frames, read_volume, write_listmode
from engine.jobs.queue import StudyQueue
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, write_study
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.engine.jobs.test_gpu_failure import RING
from tests.engine.jobs.test_queue import queue as queue


@pytest.fixture
def studies(tmp_path: Path) -> list[str]:
    """Return a study with two time frames, and one with an unreadable scan."""
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    data = simulate_listmode(phantom, RingScanner(RING), n_prompts=500, seed=7, attenuation=False)
    write_listmode(data, tmp_path / "scan.h5")
    (tmp_path / "noise.h5").write_bytes(b"no scan at all")
    algorithm = {"kind": "osem", "iterations": 1, "subsets": 1}
    protocol = ListModeProtocol.model_validate({"algorithm": algorithm, "frames": "n=2"})
    for scan, name in (("scan.h5", "Mustermann.toml"), ("noise.h5", "noise.toml")):
        write_study(Study(data=tmp_path / scan, protocol=protocol), tmp_path / name)
    return [str(tmp_path / name) for name in ("noise.toml", "Mustermann.toml")]


@pytest.mark.slow
def test_queue_reports_failed_studies_and_names_images_by_pseudonyms(
    queue: StudyQueue, studies: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.toml").write_text("data = 3\n")
    images = tmp_path / "images"
    add = ["queue", "add", "-o", str(images), "--format", ".h5"]
    assert main([*add, *studies, str(tmp_path / "broken.toml")]) == USER_FAULT
    assert not queue.entries(), "some studies were queued despite the error"
    assert main([*add, *studies]) == DONE
    noise, good = queue.entries()
    assert main(["queue", "move", good.id, "1"]) == DONE
    assert main(["queue", "pause", good.id]) == DONE and main(["queue", "resume"]) == DONE
    capsys.readouterr()
    assert main(["queue", "run"]) == USER_FAULT
    output = capsys.readouterr()
    assert "Failed studies: 1. First error: " in output.err
    assert output.out.index("scan.h5") < output.out.index("noise.h5"), (
        "studies ran in another order"
    )
    (image,) = images.iterdir()
    assert image.name.startswith("study-") and read_volume(image).unit == "counts/mm"
    assert len(read_frames(image)) == 2
    assert main(["queue", "list"]) == DONE
    listed = capsys.readouterr().out.splitlines()
    assert "finished" in listed[0] and "failed" in listed[1] and "noise.h5" in listed[2]
    assert listed[-1] == "2 studies; queue paused, one at a time"
    assert main(["queue", "retry"]) == DONE and queue.get(noise.id).state == "waiting"
    assert main(["queue", "pause", good.id]) == USER_FAULT
    assert "its state is 'finished' and cannot change to 'paused'" in capsys.readouterr().err
    assert main(["queue", "remove", noise.id, good.id]) == DONE and not queue.entries()


@pytest.mark.parametrize("words", [["pause"], ["remove"], ["answer", "--accept"]])
def test_wrong_id_changes_no_study(
    queue: StudyQueue, studies: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["queue", "add", *studies]) == DONE
    before = queue.entries()
    capsys.readouterr()
    assert main(["queue", *words, before[0].id, "0000abcd"]) == USER_FAULT
    output = capsys.readouterr()
    assert "0000abcd: the queue has no study with this ID" in output.err and not output.out
    assert queue.entries() == before


@pytest.mark.parametrize(
    ("verb", "said"),
    [("resume", "There are no paused studies."), ("retry", "There are no failed studies.")],
)
def test_verb_without_a_study_says_so(
    queue: StudyQueue, verb: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["queue", verb]) == DONE
    assert capsys.readouterr().out.strip() == said
