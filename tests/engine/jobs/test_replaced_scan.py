"""Tests that a scan file that is replaced during a run never enters the record of the image."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import engine
from engine.core import paths
from engine.core.errors import DataError
from engine.data.runs.events import Checkpointed, Finished, Loaded, StageStarted, Warned
from engine.jobs.checkpoint import Job, keep
from engine.jobs.checkpoint import saving as keeping
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.run_context import provenance
from engine.recon.algorithms import Mlem
from engine.results import Results
from engine.simulate import point, simulate_listmode


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Return a study without fingerprints, and a second scan to replace its file."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(keeping, "SHARE", 1e9)  # saving takes no time
    ring = engine.read_scanner("demo-ring")
    for seed, name in enumerate(("scan.h5", "other.h5"), 1):
        engine.save(simulate_listmode(point(), ring, n_prompts=1000, seed=seed), tmp_path / name)
    protocol = ListModeProtocol(
        grid={"voxel_mm": (8, 8, 8), "diameter_mm": 80, "length_mm": 40},
        sensitivity={"method": "sampled", "error_percent": 20},
        algorithm=Mlem(iterations=2),
    )
    return Study(data=tmp_path / "scan.h5", protocol=protocol)


def replace(study: Study) -> None:
    study.data.with_name("other.h5").replace(study.data)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("how", [replace, lambda study: study.data.unlink()])
def test_finished_image_keeps_no_digest_of_another_file(study: Study, how) -> None:
    other, texts = sha256(study.data.with_name("other.h5")), list[str]()
    for event in run(study, on=engine.cpu()):
        if isinstance(event, Loaded):
            how(study)
        if isinstance(event, Warned):
            texts.append(event.text)
    assert isinstance(event, Finished), "the image was lost"
    found = event.provenance["inputs"]
    assert found["data"]["sha256"] == "" and other not in provenance.to_json(event.provenance)
    (text,) = (each for each in texts if "during the run" in each)
    assert text.endswith("The image was computed from the file as it was before.")
    assert text in event.provenance["warnings"]
    assert text in [each.text for each in event.run.warnings]


@pytest.mark.parametrize("removed", ["scan.h5", "image"])
def test_image_is_stored_if_a_file_is_removed_before_it_is_hashed(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removed: str
) -> None:
    name = "hash_file" if removed == "scan.h5" else "_hash_images"
    hashed = getattr(provenance, name)
    if removed == "image":
        image = tmp_path / "scan_0001.tif"
        image.write_bytes(b"pixels")
        monkeypatch.setattr(provenance, "images_behind", lambda _: (image,))

    def removed_before(files: object) -> object:
        for each in [files] if isinstance(files, Path) else files:
            each.unlink(missing_ok=True)
        return hashed(files)

    for event in run(study, on=engine.cpu()):
        if isinstance(event, Loaded):
            monkeypatch.setattr(provenance, name, removed_before)
    assert isinstance(event, Finished), "the image was lost"
    assert event.provenance["inputs"]["data"]["sha256"] == ""
    assert any("during the run" in each.text for each in event.run.warnings)


def test_scan_replaced_while_it_is_read_is_refused(study: Study) -> None:
    with pytest.raises(DataError, match="may belong to another patient"):
        for event in run(study, on=engine.cpu()):
            assert not isinstance(event, Loaded)
            if isinstance(event, StageStarted):
                replace(study)


def test_image_keeps_the_digest_that_a_checkpoint_has_found(study: Study) -> None:
    own, job = sha256(study.data), Job.create(study)
    for event in keep(run(job.study, on=engine.cpu()), job):
        if isinstance(event, Checkpointed) and job.study.data.with_name("other.h5").exists():
            replace(study)
    assert event.provenance["inputs"]["data"]["sha256"] == own
    (result,) = Results().newest_first()
    assert result.record.inputs["data"]["sha256"] == own
    assert result.provenance["inputs"] == result.record.inputs


def test_job_does_not_continue_with_another_scan(study: Study) -> None:
    """Without a checkpoint, it starts again only with its own scan."""
    job = Job.create(study)
    events = keep(run(job.study, on=engine.cpu()), job)
    for event in events:
        if isinstance(event, Loaded):
            replace(study)
        assert not isinstance(event, Checkpointed)
        if isinstance(event, Warned) and "checkpoint" in event.text:
            break
    events.close()
    assert job.latest() is None
    with pytest.raises(DataError, match="may belong to another patient"):
        next(run(job.study, on=engine.cpu()))
