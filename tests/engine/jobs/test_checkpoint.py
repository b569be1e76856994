"""Tests of jobs on disk: saved images, resuming, and refusals."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta

import numpy as np
import psutil
import pytest

from engine.core import paths, private_files
from engine.core.backend import cpu
from engine.core.errors import (
    DataError,
    FileFormatError,
    NumericalError,
    ResourceError,
    SettingsError,
)
from engine.data.runs.events import Checkpointed, Finished, Planned, Preview, StageStarted, Warned
from engine.data.runs.history import RunHistory
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.safety.audit_log import log_file
from engine.jobs.checkpoint import Job, jobs, keep
from engine.jobs.checkpoint import saving as keeping
from engine.jobs.checkpoint.images import IMAGES
from engine.jobs.checkpoint.job import MAX_ENDED
from engine.jobs.checkpoint.job_record import JobRecord
from engine.jobs.checkpoint.owner import Owner
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.protocol_identity import identified_study
from engine.modalities.studies import Study, read_study, with_fingerprints
from engine.protocols.privacy.names import Names
from engine.recon.algorithms import Svrg

GRID = ImageGrid((3, 4, 5), (1.0, 2.0, 3.0))
N_ITERATIONS, N_SUBSETS = 3, 4


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def study(tmp_path):
    scan = tmp_path / "scan.l"
    scan.write_bytes(b"events")
    algorithm = {"kind": "osem", "iterations": N_ITERATIONS, "subsets": N_SUBSETS}
    return Study(data=scan, protocol=ListModeProtocol.model_validate({"algorithm": algorithm}))


def test_audit_log_records_creation_end_and_removal_of_a_job(study):
    job = Job.create(study)
    job.mark("finished")
    job.remove()
    entries = [json.loads(line) for line in log_file().read_bytes().splitlines()]
    assert [entry["what"] for entry in entries] == ["run begun", "run finished", "run deleted"]
    assert {entry["facts"]["job"] for entry in entries} == {job.id}


def test_audit_log_omits_a_folder_chosen_by_the_user(study, tmp_path):
    Job.create(study, tmp_path / "Kowalczyk").mark("aborted")
    assert "Kowalczyk" not in log_file().read_text()


def image(done):
    values = np.random.default_rng(done).random(GRID.shape, np.float32)
    return Volume(values, GRID, "counts/mm")


def shown(done, pause_s=0.0, history=None):
    """Return the preview after a number of updates."""
    iteration, subset = divmod(done - 1, N_SUBSETS)
    where = (iteration + 1, N_ITERATIONS, subset + 1, N_SUBSETS)
    return Preview(image(done), *where, pause_s, history=history or RunHistory())


def run_of(n_updates=N_ITERATIONS * N_SUBSETS, pause_s=0.0, fault=None):
    """Yield the events of a run without computing."""
    yield StageStarted("reconstruct", "OSEM")
    for done in range(1, n_updates + 1):
        time.sleep(pause_s)
        yield shown(done, pause_s)
    if fault is not None:
        raise fault
    yield Finished(image(n_updates), {})


def test_newest_image_is_restored_exactly(study):
    job = Job.create(study)
    assert job.latest() is None
    for done in (1, 2, 3):
        job.save(shown(done))
    resume = Job.open(job.id).latest()
    assert resume.done == 3
    np.testing.assert_array_equal(resume.image, image(3).values)
    assert resume.image.dtype == np.float32
    assert resume.image.flags.writeable
    assert len(list(job.folder.glob("checkpoint-*"))) == 2


def test_run_history_is_restored_exactly(study, rng):
    longest = tuple(float(value) for value in -1e6 * rng.random(10_000))
    started = datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=UTC)
    history = RunHistory(
        started,
        (started + timedelta(days=1),),
        {"read": 0.1, "reconstruct": 1 / 3},
        longest,
        (),
        (-1 / 3, 7),
        11,
    )
    job = Job.create(study)
    job.save(shown(3, history=history))
    assert Job.open(job.id).latest().history == history


@pytest.mark.parametrize("damage", ["flip in image", "flip in head", "truncated", "empty"])
def test_damaged_newest_image_falls_back_to_the_previous_one(study, damage):
    job = Job.create(study)
    job.save(shown(4))
    job.save(shown(5))
    newest = job.folder / IMAGES[1]
    data = bytearray(newest.read_bytes())
    if damage == "flip in image":
        data[-3] ^= 1
    elif damage == "flip in head":
        at = data.index(b'"done":5')
        data[at + 7] = ord("6")
    newest.write_bytes({"truncated": data[:-4], "empty": b""}.get(damage, data))
    assert job.latest().done == 4
    np.testing.assert_array_equal(job.latest().image, image(4).values)
    job.save(shown(6))
    assert job.latest().done == 6


def test_two_damaged_images_are_refused(study):
    job = Job.create(study)
    for done in (1, 2):
        job.save(shown(done))
    for name in IMAGES:
        (job.folder / name).write_bytes(b"x")
    with pytest.raises(FileFormatError, match=r"damaged, .*\. Start the study again"):
        job.latest()


def test_checkpoint_of_an_older_version_is_refused_and_its_job_listed(study):
    job = Job.create(study)
    job.save(shown(1))
    path = job.folder / IMAGES[0]
    line, _, data = path.read_bytes().partition(b"\n")
    older = json.loads(line) | {"format": "isocenter-checkpoint-1"}
    del older["history"]
    path.write_bytes(json.dumps(older).encode() + b"\n" + data)
    with pytest.raises(FileFormatError, match=r"another version of Isocenter\. Start the"):
        job.latest()
    assert [(info.id, info.done) for info in jobs()] == [(job.id, None)]
    job.remove()
    assert jobs() == []


def test_changed_input_is_refused_by_name(study):
    job = Job.create(study)
    job.save(shown(1))
    known = job.record.inputs
    original = study.data.read_bytes()
    study.data.write_bytes(b"other.")
    with pytest.raises(DataError, match=r"^scan\.l: the file has changed since the checkpoint"):
        job.latest()
    # The images of the job must not get the digests of the scan of another patient.
    assert known["data"]["sha256"] and Job(job.folder).record.inputs == known
    study.data.write_bytes(original)
    assert job.latest().done == 1
    study.data.unlink()
    with pytest.raises(ResourceError, match="this file does not exist"):
        job.latest()


def test_scan_replaced_during_the_run_gives_no_checkpoint(study):
    """With its digest, the run could continue with the scan of another patient."""
    job = Job.create(study)
    study.data.write_bytes(b"other.")
    with pytest.raises(DataError, match=r"^scan\.l: the file was replaced, changed or removed"):
        job.save(shown(1))
    assert job.latest() is None and job.record.inputs == {}


def test_changed_protocol_is_refused(study):
    job = Job.create(study)
    job.save(shown(1))
    file = job.folder / "study.toml"
    file.write_text(file.read_text().replace("subsets = 4", "subsets = 5"))
    with pytest.raises(SettingsError, match="the protocol or the Isocenter version has changed"):
        job.latest()


def test_run_with_other_subsets_is_not_resumed(study, monkeypatch):
    job = Job.create(study)
    with monkeypatch.context() as older:
        older.setattr(ListModeProtocol, "state_version", 0)
        job.save(shown(1))
        assert Job(job.folder).latest().done == 1

    with pytest.raises(SettingsError, match=r"Isocenter version has changed .* the study again"):
        Job(job.folder).latest()


def test_run_with_an_older_algorithm_is_not_resumed(study, monkeypatch):
    protocol = ListModeProtocol.model_validate({"algorithm": {"kind": "map"}})
    job = Job.create(study.model_copy(update={"protocol": protocol}))
    with monkeypatch.context() as older:
        older.setattr(Svrg, "state_version", 0)
        job.save(shown(1))

    with pytest.raises(SettingsError, match=r"Isocenter version has changed .* the study again"):
        Job(job.folder).latest()


def test_new_path_of_moved_data_is_accepted(study, tmp_path):
    job = Job.create(study)
    job.save(shown(1))
    moved = study.data.rename(tmp_path / "moved.l")
    file = job.folder / "study.toml"
    file.write_text(file.read_text().replace("scan.l", moved.name))
    assert job.latest().done == 1


def test_job_stores_its_study_with_absolute_paths(study, monkeypatch):
    monkeypatch.chdir(study.data.parent)
    relative = study.model_copy(update={"data": study.data.relative_to(study.data.parent)})
    job = Job.create(relative)
    assert relative.with_absolute_paths() == study
    expected = with_fingerprints(identified_study(study))
    assert set(expected.fingerprints) == {"data"}
    assert job.study == expected, "the job has another study"
    assert read_study(job.folder / "study.toml") == job.study


def test_folder_chosen_by_the_user_holds_one_job(study, tmp_path):
    folder = tmp_path / "mine"
    job = Job.create(study, folder)
    assert Job.open(folder).id == job.id == "mine"
    with pytest.raises(SettingsError, match="already contains a job"):
        Job.create(study, folder)
    with pytest.raises(SettingsError, match="no job has this name"):
        Job.open("elsewhere")


class Clock:
    """A clock that advances by one second at each reading, and by given times."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        self.now_s += 1
        return self.now_s

    def timed(self, events, update_s):
        """Yield events, and advance the clock by `update_s` per image."""
        for event in events:
            self.now_s += update_s if isinstance(event, Preview) else 0
            yield event


