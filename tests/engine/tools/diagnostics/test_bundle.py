"""Tests of the diagnostic bundle, which describes machine and last run without names."""

from __future__ import annotations

import io
import json
import unicodedata
import zipfile
from pathlib import Path

import pytest

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.paths import HOME_VARIABLE, jobs_dir
from engine.tools.diagnostics import gather, keep_fault
from engine.tools.diagnostics.bundle import CONTENT
from engine.tools.diagnostics.faults import last_fault

NAMES = ("Kowalczyk", "Zbigniew", "KOWALCZYK", "19700131", "4711008", "Müller")
"""Patient names in a header, a folder and a file name."""
FOLDER, FILE = "Müller, Zbigniew", "Kowalczyk^Zbigniew 19700131.l"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with a job, settings and a fault that contain names."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    scan = tmp_path / FOLDER / FILE
    job = jobs_dir() / "20261122T120000Z-abcdef"
    job.mkdir()
    record = {
        "status": "failed",
        "title": scan.stem,
        "updates": 84,
        "inputs": {"data": {"name": FILE, "bytes": 12345678, "sha256": "ab" * 32}},
        "text": f"{FILE}: patient KOWALCZYK (4711008) is damaged",
        "output": str(scan.with_suffix(".nii.gz")),
    }
    (job / "job.json").write_text(json.dumps(record), "utf-8")
    (job / "study.toml").write_text(f'data = "{scan}"\ntitle = "Zbigniew"\nvoxel_mm = [2.0]\n')
    settings = f"[General]\ntheme=dark\nrecent={scan}, /data/x.l\nfolder={scan.parent}\n"
    (tmp_path / "home" / "window.ini").write_text(settings, "utf-8")
    keep_fault(_fault(f"could not convert 'KOWALCZYK' of {scan}"))
    return tmp_path


def _fault(text: str) -> Exception:
    try:
        raise ValueError(text)
    except ValueError as e:
        return e


def hits(packed: bytes) -> list[str]:
    """Return the names found anywhere in an archive, in any spelling."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist()] + archive.namelist()
    text = unicodedata.normalize("NFC", "\n".join(texts)).casefold()
    return [name for name in NAMES if name.casefold() in text]


def test_search_finds_names_in_plain_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "x Muller kowalczyk " + unicodedata.normalize("NFD", "Müller"))
    assert hits((tmp_path / "x.zip").read_bytes()) == ["Kowalczyk", "KOWALCZYK", "Müller"]


@pytest.mark.slow
def test_bundle_contains_no_planted_name(home: Path) -> None:
    log = [
        f"12:00:01  {home / FOLDER / FILE}: the file is damaged",
        f"12:00:02  {FILE}: patient KOWALCZYK, born 1970-01-31, id 4711008",
        "12:00:03  opened Zbigniew Kowalczyk.h5 (218,881 prompts)",
    ]
    gather(log=log).write(home / "bundle.zip")
    packed = (home / "bundle.zip").read_bytes()
    assert hits(packed) == []
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == ["README.txt", *CONTENT]
        assert "218,881 prompts" in archive.read("log.txt").decode()


@pytest.mark.essential
@pytest.mark.slow
def test_bundle_contains_environment_devices_and_last_run(home: Path) -> None:
    files = gather().files
    assert "log.txt" not in files, "the bundle has a log although no window was open"
    environment = json.loads(files["environment.json"])
    assert environment["isocenter"] and environment["packages"]["numpy"]
    assert json.loads(files["devices.json"])["devices"][0]["key"] == "cpu"
    job = json.loads(files["job.json"])
    assert job["status"] == "failed" and job["updates"] == 84
    assert job["inputs"]["data"]["bytes"] == 12345678
    assert "theme=dark" in files["settings.txt"]
    assert "voxel_mm = [2.0]" in files["study.txt"]
    assert "ValueError: could not convert" in files["fault.txt"]
    assert all(name in files["README.txt"] for name in files if name != "README.txt")


def test_empty_home_gives_a_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "new"))
    assert set(gather().files) == {"README.txt", "environment.json", "devices.json"}


def test_damaged_job_does_not_prevent_the_bundle(home: Path) -> None:
    (next(jobs_dir().iterdir()) / "job.json").write_bytes(b'{"title": "Kowalczyk\xff')
    gather().write(home / "bundle.zip")
    assert hits((home / "bundle.zip").read_bytes()) == []


def test_command_writes_a_bundle_and_replaces_no_file(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = home / "bundle.zip"
    assert main(["doctor", "--bundle", str(target)]) == 0
    assert "devices.json" in capsys.readouterr().out
    before = target.read_bytes()
    assert hits(before) == []
    assert main(["doctor", "--bundle", str(target)]) == USER_FAULT
    assert main(["doctor", "--bundle", str(home / "bundle.tar")]) == USER_FAULT
    assert target.read_bytes() == before
    assert "add --force" in capsys.readouterr().err


def test_fault_of_a_command_is_stored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.modalities.studies.shipped_protocols", _refuse)
    assert main(["protocols"]) == 1
    assert "this stands for a fault" in last_fault()


def _refuse() -> None:
    raise RuntimeError("this stands for a fault")


def test_unstorable_fault_raises_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "file"))
    keep_fault(ValueError("x"))
    assert last_fault() == ""
