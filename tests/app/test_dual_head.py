"""Tests of dual-head PET in the window, with a system response or with rays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from app.state.models.device_choice import DeviceChoice
from app.state.models.inputs import Inputs
from app.state.models.quality import QUALITIES
from app.state.models.run_record import RunState
from app.state.models.session import Session
from app.workspace.steps.study_step import words_on
from engine.core.backend import cpu
from engine.core.backend.devices import cpu_device
from engine.core.errors import EngineError, SettingsError
from engine.corrections.roles import EFFICIENCIES
from engine.data.components import Components
from engine.data.histogram import with_settings
from engine.data.listmode import ListMode
from engine.data.response import ResponseMatrix
from engine.io import read_scanner, write_histogram, write_listmode
from engine.io.hdf5.response import write_response
from engine.modalities.dual_head_pet.modality import DualHeadPet
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.dual_head_pet.response_role import RESPONSE
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.recognise import purpose_of
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.simulate.histogram import simulate_histogram
from engine.simulate.phantoms import point
from tests.app.conftest import PATIENCE_MS, read_input

QUICK = AnalyticResponse(n_points=512)
ADAC = "pet-listmode-adac-dualhead-2sources/sample_2p_static.csv"
SOURCES_MM = ((255 - 300, 280 - 356, 300 - 345), (327 - 300, 280 - 356, 300 - 189))


@pytest.fixture(scope="module")
def response() -> ResponseMatrix:
    return build_analytic(read_scanner("test-panels"), QUICK)


@pytest.fixture(scope="module")
def histogram(response, tmp_path_factory) -> Path:
    """Write a ball between the test panels, with randoms."""
    ball = point(1.0, 0.5, -1.0, diameter_mm=3.0)
    data = simulate_histogram(
        ball, response, n_prompts=40_000, seed=2, on=cpu(2), randoms_fraction=0.2
    )
    path = tmp_path_factory.mktemp("panels") / "ball.h5"
    write_histogram(data, path)
    return path


@pytest.fixture(scope="module")
def listmode(tmp_path_factory) -> Path:
    """Write events of the same panels."""
    scanner = read_scanner("test-panels")
    lines = np.random.default_rng(4).integers(0, scanner.n_lors, 500)
    path = tmp_path_factory.mktemp("panels") / "events.h5"
    write_listmode(ListMode(scanner=scanner, crystals=scanner.lors(lines)), path)
    return path


@pytest.fixture
def session(qapp) -> Session:
    return Session(DeviceChoice("auto", (cpu_device(2),)))


def take(session: Session, path: Path) -> Session:
    session.study.set_input("data", read_input("data", str(path), None, None))
    return session


def keys(session: Session) -> list[str]:
    return [way.key for way in session.study.suitable]


# inputs


def test_histogram_selects_its_scanner_and_a_suitable_protocol(session, histogram):
    take(session, histogram)
    assert session.study.modality.key == "dual-head" and keys(session) == ["dual-head"]
    assert session.study.scanner.name == "Test panels"
    assert session.study.grid() == session.study.scanner.grid
    assert session.obstacle() == ""
    assert purpose_of(histogram).purpose == "scan"
    facts = dict(session.study.inputs.scan.facts)
    assert facts["Lines of response"] == "576"


def test_list_mode_of_panels_starts_with_rays_and_can_use_the_response(session, listmode):
    take(session, listmode)
    assert session.study.modality.key == "pet" and keys(session) == ["pet", "dual-head"]
    rays = " ".join(words_on(session.study))
    session.study.use_protocol(DualHeadProtocol())
    matrix = " ".join(words_on(session.study))
    assert "along its line" in rays and "response" in matrix and rays != matrix
    assert session.study.grid() == session.study.scanner.grid and session.obstacle() == ""
    session.study.use_protocol(ListModeProtocol())
    assert session.study.modality.key == "pet"


def test_list_mode_after_a_histogram_uses_rays_and_states_this(session, histogram, listmode):
    take(session, histogram)
    assert session.study.note == ""
    take(session, listmode)
    assert session.study.modality.key == "pet" and session.obstacle() == ""
    assert (
        DualHeadProtocol().name in session.study.note
        and ListModeProtocol().name in session.study.note
    )
    assert (
        session.study.note in words_on(session.study) and session.study.note == session.log[-1].text
    )
    take(session, histogram)
    take(session, histogram)
    assert session.study.modality.key == "dual-head"


def test_reconstruction_with_response_is_used_for_the_next_scan_only_if_pinned(
    session, histogram, listmode
):
    take(session, listmode)
    session.study.use_protocol(DualHeadProtocol(name="Mine"))
    assert session.study.note == ""
    take(session, listmode)
    assert session.study.base.name == "Standard" and "Mine" in session.study.note
    session.study.use_protocol(DualHeadProtocol(name="Mine"))
    session.study.pin(on=True)
    for scan in (listmode, histogram):
        take(session, scan)
        assert session.study.base.name == "Mine" and session.study.is_pinned
    session.study.pin(on=False)
    take(session, listmode)
    assert session.study.base.name == "Standard"


def test_protocol_chosen_before_the_scan_is_used_for_it(session, histogram, listmode):
    take(session, histogram)
    session.study.set_input("data", None)
    session.study.use_protocol(DualHeadProtocol())
    take(session, listmode)
    assert session.study.modality.key == "dual-head"
    take(session, histogram)
    take(session, listmode)
    assert session.study.modality.key == "pet"  # it was not pinned for this kind of scan


def test_scanner_of_the_same_kind_does_not_change_the_protocol(session, listmode):
    take(session, listmode)
    mine = DualHeadProtocol(name="Mine")
    session.study.use_protocol(mine)
    session.study.set_input("scanner", read_input("scanner", "test-panels", None, None))
    assert session.study.scanner is not None and session.study.protocol == mine


def test_study_keeps_the_protocol_it_names(session, listmode):
    mine = DualHeadProtocol(name="Mine")
    session.study.begin(
        Inputs(data=read_input("data", str(listmode), "test-panels", None)), protocol=mine
    )
    assert session.study.protocol == mine


def test_protocol_of_another_kind_is_refused_with_a_message(session, histogram):
    take(session, histogram)
    for wrong in (ListModeProtocol(), CtProtocol()):
        with pytest.raises(SettingsError, match="has type 'dual-head PET'"):
            session.study.use_protocol(wrong)


def test_limited_angle_warning_is_shown_only_for_panels(session, listmode, small_study):
    take(session, small_study.data)
    assert not any("Limited angle" in text for text in words_on(session.study))
    take(session, listmode)
    assert any("blurred along y" in text for text in words_on(session.study))


def test_corrections_depend_on_the_histogram(session, histogram, listmode):
    take(session, histogram)
    obstacles = session.study.modality.obstacles(session.study.protocol, session.study.known)
    assert obstacles["randoms"] is None
    assert "normalisation file" in obstacles["normalisation"]
    take(session, listmode)
    session.study.use_protocol(DualHeadProtocol())
    obstacles = session.study.modality.obstacles(session.study.protocol, session.study.known)
    assert "no delayed" in obstacles["randoms"]


def test_edges_within_measured_efficiencies_are_no_missing_correction(session, histogram, listmode):
    modality = DualHeadPet()
    take(session, histogram)
    assert not modality.is_done("edges", session.study.known)
    panels = read_scanner("test-panels")
    measured = {EFFICIENCIES.key: Components(np.ones(panels.n_crystals, np.float32))}
    known = replace(session.study.known, contents=measured)
    assert "already include it" in (modality.obstacles(DualHeadProtocol(), known)["edges"] or "")
    assert modality.is_done("edges", known) and not modality.is_done("scatter", known)


def test_drawing_shows_panels_gap_and_layers(session, histogram, qtbot, qapp):
    from app.ui.theme.theme import Theme
    from app.workspace.steps.scanner_drawing import ScannerDrawing

    take(session, histogram)
    picture = ScannerDrawing(Theme(qapp, "dark"))
    qtbot.addWidget(picture)
    picture.resize(320, 170)
    near = session.study.scanner
    others = ({"separation_mm": 40}, {"n_layers": 2})
    images = []
    for scanner in (near, *(with_settings(near, **changes) for changes in others)):
        picture.show_scanner(scanner, scanner.grid)
        images.append(picture.grab().toImage())
    assert images[0] != images[1] and images[0] != images[2]
    assert "in 2 layers" in picture.accessibleName()


# the grid follows the pitch


@pytest.mark.parametrize("scanner", ["adac", "demo-panels", "dhapet"])
def test_voxels_of_every_quality_divide_the_pitch(session, listmode, scanner):
    take(session, listmode)
    session.study.use_protocol(DualHeadProtocol())
    session.study.set_input("scanner", read_input("scanner", scanner, None, None))
    pitch = session.study.scanner.settings.pitch_mm
    for quality in QUALITIES:
        session.study.use_quality(quality)
        x, _, z = session.study.grid().voxel_mm
        assert x == z and pitch / x == pytest.approx(round(pitch / x))
        assert session.study.quality is not None
    assert "pitch" in session.study.modality.grid_note(session.study.protocol, session.study.known)


def test_asymmetric_voxel_size_is_reported(session, histogram):
    take(session, histogram)
    plan = session.study.protocol
    grid = plan.grid.model_copy(update={"voxel_mm": (0.7, 1.0, 0.7)})
    session.study.set_protocol(plan.model_copy(update={"grid": grid}))
    assert "do not match the crystal pitch" in session.obstacle()


# the response


def test_forecast_includes_the_response_until_it_is_cached(session, histogram, response):
    from engine.core.paths import cache_dir
    from engine.modalities.dual_head_pet.response.identity import path_of

    take(session, histogram)
    plan = session.study.protocol.model_copy(
        update={"response": AnalyticResponse(n_points=1 << 20)}
    )
    session.study.set_protocol(plan)
    before = session.study.requirements().seconds
    cached = path_of(cache_dir() / "response", session.study.scanner, plan.response)
    cached.parent.mkdir(parents=True, exist_ok=True)
    write_response(response, cached)
    assert session.study.requirements().seconds < before
    cached.unlink()


def test_response_of_the_panels_is_used_with_its_image(session, histogram, response, tmp_path):
    write_response(response, tmp_path / "r.h5")
    assert purpose_of(tmp_path / "r.h5").role is RESPONSE
    take(session, histogram)
    found = read_input("response", str(tmp_path / "r.h5"), None, session.study.scanner)
    assert "values" in found.text
    session.study.set_input("response", found)
    assert session.study.grid() == response.scanner.grid
    assert session.study.to_study().inputs["response"] == tmp_path / "r.h5"


def test_response_of_other_panels_is_refused(response, tmp_path):
    write_response(response, tmp_path / "r.h5")
    other = read_scanner("demo-panels")
    with pytest.raises(EngineError, match="compute a matrix"):
        read_input("response", str(tmp_path / "r.h5"), None, other)


def test_crystal_layers_can_be_merged_in_the_response(session, response, tmp_path):
    """A response of one layer, and a protocol that merges layers, fit a scan of two layers."""
    from engine.core.paths import cache_dir
    from engine.modalities.dual_head_pet.requirements import estimate
    from engine.modalities.dual_head_pet.response.identity import path_of

    one = read_scanner("test-panels")
    scanner = with_settings(one, n_layers=2)
    write_listmode(ListMode(scanner, scanner.lors(np.arange(400))), tmp_path / "events.h5")
    take(session, tmp_path / "events.h5")
    session.study.use_protocol(DualHeadProtocol())
    write_response(response, tmp_path / "r.h5")
    found = read_input("response", str(tmp_path / "r.h5"), None, session.study.scanner)
    session.study.set_input("response", found)
    assert session.obstacle() == ""
    session.study.set_input("response", None)
    separate = session.study.requirements()
    assert (
        separate.memory_bytes
        == estimate(DualHeadProtocol(), scanner, on=cpu_device(2)).memory_bytes
    )
    session.study.use_protocol(DualHeadProtocol(layers={"use": "together"}))
    message = session.study.requirements()
    assert message.memory_bytes < separate.memory_bytes
    cached = path_of(cache_dir() / "response", one, session.study.protocol.response)
    cached.parent.mkdir(parents=True, exist_ok=True)
    write_response(response, cached)
    assert session.study.requirements().seconds < message.seconds
    cached.unlink()
    assert (
        message.memory_bytes == estimate(session.study.protocol, one, on=cpu_device(2)).memory_bytes
    )


def test_progress_of_the_response_is_described(session, histogram):
    from app.shell.running_page import progress_text
    from engine.data.runs.events import Progressed, StageStarted

    take(session, histogram)
    session.run.begin("rods")
    session.run.take(StageStarted("response", "Loading the response matrix of"))
    assert progress_text(session) == "Loading the response matrix of"
    session.run.take(Progressed("response", 3, 9))
    assert progress_text(session) == "Computing the response matrix of the panels"
    assert session.run.record.fraction == pytest.approx(1 / 3)


# the window


def test_response_waits_for_its_scan(qtbot, window, response, tmp_path):
    write_response(response, tmp_path / "r.h5")
    message = []
    window.session.problem_raised.connect(message.append)
    window.open_path(tmp_path / "r.h5")
    qtbot.waitUntil(lambda: bool(message), timeout=PATIENCE_MS)
    assert message[0].text.startswith(
        "Response: no scan is open; first open the scan that this file belongs to"
    )


def quick(session: Session) -> None:
    """Use fewer points and iterations than in practice."""
    algorithm = session.study.protocol.algorithm.model_copy(update={"iterations": 2, "subsets": 2})
    session.study.set_protocol(
        session.study.protocol.model_copy(update={"response": QUICK, "algorithm": algorithm})
    )


@pytest.mark.essential
def test_histogram_is_opened_and_reconstructed(qtbot, window, histogram):
    window.open_path(histogram)
    ready = lambda: window.session.obstacle() == "" and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    quick(window.session)
    window.runner.start()
    done = lambda: not window.session.run.state.is_active  # noqa: E731
    qtbot.waitUntil(done, timeout=PATIENCE_MS)
    session = window.session
    assert session.run.state is RunState.FINISHED
    assert session.run.record.images.labels == ["iteration 1", "iteration 2", "final"]
    titles = [session.study.modality.stages[m.stage] for m in session.run.record.timings]
    assert titles[:2] == ["Read", "Response"]
    assert set(session.run.record.ledger) == {
        "normalisation", "edges", "attenuation", "randoms", "scatter", "total",
    }  # fmt: skip
    assert session.view.blurred_axis == 1


def test_list_mode_of_panels_offers_protocols_of_both_methods(qtbot, window, listmode):
    window.open_path(listmode)
    ready = lambda: window.session.obstacle() == "" and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    box = window.header.choice.protocols
    names = [box.itemText(i) for i in range(box.count())]
    assert ListModeProtocol().name in names and DualHeadProtocol().name in names
    box.setCurrentText(DualHeadProtocol().name)
    box.activated.emit(box.currentIndex())
    assert window.session.study.modality.key == "dual-head"
    assert box.currentText() == DualHeadProtocol().name
    assert not window.workflow.scan.rows["response"].isHidden()


@pytest.mark.slow
def test_two_head_demo_opens_without_typing_and_shows_two_sources(qtbot, window, shared_data):
    window.open_path(shared_data / ADAC)
    ready = lambda: window.session.obstacle() == "" and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    window.runner.start()
    qtbot.waitUntil(lambda: not window.session.run.state.is_active, timeout=PATIENCE_MS)
    volume = window.session.run.record.result
    found = [place(volume, peak) for peak in peaks(volume.values)]
    assert len(found) == 2
    for source in SOURCES_MM:
        x, y, z = min(found, key=lambda at: np.hypot(at[0] - source[0], at[2] - source[2]))
        assert np.hypot(x - source[0], z - source[2]) <= 3
        assert abs(y - source[1]) <= 9


def peaks(values):
    """Return local maxima within three voxels of at least a third of the largest value."""
    smooth = ndimage.gaussian_filter(values, 1.0)
    top = (smooth == ndimage.maximum_filter(smooth, 7)) & (smooth > smooth.max() / 3)
    return np.argwhere(top)


def place(volume, voxel):
    """x, y, z [mm] of a voxel."""
    return [float(volume.grid.centres_mm(axis)[voxel[2 - axis]]) for axis in range(3)]