@pytest.mark.parametrize("update_s", [0.1, 1.0, 5.0])
def test_saving_takes_at_most_a_twentieth_of_the_run(study, monkeypatch, update_s):
    clock = Clock()
    monkeypatch.setattr(keeping, "monotonic", clock)
    updates = 400
    events = keep(clock.timed(run_of(updates), update_s), Job.create(study))
    saved = sum(isinstance(event, Checkpointed) for event in events)
    assert 0.03 * clock.now_s < saved * 1.0 <= 0.05 * clock.now_s + 1


def test_image_within_an_iteration_is_saved_after_enough_time(study, monkeypatch):
    for update_s, early in ((0.5, False), (200.0, True)):
        clock = Clock()
        monkeypatch.setattr(keeping, "monotonic", clock)
        monkeypatch.setattr(keeping, "INTERVAL_S", 100.0)
        events = list(keep(clock.timed(run_of(), update_s), Job.create(study)))
        saved = [event.subset for event in events if isinstance(event, Checkpointed)]
        assert saved
        assert any(subset < N_SUBSETS for subset in saved) == early


def test_long_iterations_are_saved_before_their_end(study, monkeypatch):
    monkeypatch.setattr(keeping, "INTERVAL_S", 0.05)
    monkeypatch.setattr(keeping, "SHARE", 1.0)
    events = keep(run_of(N_SUBSETS, pause_s=0.03), Job.create(study))
    saved = [event.subset for event in events if isinstance(event, Checkpointed)]
    assert len(saved) > 1
    assert saved[-1] == N_SUBSETS


