"""Tests of the demos, which a separate process simulates."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.wait_signal import SignalBlocker
from scipy.ndimage import binary_erosion

from app.shell.welcome import WelcomeCard
from app.state.services.demo_maker import make_demo_in_process
from app.state.services.threads import Task
from app.views.colour.windows import auto_window
from app.views.literal_text import literal_tip
from engine.core.backend import cpu
from engine.data.runs.events import Corrected, Finished
from engine.data.volume import Volume
from engine.io import read_volume
from engine.jobs.demo_simulation import DemoSimulation
from engine.jobs.reconstruction import run
from engine.modalities.demo import Demo
from engine.modalities.demos import DEMOS
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.studies import Study, read_study
from engine.modalities.xray_ct.demo import CtDemo
from engine.protocols.study.assignments import with_settings
from engine.simulate.jaw import DENTINE, SOFT, TITANIUM
from tests.app.conftest import LOADERS, PATIENCE_MS
from tests.processes import working_for

SMALL = (
    PetDemo(n_prompts=2_000),
    CtDemo(n_views=90, n_rows=64, n_columns=100),
    DualHeadDemo(n_prompts=1_000_000, n_points=1 << 9),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder for the demos of these tests."""
    return tmp_path_factory.mktemp("demos")


@pytest.fixture(scope="module")
def simulated(qapp, folder) -> Callable[[Demo], tuple[Study, list[float]]]:
    """Return a demo's study, simulated in another process, and the reported progress."""

    @cache
    def make(demo: Demo) -> tuple[Study, list[float]]:
        task, steps = Task(lambda task: make_demo_in_process(task, demo, folder)), []
        task.progressed.connect(lambda done, total: steps.append(done / total))
        with SignalBlocker(timeout=PATIENCE_MS) as message:
            message.connect(task.done)
            task.start()
        task.wait()
        (study,) = message.args
        return study, steps

    return make


@pytest.mark.parametrize("demo", SMALL, ids=lambda demo: demo.key)
def test_demo_is_simulated_and_fits_its_scan(demo, simulated, folder):
    study, steps = simulated(demo)
    assert study == read_study(demo.study(folder))
    assert study.data.is_file()
    assert study.protocol.modality == demo.key
    assert steps == sorted(steps)
    assert steps[-1] == 1


def reconstructed(study: Study) -> Volume:
    return next(e.volume for e in run(study, on=cpu(2)) if isinstance(e, Finished))


def test_grey_window_of_the_jaw_shows_soft_tissue_and_teeth(simulated):
    volume = reconstructed(simulated(SMALL[1])[0])
    low, high = auto_window(volume.values, volume.unit)
    assert low == 0
    assert 0.2 < SOFT / high < 0.6
    assert DENTINE < high < TITANIUM


