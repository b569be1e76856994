"""Tests of the command line: results, exit codes, and one sentence per error."""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import nibabel
import numpy as np
import pytest

from engine.cli import main
from engine.cli.console import Console
from engine.core.settings import to_toml
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_volume, save, write_listmode
from engine.io.auxiliary.provenance_file import sidecar_path

RING = RingSettings(
    name="tiny", n_rings=4, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
    max_ring_difference=3, n_tangential=20, voxel_mm=(5, 5, 5), fov_mm=(60, 20),
)  # fmt: skip
ROUGH = ("--set", "sensitivity.method=sampled", "--set", "sensitivity.error_percent=20")
QUICK = ("--set", "algorithm.iterations=2", "--set", "algorithm.subsets=2", "--threads", "2")


def make_scan(path, n=3000):
    scanner = RingScanner(RING)
    rng = np.random.default_rng(4)
    crystals = scanner.lors(rng.integers(0, scanner.n_lors, n))
    write_listmode(ListMode(scanner, crystals, duration_s=1.0), path)
    return path


@pytest.fixture
def scan(tmp_path):
    return make_scan(tmp_path / "scan.h5")


def faults(capsys, *argv):
    """Run an invalid command; return its error sentence, without progress lines."""
    assert main([str(a) for a in argv]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    *progress, last = error.splitlines()
    assert last.startswith("isocenter: "), error
    assert not [line for line in progress if line.startswith("isocenter: ")], error
    return last


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_for_events_does_not_stop_the_image(scan, tmp_path, capsys):
    out = tmp_path / "image.h5"
    assert main(["reconstruct", str(scan), "-o", str(out), *QUICK, "--json", "/dev/full"]) == 0
    output = capsys.readouterr().err
    assert output.count("full: the event log stops here (No space left on device; ") == 1
    assert read_volume(out).values.any()


def test_reconstruct_writes_volume_and_provenance(scan, tmp_path, capsys):
    out = tmp_path / "image.nii.gz"
    log = tmp_path / "events.jsonl"
    assert main(["reconstruct", str(scan), "-o", str(out), *QUICK, "--json", str(log)]) == 0
    image = np.asarray(nibabel.load(out).dataobj)
    assert image.shape == (12, 12, 4) and image.max() > 0
    events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert events[0] == "StageStarted" and events[-1] == "Finished"
    assert events.count("Preview") == 4
    retained = list(tmp_path.glob("*.json"))
    assert any("tiny" in path.read_text() for path in retained)
    assert "log-likelihood" in capsys.readouterr().err


def test_same_command_gives_same_bytes(scan, tmp_path):
    files = []
    for name in ("a", "b"):
        out = tmp_path / name / "image.nii.gz"
        out.parent.mkdir()
        assert main(["reconstruct", str(scan), "-o", str(out), *QUICK]) == 0
        files.append(out.read_bytes())
    assert files[0] == files[1]


def test_reproducible_bits_do_not_depend_on_threads(scan, tmp_path):
    files = []
    for threads in ("1", "2"):
        out = tmp_path / f"{threads}.nii.gz"
        command = ["reconstruct", str(scan), "-o", str(out), *QUICK, "--set", "reproducible=true"]
        assert main([*command, "--threads", threads]) == 0
        files.append(out.read_bytes())
    assert files[0] == files[1]


def test_study_file_and_export(scan, tmp_path, capsys):
    study = tmp_path / "study.toml"
    study.write_text('data = "scan.h5"\n[protocol.algorithm]\nkind = "mlem"\niterations = 2\n')
    out = tmp_path / "image.h5"
    assert main(["reconstruct", str(study), "-o", str(out), "--threads", "2"]) == 0
    capsys.readouterr()
    for title, name in (("Volume", "image.nii.gz"), ("Picture", "image.png")):
        assert main(["export", str(out), str(tmp_path / name)]) == 0
        assert capsys.readouterr().out == f"{title}: {tmp_path / name}\n"
    with h5py.File(out) as file:
        names = []
        file.visit(names.append)
    assert names
    assert (tmp_path / "image.png").stat().st_size > 1000


def test_inspect_describes_a_scan(scan, capsys):
    assert main(["inspect", str(scan)]) == 0
    assert "3,000" in capsys.readouterr().out


def _unknown_hdf5(path):
    with h5py.File(path, "w") as file:
        file["a"] = np.zeros(3)


def _volume(path):
    grid = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), path)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: p.mkdir(), ["this folder contains no scan or image"]),
        (_unknown_hdf5, ["unknown kind of HDF5 file", "Datasets: 1 (/a (3, float64))."]),
        (_volume, ["of type 'Isocenter volume'"]),
        (lambda p: p.write_bytes(b""), ["empty"]),
        (lambda p: p.write_bytes(b"hello world, this is no scan"), ["known", "format"]),
        (lambda p: None, ["this file does not exist"]),
    ],
)
def test_file_that_is_not_a_scan_is_refused(tmp_path, capsys, make, words):
    path, out = tmp_path / "thing.h5", tmp_path / "image.nii.gz"
    make(path)
    sentence = faults(capsys, "reconstruct", path, "-o", out)
    assert any(word in sentence for word in words), sentence
    assert not out.exists()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_unreadable_scan_is_refused(scan, tmp_path, capsys):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    scan.chmod(0)
    assert "permission" in faults(capsys, "reconstruct", scan, "-o", tmp_path / "i.nii.gz")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["algorithm.iterations=0"], "algorithm.iterations"),
        (["algoritm.iterations=3"], "algoritm"),
        (["algorithm.iteratons=3"], "iteratons"),
        (["grid.voxel_mm=[0.05, 0.05, 0.05]", "grid.diameter_mm=99", "grid.length_mm=99"], "GiB"),
        (["corrections.attenuation.use=on"], "μ-map"),
        (["corrections.randoms.use=on"], "delayed"),
        (["grid.centre_mm=[900.0, 0.0, 0.0]"], "no line of response"),
    ],
)
def test_invalid_settings_are_refused(scan, tmp_path, capsys, settings, words):
    out = tmp_path / "image.nii.gz"
    out.write_bytes(b"the result of last week")
    options = [part for text in settings for part in ("--set", text)]
    sentence = faults(capsys, "reconstruct", scan, "-o", out, "--force", *options)
    assert words in sentence, sentence
    assert out.read_bytes() == b"the result of last week"