def test_short_iterations_are_saved_at_most_at_the_interval(study, monkeypatch):
    """Each reading of this clock takes a second, and each iteration a few seconds."""
    for interval_s, expected in ((0.0, list(range(1, 11))), (40.0, [1, 5, 9])):
        clock = Clock()
        monkeypatch.setattr(keeping, "monotonic", clock)
        monkeypatch.setattr(keeping, "INTERVAL_S", 1e6)
        monkeypatch.setattr(keeping, "END_INTERVAL_S", interval_s)
        monkeypatch.setattr(keeping, "SHARE", 1.0)
        events = list(keep(clock.timed(run_of(10 * N_SUBSETS), 2.0), Job.create(study)))
        saved = [event.iteration for event in events if isinstance(event, Checkpointed)]
        assert saved == expected


def test_finished_job_stores_no_image(study):
    job = Job.create(study)
    kinds = [type(event) for event in keep(run_of(), job)]
    assert kinds[-1] is Finished
    assert job.record.status == "finished"
    assert list(job.folder.glob("checkpoint-*")) == []


def test_closing_after_the_final_volume_marks_the_job_finished(study):
    job = Job.create(study)
    events = keep(run_of(), job)
    while not isinstance(next(events), Finished):
        pass
    assert job.record.status == "running"
    events.close()
    assert job.record.status == "finished"