@pytest.mark.slow
def test_image_of_the_rods_has_their_decays_and_a_suitable_window(simulated, folder):
    study, truth = simulated(SMALL[2])[0], read_volume(SMALL[2].truth(folder))
    # With fewer iterations, decays are 8 % higher
    updates = (
        "algorithm.iterations=2",
        "algorithm.subsets=24",
    )
    protocol = with_settings(study.protocol, updates)
    events = list(run(study.model_copy(update={"protocol": protocol}), on=cpu(2)))
    applied = {e.kind for e in events if isinstance(e, Corrected) and e.state == "applied"}
    assert applied == {"normalisation", "randoms", "total"}
    (volume,) = [e.volume for e in events if isinstance(e, Finished)]
    assert volume.unit == truth.unit == "decays"
    assert volume.values.sum() == pytest.approx(truth.values.sum(), rel=0.05)
    middle = slice(volume.grid.shape[1] // 2 - 10, volume.grid.shape[1] // 2 + 10)
    found, expected = (v.values[:, middle].mean(axis=1) for v in (volume, truth))
    thick = slice(expected.shape[0] // 2 + 8, None)  # towards +z: rods of 2 mm
    assert np.corrcoef(found[thick].ravel(), expected[thick].ravel())[0, 1] > 0.8
    low, high = auto_window(volume.values, volume.unit)
    inside = volume.values[binary_erosion(truth.values > 0.9 * truth.values.max())]
    assert low == 0
    assert 0.3 < np.median(inside) / high < 1


def test_crashed_simulation_gives_one_sentence(qtbot, tmp_path):
    task = Task(lambda task: make_demo_in_process(task, PetDemo(), tmp_path))
    with qtbot.waitSignal(task.failed, timeout=PATIENCE_MS) as message:
        task.start()
        qtbot.waitUntil(lambda: bool(simulations()), timeout=PATIENCE_MS)
        simulations()[0].kill()
    task.wait()
    assert message.args == [
        "The simulation stopped unexpectedly. The computer may have run out of memory."
    ]


def test_simulation_ends_with_the_window(qtbot, tmp_path):
    task = Task(lambda task: make_demo_in_process(task, PetDemo(), tmp_path))
    with qtbot.waitSignal(task.done, timeout=PATIENCE_MS) as message:
        task.start()
        qtbot.waitUntil(lambda: bool(simulations()), timeout=PATIENCE_MS)
        task.requestInterruption()
    task.wait()
    assert message.args == [None]
    assert simulations() == []


def test_running_simulation_is_reused(qtbot, window, small_demo, tmp_path):
    started = DemoSimulation(SMALL[0], tmp_path)
    assert started.sentinel
    (process,) = simulations()
    window.try_demo("pet", started)
    opened = lambda: bool(window.session.study.inputs)  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    assert window.session.study.inputs["data"].value == str(tmp_path / SMALL[0].name(".h5"))
    assert not process.is_running()


def test_simulation_ends_if_the_window_keeps_its_image(window, monkeypatch, tmp_path):
    monkeypatch.setattr(window, "may_forget_image", lambda: False)
    window.try_demo("pet", DemoSimulation(PetDemo(), tmp_path))
    assert simulations() == []


def test_simulation_does_not_load_qt():
    program = (
        "import sys; from engine.jobs import DemoSimulation; "
        "print(any(name.startswith('PySide6') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def simulations():
    shared = {loader.pid for loader in LOADERS}
    return [child for child in working_for() if child.pid not in shared]


def test_card_offers_every_demo_to_mouse_and_keyboard(qtbot, window):
    calls = []
    card = WelcomeCard(
        window.context.theme,
        open_scan=lambda: calls.append("open"),
        demo=calls.append,
        cancel=lambda: calls.append("cancel"),
        live=lambda: calls.append("live"),
        live_demo=lambda kind: calls.append(f"live demo {kind}"),
    )
    qtbot.addWidget(card)
    card.show()
    card.open.setFocus()
    for button in (card.live, *card.live_demos, *card.demos):
        qtbot.keyClick(card.focusWidget(), Qt.Key.Key_Tab)
        assert card.focusWidget() is button
        qtbot.keyClick(button, Qt.Key.Key_Space)
        button.click()
    expected = ("live", "live demo 0", "live demo 1", "pet", "ct", "dual-head", "pet-sinogram")
    assert calls == [each for name in expected for each in (name, name)]
    tips = [button.toolTip() for button in card.demos]
    assert tips == [literal_tip(demo.tip) for demo in DEMOS.values()]
    card.show_busy("Simulating")
    assert not any(button.isEnabled() for button in card.demos)


def test_menu_offers_every_demo(window, monkeypatch):
    calls = []
    monkeypatch.setattr(window.welcome_lists, "make_demo", lambda key, begun: calls.append(key))
    for action in window.actions_.demos.values():
        action.trigger()
    assert calls == list(DEMOS)


@pytest.fixture
def small_demo(monkeypatch):
    """Return a demo that is simulated quickly, with the key of the first demo."""
    monkeypatch.setitem(DEMOS, "pet", SMALL[0])


def test_demo_does_not_replace_a_scan_opened_meanwhile(qtbot, window, small_demo, small_study):
    window.try_demo("pet")
    window.open_path(small_study.data)
    quiet = lambda: not window.commands.is_busy and not window.session.study.reading  # noqa: E731
    qtbot.waitUntil(quiet, timeout=PATIENCE_MS)
    assert window.session.study.inputs["data"].name == "small.h5"
    assert not window.session.run.state.is_active
    assert "The demo is ready. Another scan was opened" in window.centre.message_bar.text


def test_demo_can_be_cancelled(qtbot, window, small_demo):
    window.try_demo("pet")
    assert window.centre.welcome.cancel.isVisible()
    window.centre.welcome.cancel.click()
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    assert dict(window.session.study.inputs) == {}
    assert not window.centre.welcome.cancel.isVisible() and simulations() == []