def test_protocol_file_with_a_typing_error_is_refused(scan, tmp_path, capsys):
    protocol = tmp_path / "p.toml"
    protocol.write_text("[algorithm]\nkind = 'osem'\niteratons = 3\n")
    sentence = faults(capsys, "reconstruct", scan, "-o", tmp_path / "i.nii", "--protocol", protocol)
    assert "p.toml" in sentence and "iteratons" in sentence


@pytest.mark.parametrize("name", ["image.jpg", "no-such-folder/image.nii.gz", "."])
def test_unwritable_output_is_refused_before_the_run(scan, tmp_path, capsys, name):
    faults(capsys, "reconstruct", scan, "-o", tmp_path / name)


def test_mu_map_with_nan_is_refused(scan, tmp_path, capsys):
    values = np.zeros((4, 4, 4), np.float32)
    path = tmp_path / "mu.nii"
    save(Volume(values, ImageGrid((4, 4, 4), (5.0, 5.0, 5.0)), "1/mm"), path)
    image = nibabel.load(path)
    broken = np.asarray(image.dataobj).copy()
    broken[1, 2, 3] = np.nan
    nibabel.save(nibabel.Nifti1Image(broken, image.affine), path)
    sidecar_path(path).unlink()  # the fingerprint would refuse any change
    sentence = faults(capsys, "reconstruct", scan, "-o", tmp_path / "i.nii", "--attenuation", path)
    assert "mu.nii: 1 voxels (1.56 %) are NaN" in sentence


def test_scan_without_prompts_is_refused(tmp_path, capsys):
    scanner = RingScanner(RING)
    crystals = scanner.lors(np.arange(40))
    data = ListMode(scanner, crystals, delayed=np.ones(40, bool), duration_s=1.0)
    write_listmode(data, tmp_path / "scan.h5")
    sentence = faults(capsys, "reconstruct", tmp_path / "scan.h5", "-o", tmp_path / "i.nii")
    assert "is a prompt; choose a scan" in sentence


INTERRUPTED = """
import os, signal, sys
from engine.cli import main
from engine.cli.console import Console
from engine.data.runs.events import Preview

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it behind &
show, previews = Console.show, []

def counted(console, event):
    previews.extend([event] * isinstance(event, Preview))
    if len(previews) == 3 and isinstance(event, Preview):
        os.kill(os.getpid(), signal.SIGINT)  # as Ctrl+C does, at a moment that is known
    show(console, event)

Console.show = counted
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.essential
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
def test_interrupted_run_saves_its_checkpoint_and_resumes(tmp_path):
    scan = make_scan(tmp_path / "scan.h5", n=20_000)
    out, job = tmp_path / "image.nii.gz", tmp_path / "job"
    settings = ("--set", "algorithm.kind=mlem", "--set", "algorithm.iterations=6",
                "--set", "reproducible=true", "--threads", "2")  # fmt: skip
    command = ["reconstruct", str(scan), "-o", str(out), *settings, "--checkpoint", str(job)]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *command],
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert f"`isocenter resume {job}` continues" in done.stderr and not out.exists()
    assert main(["resume", str(job), "--threads", "2"]) == 0
    uninterrupted = tmp_path / "uninterrupted.nii.gz"
    assert main(["reconstruct", str(scan), "-o", str(uninterrupted), *settings]) == 0
    assert out.read_bytes() == uninterrupted.read_bytes()


@pytest.mark.parametrize(
    "words", [("simulate", "listmode", "--prompts", "20000"), ("reconstruct", "scan.h5", *QUICK)]
)
def test_command_without_checkpoint_does_not_suggest_resume(
    words, scan, tmp_path, capsys, monkeypatch
):
    def interrupted(console, event):
        raise KeyboardInterrupt

    monkeypatch.setattr(Console, "show", interrupted)
    monkeypatch.chdir(tmp_path)
    assert main([*words, "-o", "out.h5"]) == 130
    output = capsys.readouterr().err
    assert "interrupted" in output and "resume" not in output
    assert ("same command" in output) == (words[0] == "reconstruct")


def test_resume_of_an_unknown_job_is_refused(capsys, tmp_path):
    assert "no job has this name or folder" in faults(capsys, "resume", tmp_path / "nothing")


def test_simulate_then_reconstruct_with_corrections(tmp_path, capsys):
    scan, scanner = tmp_path / "simulated.h5", tmp_path / "ring.toml"
    scanner.write_text(to_toml(RING))
    of_ring = ("--scanner", str(scanner), "--prompts", "20000")
    assert main(["simulate", "listmode", "-o", str(scan), *of_ring]) == 0
    out = tmp_path / "image.nii.gz"
    assert main(["reconstruct", str(scan), "-o", str(out), *QUICK, *ROUGH]) == 0
    assert "randoms: applied" in capsys.readouterr().err
