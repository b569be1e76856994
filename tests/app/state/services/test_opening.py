"""Scans, auxiliary files and refused files in every order: inputs are never mixed up."""

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
    """Return a session, the object that opens files for it, and the reported problems."""

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
def desk(qtbot, qapp, preferences, loader):
    made = OpenFiles(preferences, loader, qtbot)
    yield made
    made.commands.wait()


@pytest.fixture(scope="module")
def folder(tiny_ring, tmp_path_factory) -> Path:
    """Scans a and b of one scanner, c of another; a map, efficiencies, and what is none of them."""
    made = tmp_path_factory.mktemp("mixed")
    other = RingScanner(tiny_ring.settings.model_copy(update={"name": "Other", "radius_mm": 90}))
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    for name, scanner in (("a", tiny_ring), ("b", tiny_ring), ("c", other)):
        data = simulate_listmode(phantom, scanner, n_prompts=500, seed=7, attenuation=False)
        write_listmode(data, made / f"{name}.h5")
    saved_volume(made / "mu.h5", 0.0096, "1/mm")
    saved_volume(made / "per-cm.h5", 0.096, "1/mm")
    np.savetxt(made / "norm.txt", np.ones(tiny_ring.n_crystals))
    (made / "text.csv").write_text("name,age\nsomebody,42\n")
    (made / "badscanner.toml").write_text('name = "x"\nn_rings = -3\n')
    (made / "bad.h5").write_bytes((made / "a.h5").read_bytes()[:4000])
    return made


def test_another_scan_starts_without_inputs_of_the_last_one(desk, folder, tiny_ring):
    desk.open(folder / "a.h5")
    desk.open(folder / "mu.h5")
    desk.open(folder / "norm.txt")
    assert desk.files() == {"data": "a.h5", "attenuation": "mu.h5", "normalisation": "norm.txt"}
    before = desk.inputs
    desk.open(folder / "b.h5")
    assert desk.files() == {"data": "b.h5"}
    assert desk.inputs is not before
    assert desk.session.obstacle() == "" and desk.problems == []


@pytest.mark.parametrize("name", ["text.csv", "badscanner.toml", "bad.h5", "no-such.l"])
def test_refused_file_changes_nothing(desk, folder, name):
    desk.open(folder / "a.h5")
    desk.open(folder / "mu.h5")
    before = dict(desk.inputs)
    desk.open(folder / name)
    assert dict(desk.inputs) == before and desk.session.obstacle() == ""
    (problem,) = desk.problems
    assert problem.startswith(f"{name} cannot be opened.")
    assert problem.count(name) > 1, "the message is about the file just opened"
    assert not any(Path(name).stem in line.text for line in desk.session.log), "it is no one's"


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
def test_file_for_the_wrong_role_is_refused_by_name(desk, folder, name, role, words):
    desk.open(folder / "b.h5")
    desk.open(folder / name, role)
    assert desk.files() == {"data": "b.h5"} and desk.session.view.volume is None
    (problem,) = desk.problems
    assert problem.startswith(f"{name} cannot be used.") and words in problem


def test_inputs_of_a_refused_scan_are_refused_with_it(desk, folder):
    desk.open(folder / "a.h5")
    desk.commands.open_path(folder / "bad.h5")
    desk.commands.open_path(folder / "mu.h5")
    desk.settle()
    assert desk.files() == {"data": "a.h5"}
    assert "bad.h5 could not be opened. This file belongs to it." in desk.problems[1]


def test_files_opened_together_belong_to_the_scan_before_them(desk, folder):
    for name in ("a.h5", "norm.txt", "b.h5", "mu.h5"):
        desk.commands.open_path(folder / name)
    assert desk.session.obstacle().endswith("is still being read.")
    desk.settle()
    assert desk.files() == {"data": "b.h5", "attenuation": "mu.h5"}


def test_clearing_a_scan_cancels_files_being_read_for_it(desk, folder):
    desk.open(folder / "a.h5")
    desk.commands.open_path(folder / "mu.h5")
    desk.commands.clear("data")
    desk.settle()
    assert desk.files() == {} and desk.session.view.volume is None


def test_auxiliary_file_needs_a_scan(desk, folder):
    desk.open(folder / "norm.txt")
    assert desk.files() == {}
    assert (
        "Normalisation: no scan is open; first open the scan that this file belongs to."
        in desk.problems[0]
    )


def test_study_with_a_damaged_auxiliary_file_is_refused(desk, folder, small_study):
    desk.open(folder / "a.h5")
    inputs = {"attenuation": folder / "per-cm.h5"}
    desk.commands.open_study(small_study.model_copy(update={"inputs": inputs}))
    desk.settle()
    assert desk.files() == {"data": "a.h5"} and "1/cm" in desk.problems[0]


def test_unsuitable_scanner_changes_nothing(desk, folder):
    desk.open(folder / "a.h5")
    desk.open(folder / "norm.txt")
    before = dict(desk.inputs)
    desk.commands.set_input("scanner", "siemens-mmr")
    desk.settle()
    assert dict(desk.inputs) == before and desk.session.obstacle() == ""


# files remembered for a scanner