@pytest.mark.parametrize("n_drawn", [1, 2, 7])
def test_closing_saves_the_last_image(study, n_drawn):
    job = Job.create(study)
    events = keep(run_of(), job)
    previews = []
    while len(previews) < n_drawn:
        event = next(events)
        if isinstance(event, Preview):
            previews.append(event)
    events.close()
    assert job.record.status == "aborted"
    assert job.latest().done == n_drawn


def test_interrupt_saves_the_last_image(study):
    job = Job.create(study)
    with pytest.raises(KeyboardInterrupt):
        list(keep(run_of(5, fault=KeyboardInterrupt()), job))
    assert (job.record.status, job.latest().done) == ("aborted", 5)


def test_error_saves_the_last_good_image_and_its_message(study):
    job = Job.create(study)
    with pytest.raises(NumericalError):
        list(keep(run_of(6, fault=NumericalError("iteration 2: not numbers.")), job))
    assert (job.record.status, job.latest().done) == ("failed", 6)
    assert job.record.text == "iteration 2: not numbers."


def test_lost_folder_is_reported_once_and_the_run_continues(study, monkeypatch):
    monkeypatch.setattr(keeping, "SHARE", 1.0)
    job = Job.create(study)
    events = keep(run_of(pause_s=0.01), job)
    drawn = [next(events)]
    for path in job.folder.iterdir():
        path.unlink()
    job.folder.rmdir()
    drawn += list(events)
    warnings = [event.text for event in drawn if isinstance(event, Warned)]
    assert len(warnings) == 1
    assert "The run continues without" in warnings[0]
    assert isinstance(drawn[-1], Finished)


def test_only_the_death_of_its_process_marks_a_job_interrupted(study):
    job = Job.create(study)
    assert not job.info.interrupted
    me = Owner.current()
    free_pid = next(pid for pid in range(2**22 - 1, 0, -1) if not psutil.pid_exists(pid))
    others = {
        "reused number": (me.model_copy(update={"started_s": me.started_s - 3600}), True),
        "dead": (me.model_copy(update={"pid": free_pid}), True),
        "another machine": (me.model_copy(update={"host": "elsewhere", "pid": free_pid}), False),
    }
    for name, (owner, interrupted) in others.items():
        job._change(owner=owner)
        assert job.info.interrupted == interrupted, name
        job.mark("paused")
        assert job.info.interrupted == interrupted, name
    job.mark("aborted")
    assert not job.info.interrupted


def test_running_job_of_another_process_is_not_claimed(study):
    job = Job.create(study)
    parent = psutil.Process(os.getppid())
    owner = Owner.current().model_copy(
        update={"pid": parent.pid, "started_s": parent.create_time()}
    )
    job._change(owner=owner)
    with pytest.raises(ResourceError, match="in use by process"):
        next(keep(run_of(), job))
    assert next(keep(run_of(), job, heir_of=parent.pid)) == StageStarted("reconstruct", "OSEM")
    assert job.record.owner == Owner.current()


def test_jobs_are_listed_newest_first_and_old_files_removed(study):
    first = Job.create(study)
    second = Job.create(study)
    first._change(created_utc=datetime.now(UTC) - timedelta(days=1))
    second.save(shown(5))
    fresh, stale = (second.folder / f".checkpoint-0.bin.{n}.part" for n in "ab")
    for part in (fresh, stale):
        part.touch()
    week_ago = time.time() - 8 * 86_400
    os.utime(stale, (week_ago, week_ago))
    (paths.jobs_dir() / "damaged").mkdir()
    (paths.jobs_dir() / "damaged" / "job.json").write_text("{")
    listed = jobs()
    assert [info.id for info in listed] == [second.id, first.id]
    assert (listed[0].done, listed[0].updates, listed[1].done) == (5, 12, None)
    assert listed[0].title == Names.title(identified_study(study)) and "scan" not in listed[0].title
    assert (fresh.exists(), stale.exists()) == (True, False)


