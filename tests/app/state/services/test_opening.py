"""Test that inputs of scans are never mixed up, for any order of opened and refused files."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from app.state.models.device_choice import DeviceChoice
from app.state.models.inputs import Inputs
from app.state.models.scanner_inputs import FILE, InputOwner, RememberedInputs, owner_of
from app.state.models.session import Session
from app.state.services.commands import Commands
from engine.core.backend.devices import cpu_device
from engine.geometry.ring import RingScanner
from engine.io import write_listmode
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.app.conftest import PATIENCE_MS
from tests.app.shell.test_window import saved_volume


class OpenFiles:
    """A session, the commands that open its files, and the reported problems."""

    def __init__(self, preferences, loader, qtbot) -> None:
        self.session = Session(DeviceChoice("auto", (cpu_device(2),)))
        self.commands = Commands(self.session, preferences, loader)
        self.problems: list[str] = []
        self.session.problem_raised.connect(lambda p: self.problems.append(f"{p.title} {p.text}"))
        self._qtbot = qtbot

    @property
    def inputs(self) -> Inputs:
        return self.session.study.inputs

    def open(self, path: Path, role: str = "") -> None:
        self.commands.open_path(path, role)
        self.settle()

    def settle(self) -> None:
        quiet = lambda: not self.commands.is_busy and not self.session.study.reading  # noqa: E731
        self._qtbot.waitUntil(quiet, timeout=PATIENCE_MS)

    def files(self) -> dict[str, str]:
        return {role: found.name for role, found in self.inputs.items()}


@pytest.fixture
def opener(qtbot, qapp, preferences, loader):
    files = OpenFiles(preferences, loader, qtbot)
    yield files
    files.commands.wait()


@pytest.fixture(scope="module")
def folder(tiny_ring, tmp_path_factory) -> Path:
    """Scans a and b of one scanner, c of another; a map, efficiencies, and unrelated files."""
    path = tmp_path_factory.mktemp("mixed")
    other = RingScanner(tiny_ring.settings.model_copy(update={"name": "Other", "radius_mm": 90}))
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    for name, scanner in (("a", tiny_ring), ("b", tiny_ring), ("c", other)):
        data = simulate_listmode(phantom, scanner, n_prompts=500, seed=7, attenuation=False)
        write_listmode(data, path / f"{name}.h5")
    saved_volume(path / "mu.h5", 0.0096, "1/mm")
    saved_volume(path / "per-cm.h5", 0.096, "1/mm")
    np.savetxt(path / "norm.txt", np.ones(tiny_ring.n_crystals))
    (path / "text.csv").write_text("name,age\nsomebody,42\n")
    (path / "badscanner.toml").write_text('name = "x"\nn_rings = -3\n')
    (path / "bad.h5").write_bytes((path / "a.h5").read_bytes()[:4000])
    return path


def test_another_scan_starts_without_inputs_of_the_last_one(opener, folder, tiny_ring):
    opener.open(folder / "a.h5")
    opener.open(folder / "mu.h5")
    opener.open(folder / "norm.txt")
    assert opener.files() == {"data": "a.h5", "attenuation": "mu.h5", "normalisation": "norm.txt"}
    before = opener.inputs
    opener.open(folder / "b.h5")
    assert opener.files() == {"data": "b.h5"}
    assert opener.inputs is not before
    assert opener.session.obstacle() == "" and opener.problems == []


@pytest.mark.parametrize("name", ["text.csv", "badscanner.toml", "bad.h5", "no-such.l"])
def test_refused_file_changes_nothing(opener, folder, name):
    opener.open(folder / "a.h5")
    opener.open(folder / "mu.h5")
    before = dict(opener.inputs)
    opener.open(folder / name)
    assert dict(opener.inputs) == before and opener.session.obstacle() == ""
    (problem,) = opener.problems
    assert problem.startswith(f"{name} cannot be opened.")
    assert problem.count(name) > 1, "the message does not name the opened file"
    assert not any(Path(name).stem in line.text for line in opener.session.log), (
        "the log contains the name of a refused file"
    )


@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("per-cm.h5", "attenuation", "the stated unit is 1/mm, but the values look like 1/cm"),
        ("text.csv", "normalisation", "expected only numbers"),
        ("a.h5", "attenuation", "a.h5"),
        ("mu.h5", "data", "This file is an image volume, not a scan. Choose"),
        ("mu.h5", "scanner", "not a scanner"),
    ],
)
def test_file_for_the_wrong_role_is_refused_by_name(opener, folder, name, role, words):
    opener.open(folder / "b.h5")
    opener.open(folder / name, role)
    assert opener.files() == {"data": "b.h5"} and opener.session.view.volume is None
    (problem,) = opener.problems
    assert problem.startswith(f"{name} cannot be used.") and words in problem


def test_inputs_of_a_refused_scan_are_refused_with_it(opener, folder):
    opener.open(folder / "a.h5")
    opener.commands.open_path(folder / "bad.h5")
    opener.commands.open_path(folder / "mu.h5")
    opener.settle()
    assert opener.files() == {"data": "a.h5"}
    assert "bad.h5 could not be opened. This file belongs to it." in opener.problems[1]


def test_files_opened_together_belong_to_the_scan_before_them(opener, folder):
    for name in ("a.h5", "norm.txt", "b.h5", "mu.h5"):
        opener.commands.open_path(folder / name)
    assert opener.session.obstacle().endswith("is still being read.")
    opener.settle()
    assert opener.files() == {"data": "b.h5", "attenuation": "mu.h5"}


def test_clearing_a_scan_cancels_files_being_read_for_it(opener, folder):
    opener.open(folder / "a.h5")
    opener.commands.open_path(folder / "mu.h5")
    opener.commands.clear("data")
    opener.settle()
    assert opener.files() == {} and opener.session.view.volume is None


def test_auxiliary_file_needs_a_scan(opener, folder):
    opener.open(folder / "norm.txt")
    assert opener.files() == {}
    assert (
        "Normalisation: no scan is open; first open the scan that this file belongs to."
        in opener.problems[0]
    )


def test_study_with_a_damaged_auxiliary_file_is_refused(opener, folder, small_study):
    opener.open(folder / "a.h5")
    inputs = {"attenuation": folder / "per-cm.h5"}
    opener.commands.open_study(small_study.model_copy(update={"inputs": inputs}))
    opener.settle()
    assert opener.files() == {"data": "a.h5"} and "1/cm" in opener.problems[0]


def test_unsuitable_scanner_changes_nothing(opener, folder):
    opener.open(folder / "a.h5")
    opener.open(folder / "norm.txt")
    before = dict(opener.inputs)
    opener.commands.set_input("scanner", "siemens-mmr")
    opener.settle()
    assert dict(opener.inputs) == before and opener.session.obstacle() == ""


# files remembered for a scanner


def test_remembered_files_are_used_only_for_their_scanner(opener, folder):
    opener.open(folder / "a.h5")
    opener.open(folder / "norm.txt")
    opener.open(folder / "mu.h5")
    assert opener.commands.is_remembered("normalisation") is False
    assert opener.commands.is_remembered("attenuation") is None
    opener.commands.keep("normalisation", True)
    opener.commands.keep("attenuation", True)  # it belongs to the scan: nothing happens
    opener.open(folder / "b.h5")
    assert opener.files() == {"data": "b.h5", "normalisation": "norm.txt"}
    assert opener.inputs["normalisation"].origin.startswith("Used for all scans from Tiny ring")
    opener.open(folder / "c.h5")
    assert opener.files() == {"data": "c.h5"}
    opener.open(folder / "a.h5")
    opener.commands.keep("normalisation", False)
    opener.open(folder / "b.h5")
    assert opener.files() == {"data": "b.h5"} and opener.problems == []


def test_changed_remembered_file_is_skipped_with_a_message(opener, folder, tmp_path):
    norm = tmp_path / "norm.txt"
    norm.write_bytes((folder / "norm.txt").read_bytes())
    opener.open(folder / "a.h5")
    opener.open(norm)
    opener.commands.keep("normalisation", True)
    os.utime(norm, ns=(1, 1))
    opener.open(folder / "b.h5")
    assert opener.files() == {"data": "b.h5"}
    assert "the file saved for Tiny ring was changed or removed" in opener.problems[0]


def test_study_file_is_opened_without_remembered_files(opener, folder, small_study):
    opener.open(folder / "a.h5")
    opener.open(folder / "norm.txt")
    opener.commands.keep("normalisation", True)
    opener.commands.open_study(small_study)
    opener.settle()
    assert opener.files() == {"data": "small.h5"}


def test_same_name_with_another_geometry_is_another_scanner(tiny_ring):
    wider = RingScanner(tiny_ring.settings.model_copy(update={"radius_mm": 81}))
    assert InputOwner.of_scanner(wider) != InputOwner.of_scanner(tiny_ring)
    assert owner_of("attenuation", None, tiny_ring) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"scanner x": {"normalisation": {}}}', "\xff", ""])
def test_damaged_list_of_remembered_files_is_renamed(tmp_path, tiny_ring, text):
    (tmp_path / FILE).write_text(text, "latin-1")
    stored, owner = RememberedInputs(tmp_path), InputOwner.of_scanner(tiny_ring)
    assert stored.of(owner) == {} and "save the files for each scanner again" in stored.fault
    stored.keep(owner, "normalisation", "norm.txt", date(2026, 11, 22))
    again = RememberedInputs(tmp_path)
    assert again.fault == "" and again.of(owner)["normalisation"].value == "norm.txt"


# a scan that does not name its scanner


@pytest.fixture
def nameless(tmp_path, tiny_ring) -> Path:
    """Return a SAFIR scan without a crystal map in its folder, and the map in another one."""
    from tests.farm.scans import write_crystal_map, write_safir

    write_safir(tmp_path / "scan.clm.safir", tiny_ring, seed=1)
    (tmp_path / "maps").mkdir()
    write_crystal_map(tmp_path / "maps" / "places.txt", tiny_ring)
    return tmp_path


def test_scan_without_scanner_opens_with_the_next_chosen_one(opener, folder, nameless):
    opener.open(folder / "a.h5")
    opener.open(folder / "mu.h5")
    opener.open(nameless / "scan.clm.safir")
    assert "Choose the scanner or crystal map to open the scan" in opener.problems[0]
    assert opener.files() == {"data": "a.h5", "attenuation": "mu.h5"}
    opener.open(nameless / "maps" / "places.txt")
    assert opener.files() == {"data": "scan.clm.safir", "scanner": "places.txt"}
    opener.open(folder / "b.h5")
    assert opener.files() == {"data": "b.h5"}, (
        "the scanner of the last scan was used for the next one"
    )


def test_remembered_crystal_map_is_used_for_scans_without_scanner(opener, folder, nameless):
    opener.commands.set_input("scanner", str(nameless / "maps" / "places.txt"))
    opener.open(nameless / "scan.clm.safir")
    opener.commands.keep("scanner", True)
    opener.open(folder / "a.h5")
    assert opener.files() == {"data": "a.h5"} and opener.commands.is_remembered("scanner") is None
    opener.open(nameless / "scan.clm.safir")
    assert opener.files() == {"data": "scan.clm.safir", "scanner": "places.txt"}
    assert "Used for all scans" in opener.inputs["scanner"].origin


def test_unknown_hdf5_file_lists_its_contents(opener, tmp_path):
    import h5py

    with h5py.File(tmp_path / "strange.h5", "w") as file:
        file["entry/counts"] = np.ones((3, 4), np.float32)
    opener.open(tmp_path / "strange.h5")
    assert "Datasets: 1 (/entry/counts (3 x 4, float32))." in opener.problems[0]


def test_other_settings_files_in_the_folder_do_not_affect_a_scan(opener, folder, tmp_path):
    scan = tmp_path / "a.h5"
    scan.write_bytes((folder / "a.h5").read_bytes())
    for name in ("one.toml", "two.toml"):
        (tmp_path / name).write_text('file = "x.raw"\nshape = [1, 2, 3]\n')
    opener.open(scan)
    assert opener.files() == {"data": "a.h5"} and opener.problems == []


# crashes of the reader process


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_crashed_reader_gives_one_sentence_and_the_next_file_opens(
    opener, folder, loader, tmp_path
):
    import signal
    import threading

    opener.open(folder / "a.h5")
    fat = tmp_path / "fat.txt"
    fat.write_text("1 1\n" * 400_000)  # long enough to be killed while it is read
    opener.commands.open_path(fat, "normalisation")
    threading.Timer(0.05, lambda: os.kill(loader.pid, signal.SIGKILL)).start()
    opener.settle()
    (problem,) = opener.problems
    assert problem.startswith("fat.txt cannot be used. fat.txt: ")
    opener.open(folder / "b.h5")
    assert opener.files() == {"data": "b.h5"} and len(opener.problems) == 1


def test_user_stops_a_file_and_all_queued_after_it(opener, folder, tmp_path):
    opener.open(folder / "a.h5")
    fat = tmp_path / "fat.txt"
    fat.write_text("1 1\n" * 400_000)
    opener.commands.open_path(fat, "normalisation")
    opener.commands.open_path(folder / "b.h5")
    opener.commands.stop_reading()
    opener.settle()
    assert opener.problems == ["fat.txt was not opened. Reading was cancelled."]
    assert opener.files() == {"data": "a.h5"} and opener.session.obstacle() == ""