def test_remembered_files_are_used_only_for_their_scanner(desk, folder):
    desk.open(folder / "a.h5")
    desk.open(folder / "norm.txt")
    desk.open(folder / "mu.h5")
    assert desk.commands.is_remembered("normalisation") is False
    assert desk.commands.is_remembered("attenuation") is None
    desk.commands.keep("normalisation", True)
    desk.commands.keep("attenuation", True)  # it belongs to the scan: nothing happens
    desk.open(folder / "b.h5")
    assert desk.files() == {"data": "b.h5", "normalisation": "norm.txt"}
    assert desk.inputs["normalisation"].origin.startswith("Used for all scans from Tiny ring")
    desk.open(folder / "c.h5")
    assert desk.files() == {"data": "c.h5"}
    desk.open(folder / "a.h5")
    desk.commands.keep("normalisation", False)
    desk.open(folder / "b.h5")
    assert desk.files() == {"data": "b.h5"} and desk.problems == []


def test_changed_remembered_file_is_skipped_with_a_message(desk, folder, tmp_path):
    norm = tmp_path / "norm.txt"
    norm.write_bytes((folder / "norm.txt").read_bytes())
    desk.open(folder / "a.h5")
    desk.open(norm)
    desk.commands.keep("normalisation", True)
    os.utime(norm, ns=(1, 1))
    desk.open(folder / "b.h5")
    assert desk.files() == {"data": "b.h5"}
    assert "the file saved for Tiny ring was changed or removed" in desk.problems[0]


def test_study_file_is_opened_without_remembered_files(desk, folder, small_study):
    desk.open(folder / "a.h5")
    desk.open(folder / "norm.txt")
    desk.commands.keep("normalisation", True)
    desk.commands.open_study(small_study)
    desk.settle()
    assert desk.files() == {"data": "small.h5"}


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


def test_scan_without_scanner_opens_with_the_next_chosen_one(desk, folder, nameless):
    desk.open(folder / "a.h5")
    desk.open(folder / "mu.h5")
    desk.open(nameless / "scan.clm.safir")
    assert "Choose the scanner or crystal map to open the scan" in desk.problems[0]
    assert desk.files() == {"data": "a.h5", "attenuation": "mu.h5"}
    desk.open(nameless / "maps" / "places.txt")
    assert desk.files() == {"data": "scan.clm.safir", "scanner": "places.txt"}
    desk.open(folder / "b.h5")
    assert desk.files() == {"data": "b.h5"}, "the scanner of the last scan blocks nothing"


def test_remembered_crystal_map_is_used_for_scans_without_scanner(desk, folder, nameless):
    desk.commands.set_input("scanner", str(nameless / "maps" / "places.txt"))
    desk.open(nameless / "scan.clm.safir")
    desk.commands.keep("scanner", True)
    desk.open(folder / "a.h5")
    assert desk.files() == {"data": "a.h5"} and desk.commands.is_remembered("scanner") is None
    desk.open(nameless / "scan.clm.safir")
    assert desk.files() == {"data": "scan.clm.safir", "scanner": "places.txt"}
    assert "Used for all scans" in desk.inputs["scanner"].origin


def test_unknown_hdf5_file_lists_its_contents(desk, tmp_path):
    import h5py

    with h5py.File(tmp_path / "strange.h5", "w") as file:
        file["entry/counts"] = np.ones((3, 4), np.float32)
    desk.open(tmp_path / "strange.h5")
    assert "Datasets: 1 (/entry/counts (3 x 4, float32))." in desk.problems[0]


def test_other_settings_files_in_the_folder_do_not_affect_a_scan(desk, folder, tmp_path):
    scan = tmp_path / "a.h5"
    scan.write_bytes((folder / "a.h5").read_bytes())
    for name in ("one.toml", "two.toml"):
        (tmp_path / name).write_text('file = "x.raw"\nshape = [1, 2, 3]\n')
    desk.open(scan)
    assert desk.files() == {"data": "a.h5"} and desk.problems == []


# crashes of the reader process


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX systems")
def test_crashed_reader_gives_one_sentence_and_the_next_file_opens(desk, folder, loader, tmp_path):
    import signal
    import threading

    desk.open(folder / "a.h5")
    fat = tmp_path / "fat.txt"
    fat.write_text("1 1\n" * 400_000)  # long enough to be killed in it
    desk.commands.open_path(fat, "normalisation")
    threading.Timer(0.05, lambda: os.kill(loader.pid, signal.SIGKILL)).start()
    desk.settle()
    (problem,) = desk.problems
    assert problem.startswith("fat.txt cannot be used. fat.txt: ")
    desk.open(folder / "b.h5")
    assert desk.files() == {"data": "b.h5"} and len(desk.problems) == 1


def test_user_stops_a_file_and_all_queued_after_it(desk, folder, tmp_path):
    desk.open(folder / "a.h5")
    fat = tmp_path / "fat.txt"
    fat.write_text("1 1\n" * 400_000)
    desk.commands.open_path(fat, "normalisation")
    desk.commands.open_path(folder / "b.h5")
    desk.commands.stop_reading()
    desk.settle()
    assert desk.problems == ["fat.txt was not opened. Reading was cancelled."]
    assert desk.files() == {"data": "a.h5"} and desk.session.obstacle() == ""