def test_ended_jobs_are_removed_and_interrupted_jobs_stay(study):
    interrupted = Job.create(study)
    interrupted._change(owner=Owner(host=Owner.current().host, pid=0, started_s=0.0))
    template = interrupted.record
    for n in range(MAX_ENDED + 5):
        folder = paths.jobs_dir() / f"old-{n}"
        folder.mkdir()
        created = template.created_utc - timedelta(days=n + 1)
        old = template.model_copy(update={"status": "finished", "created_utc": created})
        (folder / "job.json").write_text(old.model_dump_json())
    Job.create(study)
    ended = [info for info in jobs() if info.status == "finished"]
    assert len(ended) == MAX_ENDED
    assert ended[-1].id == f"old-{MAX_ENDED - 1}"
    assert interrupted.folder.exists()
    entries = [json.loads(line) for line in log_file().read_bytes().splitlines()]
    deleted = {entry["facts"]["job"] for entry in entries if entry["what"] == "run deleted"}
    assert deleted == {f"old-{n}" for n in range(MAX_ENDED, MAX_ENDED + 5)}


def test_removing_a_job_leaves_foreign_files(study, tmp_path):
    job = Job.create(study, tmp_path / "mine")
    other = job.folder / "notes.txt"
    other.touch()
    job.save(shown(1))
    job.remove()
    assert list(job.folder.iterdir()) == [other]
    job = Job.create(study)
    job.remove()
    assert not job.folder.exists()


def test_damaged_record_gives_one_sentence(study):
    job = Job.create(study)
    (job.folder / "job.json").write_text('{"status": "dancing"}')
    with pytest.raises(FileFormatError, match=r"job\.json: the record of this job is damaged"):
        _ = job.record
    assert JobRecord.model_fields["status"].is_required()


def test_changed_record_is_refused(study, tmp_path):
    job = Job.create(study, output=tmp_path / "image.nii")
    file = job.folder / "job.json"
    text = file.read_text()
    for old, new in (("image.nii", "imagf.nii"), ('"seal"', '"sdal"'), ('"device"', '"devicf"')):
        assert old in text
        file.write_text(text.replace(old, new))
        with pytest.raises(FileFormatError, match=r"job\.json: the record of this job is damaged"):
            _ = job.record
    file.write_text(text)
    assert job.record.output.endswith("image.nii")


def test_job_list_shows_names_to_authorised_readers(study):
    job = Job.create(study)
    assert (
        job.info.title == Names.title(identified_study(study))
        and job.info.local_title == job.study.title
    )
    (job.folder / "study.toml").write_text("damaged")
    assert job.info.local_title == job.info.title


def test_job_is_accessible_to_its_owner_only(study, tmp_path):
    before = os.umask(0)
    try:
        job = Job.create(study, tmp_path / "job")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (job.folder, *job.folder.iterdir())}
    assert modes["job"] == 0o700
    assert modes["job.json"] == modes["study.toml"] == 0o600


@pytest.mark.parametrize(
    ("asked", "resumes", "expected"),
    [
        (None, True, 3),
        (5, True, 5),
        (None, False, None),
        (5, False, 5),
    ],
)
def test_resumed_run_uses_its_number_of_threads(study, asked, resumes, expected):
    job = Job.create(study)
    job.note_device(cpu(3))
    assert Job.open(job.folder).threads(asked, resumes=resumes) == expected


def test_record_without_threads_is_read(study):
    job = Job.create(study)
    values = json.loads((job.folder / "job.json").read_text())
    del values["threads"], values["seal"]
    (job.folder / "job.json").write_text(json.dumps(values))
    assert job.threads(None, resumes=True) is None


def test_too_little_disk_space_ends_a_run_before_computing(study, tmp_path):
    job = Job.create(study, output=tmp_path / "image.nii")

    def events():
        yield Planned("cpu", "", image_bytes=1 << 60)
        pytest.fail("the work has begun")

    with pytest.raises(ResourceError, match=r"image\.nii, result: at least"):
        list(keep(events(), job))
    assert Job.open(job.folder).record.status == "failed"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX owners and modes")
def test_job_writable_by_others_is_not_opened(study, tmp_path, monkeypatch):
    monkeypatch.setattr(private_files, "_REACHED_BY_OTHERS", 0o777)
    job = Job.create(study)
    (job.folder / "job.json").chmod(0o666)
    with pytest.raises(SettingsError, match=r"this job cannot be used\. Everybody may write"):
        Job.open(job.folder)
    assert jobs() == []
