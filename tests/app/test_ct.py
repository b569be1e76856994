"""Tests of X-ray CT scans in the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer

from app.state.models.device_choice import DeviceChoice
from app.state.models.messages import Problem
from app.state.models.protocols.library import ProtocolLibrary
from app.state.models.quality import QUALITIES
from app.state.models.run_record import RunState
from app.state.models.session import Session
from engine.core.backend import cpu
from engine.core.backend.devices import cpu_device
from engine.core.errors import DataError, SettingsError
from engine.corrections.preprocess import Binning, Crop, FlatField, Hounsfield
from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import parallel
from engine.io import write_projections
from engine.modalities import MODALITIES
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.protocol_identity import identified_study
from engine.modalities.requirements import BASE_BYTES
from engine.modalities.studies import Study, read_study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.xray.transform import XrayTransform
from engine.protocols.study.assignments import with_settings
from tests.app.conftest import PATIENCE_MS, read_input
from tests.app.engine_in_thread import EngineInThread
from tests.app.shell.test_pages import MAX_CONTROLS, controls_of

MU = 0.02
GRID = ImageGrid((4, 32, 32), (1.0, 1.0, 1.0))


@pytest.fixture(scope="session")
def ct_scan(tmp_path_factory) -> Path:
    """Write a disc with a radius of 10 mm in 60 views of 40 × 4 pixels of 1 mm."""
    angles = np.linspace(0, np.pi, 60, endpoint=False)
    geometry = parallel(angles, shape=(4, 40), pixel_mm=1.0)
    y, x = np.meshgrid(GRID.centres_mm(1), GRID.centres_mm(0), indexing="ij")
    disc = np.broadcast_to(np.where(x**2 + y**2 < 100, MU, 0.0), GRID.shape).astype(np.float32)
    counts = 1e4 * np.exp(-XrayTransform(geometry, GRID, on=cpu(1))(disc)) + 100
    flats = np.full((3, *geometry.shape), 10_100, np.float32)
    darks = np.full((2, *geometry.shape), 100, np.float32)
    path = tmp_path_factory.mktemp("ct") / "disc.h5"
    scan = Projections(counts.astype(np.float32), geometry, "counts", flats=flats, darks=darks)
    write_projections(scan, path)
    return path


@pytest.fixture
def session(qapp, ct_scan) -> Session:
    """Return a session that has read the scan."""
    new_session = Session(DeviceChoice("auto", (cpu_device(2),)))
    new_session.study.set_input("data", read_input("data", str(ct_scan), None, None))
    return new_session


@pytest.fixture
def open_ct(qtbot, window, ct_scan):
    """Open the scan like a dropped file, and wait until it can start."""

    def wait() -> None:
        window.open_path(ct_scan)
        ready = lambda: window.session.study.modality.key == "ct" and not window.session.obstacle()  # noqa: E731
        qtbot.waitUntil(lambda: ready() and not window.commands.is_busy, timeout=PATIENCE_MS)

    return wait


def with_steps(**steps) -> CtProtocol:
    plan = CtProtocol()
    return plan.model_copy(update={"steps": plan.steps.model_copy(update=steps)})


# without a window


def test_ct_scan_is_described_and_selects_its_protocol(session):
    assert session.study.inputs["data"].text == (
        "60 views of 40 × 4 pixels, parallel beam, pixels of 1 × 1 mm"
    )
    assert session.study.protocol == CtProtocol()
    assert session.obstacle() == ""
    bare = Study(data=session.study.to_study().data, protocol=CtProtocol())
    assert session.study.to_study() == identified_study(bare)


def test_window_does_not_hold_the_scan_in_memory(session):
    empty_scan = session.study.inputs.scan.empty_scan
    assert empty_scan.values.shape == (60, 4, 40)
    assert all(a.base.nbytes <= 8 for a in (empty_scan.values, empty_scan.flats, empty_scan.darks))


def test_grid_follows_crop_and_binning(session):
    assert session.study.grid().shape == (4, 40, 40)
    session.study.set_protocol(with_steps(binning=Binning(pixels=2)))
    assert session.study.grid().shape == (2, 20, 20)
    assert session.study.grid().voxel_mm == (2.0, 2.0, 2.0)
    session.study.set_protocol(with_steps(crop=Crop(rows=(1, 3))))
    assert session.study.grid().shape[0] == 2
    session.study.set_protocol(with_steps(crop=Crop(rows=(1, 3), use="off")))
    assert session.study.grid().shape[0] == 4


def test_crop_outside_the_detector_is_reported_before_the_start(session):
    session.study.set_protocol(with_steps(crop=Crop(rows=(2, 9))))
    assert "not inside the detector" in session.obstacle()


def test_each_step_states_if_earlier_steps_allow_it(session):
    obstacles = session.study.modality.obstacles(session.study.protocol, session.study.known)
    usable = [kind for kind, why in obstacles.items() if why is None]
    assert usable == ["flat_field", "bad_pixels", "logarithm", "rings", "centre"]
    off = with_steps(flat_field=FlatField(use="off"))
    obstacles = session.study.modality.obstacles(off, session.study.known)
    assert "flat-field" in obstacles["logarithm"]
    assert "are of kind 'counts'" in obstacles["centre"]


@pytest.mark.parametrize("quality", QUALITIES)
def test_quality_is_recognised(session, quality):
    session.study.use_quality(quality)
    assert session.study.quality == quality
    assert session.study.grid().shape[1] == {"fast": 20, "standard": 40, "fine": 60}[quality]


def test_direct_algorithm_gets_no_iterations(session):
    session.study.use_quality("fast")
    assert session.study.protocol.algorithm == session.study.base.algorithm
    assert "iterations" not in session.study.protocol.algorithm.model_dump()


def test_pet_protocol_is_refused_for_a_ct_scan(session):
    with pytest.raises(
        SettingsError, match="is for scans of type 'PET', but the open scan has type 'X-ray CT'"
    ):
        session.study.use_protocol(ListModeProtocol())
    assert session.study.protocol == CtProtocol()


def test_undo_never_returns_to_a_protocol_of_another_modality(session):
    session.study.use_quality("fast")
    for _ in range(5):
        session.study.undo()
    assert session.study.protocol == CtProtocol()


def test_ct_numbers_need_the_pixel_size(session):
    session.study.set_protocol(CtProtocol(hounsfield=Hounsfield()))
    assert session.obstacle() == ""
    scan = session.study.inputs.scan
    unknown = replace(scan, empty_scan=replace(scan.empty_scan, pixel_mm_known=False))
    session.study.set_input("data", replace(session.study.inputs["data"], content=unknown))
    session.study.set_protocol(CtProtocol(hounsfield=Hounsfield()))  # the value comes with the scan
    assert session.obstacle().startswith("CT numbers need the pixel size")


def on_region(algorithm: str, voxel_mm: float = 0.5) -> CtProtocol:
    """Return a protocol for a small part of the disc."""
    edges = f"grid.voxel_mm=[{voxel_mm}, {voxel_mm}, {voxel_mm}]"
    region = ("grid.diameter_mm=4", "grid.length_mm=2", edges)
    return with_settings(CtProtocol(), (f"algorithm.kind={algorithm}", *region))


def test_forecast_of_a_region_includes_all_needed_memory(session):
    session.study.set_protocol(on_region("fdk"))
    assert session.study.requirements().minimum is None
    assert session.study.modality.grid_note(session.study.protocol, session.study.known) == ""
    session.study.set_protocol(on_region("sirt"))
    requirements = session.study.requirements()
    of_volume, of_part = (
        each.memory_bytes - BASE_BYTES for each in (requirements, requirements.minimum)
    )
    assert of_volume > 2 * of_part
    assert requirements.seconds > requirements.minimum.seconds
    assert requirements.describe().startswith("Memory needed: up to ")
    note = session.study.modality.grid_note(session.study.protocol, session.study.known)
    # outer pixels: 19.5 mm from the axis; outer rows: 1.5 mm from the middle; plus half a voxel
    assert "up to 0.5 mm, 80 × 80 × 8 voxels; the image is cropped afterwards" in note


def test_possibly_too_large_volume_gives_a_warning_and_can_start(session, window):
    volume = window.steps[3]
    window.session.study.set_input("data", session.study.inputs["data"])
    window.session.study.set_protocol(on_region("sirt", voxel_mm=0.01))
    assert not window.session.study.requirements().fits
    assert (
        "The volume may be too large for this computer. Memory needed: up to "
        in volume._result.text()
    )
    assert window.session.obstacle() == ""
    window.session.study.set_protocol(on_region("fdk", voxel_mm=0.01))
    assert window.session.study.requirements().fits
    assert "too large" not in volume._result.text()


def test_protocols_are_offered_for_their_kind_of_scan(tmp_path):
    names = {
        modality.key: [each.protocol.name for each in ProtocolLibrary(tmp_path).listed(modality)]
        for modality in MODALITIES
    }
    assert names["pet"][0] == "Standard"
    assert names["ct"][0] == "Standard CT"
    assert not set(names["pet"]) & set(names["ct"])


def test_nan_values_give_an_error(tmp_path, ct_scan):
    from engine.io import read_projections

    data = read_projections(ct_scan)
    data.values[3, 1, 7] = np.nan
    write_projections(data, tmp_path / "nan.h5")
    with pytest.raises(DataError, match="1 of 9,600 values"):
        read_input("data", str(tmp_path / "nan.h5"), None, None)


# in the window


@pytest.mark.essential
def test_ct_scan_is_reconstructed_in_grey(qtbot, window, open_ct, ct_scan):
    open_ct()
    window.runner.start()
    session = window.session
    qtbot.waitUntil(lambda: session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
    view = session.view
    assert (view.unit, view.colour_map) == ("1/mm", "grey")
    assert view.volume.axes == "xyz", "the views name patient sides without a patient position"
    assert view.window == (0.0, pytest.approx(MU, rel=0.3))
    assert view.volume.values[2, 20, 20] == pytest.approx(MU, rel=0.05)
    message = " ".join(f"{name} {value}" for name, value in window.tabs.widget(0)._rows())
    assert "pixels/s" in message and "events" not in message
    assert window.tabs.widget(0).curve.isHidden()
    assert "events" not in window.tabs.widget(1).headline.text()


def test_steps_show_ct_settings(window, open_ct):
    study, ledger, algorithm, volume, _ = window.steps
    study.set_open(True)
    assert study.scanner.isVisible() and not study.rows["attenuation"].isHidden()
    open_ct()
    window.workflow.inputs.set_open(True)
    assert not study.scanner.isVisible() and not study.rows["attenuation"].isVisible()
    assert study.rows["data"].isVisible()
    assert ledger.summary.startswith("dark and flat field, bad pixels, logarithm")
    assert algorithm.summary.startswith("Filtered back projection")
    assert volume.summary == "1 mm, 40 × 40 × 4"
    assert window.header.choice.protocols.currentText() == "Standard CT"


def test_prepare_page_has_few_controls(window, open_ct):
    open_ct()
    window.resize(1440, 900)
    names = controls_of(window)
    assert len(names) <= MAX_CONTROLS["prepare"], names
    assert {"Projections", "Geometry", "Start"} <= set(names)
    toolbar = window.centre.scan.projections.toolbar
    assert not toolbar.isVisible()
    window.pages.show("judge")
    assert toolbar.isVisible(), "the toolbar is missing on the page Judge"


def test_steps_are_switched_and_set_in_the_ledger(window, open_ct):
    open_ct()
    rows = window.steps[1].ledger.rows
    rows["binning"].more.changed.emit(Binning(pixels=2))
    assert window.session.study.protocol.steps.binning.pixels == 2
    assert window.steps[3].summary == "2 mm, 20 × 20 × 2"
    rows["rings"].unfold.setChecked(True)
    assert not rows["rings"].more.isHidden()


def test_window_switches_between_pet_and_ct(qtbot, window, opened, open_ct, small_study):
    opened()
    open_ct()
    assert set(window.session.study.inputs) == {"data"}
    window.open_path(Path(small_study.data))
    back = lambda: window.session.study.modality.key == "pet" and not window.session.obstacle()  # noqa: E731
    qtbot.waitUntil(lambda: back() and not window.commands.is_busy, timeout=PATIENCE_MS)
    assert "randoms" in window.steps[1].ledger.rows
    assert not window.steps[0].rows["attenuation"].isHidden()
    assert window.session.study.protocol == ListModeProtocol()


def test_study_file_restores_its_modality(qtbot, window, open_ct, tmp_path):
    open_ct()
    window.session.study.use_quality("fine")
    expected = window.session.study.to_study()
    window.commands.save_study(tmp_path / "study.toml")
    assert read_study(tmp_path / "study.toml") == expected
    window.commands.open_study(read_study(tmp_path / "study.toml"))
    qtbot.waitUntil(lambda: not window.session.obstacle(), timeout=PATIENCE_MS)
    assert window.session.study.to_study() == expected


def test_protocol_file_restores_its_modality(qtbot, window, open_ct):
    open_ct()
    window.commands.save_protocol("Mine")
    path = window.context.preferences.folder / "protocols" / "ct-mine.toml"
    window.commands.open_study(
        Study(data=window.session.study.to_study().data, protocol=CtProtocol())
    )
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    window.open_path(path)
    qtbot.waitUntil(lambda: window.session.study.base.name == "Mine", timeout=PATIENCE_MS)
    assert window.session.study.modality.key == "ct"


def test_scanner_is_refused_for_a_ct_scan(qtbot, window, open_ct):
    open_ct()
    message: list[Problem] = []
    window.session.problem_raised.connect(message.append)
    window.commands.set_input("scanner", "safir")
    qtbot.waitUntil(lambda: bool(message), timeout=PATIENCE_MS)
    assert message[0].text == "A study of type X-ray CT does not use this input: scanner."
    assert set(window.session.study.inputs) == {"data"}


def test_damaged_scan_gives_one_sentence_and_the_open_study_stays(qtbot, window, open_ct, tmp_path):
    open_ct()
    before = window.session.study.to_study()
    broken = tmp_path / "broken.h5"
    broken.write_bytes(before.data.read_bytes()[:5000])
    window.open_path(broken)
    qtbot.waitUntil(lambda: window.centre.message_bar.problem is not None, timeout=PATIENCE_MS)
    assert window.session.study.to_study() == before
    assert "\n" not in window.centre.message_bar.problem.text


def test_corrections_already_in_the_scan_are_not_an_error(session, window):
    scan = session.study.inputs.scan
    done = replace(scan, empty_scan=replace(scan.empty_scan, kind="integrals"))
    window.session.study.set_input("data", replace(session.study.inputs["data"], content=done))
    ledger = window.steps[1].ledger
    assert "already" in ledger.rows["logarithm"].text.text()
    assert ledger.rows["logarithm"].text.property("tone") == "muted"
    assert ": ok. " in window.steps[1].head.accessibleName()


def test_lengths_are_in_pixels_if_the_pixel_size_is_unknown(session, window):
    scan = session.study.inputs.scan
    unknown = replace(scan, empty_scan=replace(scan.empty_scan, pixel_mm_known=False))
    step = window.steps[3]
    window.session.study.set_input("data", session.study.inputs["data"])
    assert step.summary == "1 mm, 40 × 40 × 4"
    assert step.form.form._rows["voxel_mm"]._name.text() == "Voxel size (mm)"
    window.session.study.set_input("data", replace(session.study.inputs["data"], content=unknown))
    assert step.summary == "1 pixel, 40 × 40 × 4" and step.tone == "ok"
    assert step._result.text().splitlines()[1] == "40 × 40 × 4 pixels"
    assert step.form.form._rows["voxel_mm"]._name.text() == "Voxel size (pixels)"
    window.session.study.set_input("data", session.study.inputs["data"])
    assert step.form.form._rows["voxel_mm"]._name.text() == "Voxel size (mm)"


@pytest.mark.essential
@pytest.mark.usefixtures("own_process")
def test_start_while_the_last_process_ends_uses_the_same_scan(qtbot, window, open_ct, ct_scan):
    open_ct()
    session, runner = window.session, window.runner
    active = []

    def start_again() -> None:
        """Start as soon as the first run is finished, while its process still runs."""
        if session.run.state is RunState.FINISHED and not active:
            runner.engine = EngineInThread  # only the first run needs a process
            runner.start()
            active.append(session.run.state.is_active)
            window.commands.open_path(ct_scan)

    session.run.state_changed.connect(lambda: QTimer.singleShot(0, start_again))
    runner.start()
    qtbot.waitUntil(lambda: bool(active), timeout=PATIENCE_MS)
    assert active == [True]
    # the second run may already have logged its first stage
    assert any("finish or abort it before changing the study" in line.text for line in session.log)
    done = lambda: session.run.state is RunState.FINISHED and runner.job is None  # noqa: E731
    qtbot.waitUntil(done, timeout=PATIENCE_MS)
    assert session.run.record.result is not None
