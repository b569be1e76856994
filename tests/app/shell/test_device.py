"""Tests of the device in the header, and of a GPU that fails during a run."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.shell.application import make_window
from app.state.models.preferences import Preferences
from app.state.models.run_record import RunState
from app.views.literal_text import as_written
from engine.core.backend import cpu, named
from engine.core.backend.devices import DeviceInfo, cpu_device
from engine.core.errors import ResourceError
from engine.jobs.reconstruction import run
from engine.modalities.studies import write_study
from tests.app.conftest import PATIENCE_MS
from tests.emulator import EmulatedGpu
from tests.engine import engine_sources

GIB = 2**30
GPU = DeviceInfo("cuda", "NVIDIA RTX 4090", 24 * GIB, 20 * GIB, threads=2)
NO_CUPY = replace(GPU, obstacle="CuPy is not installed; run the set-up again.")


@pytest.fixture
def exact_study(small_study):
    """Return the small study with settings that give the same bits on every device."""
    protocol = small_study.protocol.model_copy(update={"reproducible": True})
    return small_study.model_copy(update={"protocol": protocol})


def fail(qtbot, window):
    """Run to the failure and return the banner."""
    window.runner.start()
    qtbot.waitUntil(lambda: window.centre.message_bar.problem is not None, timeout=PATIENCE_MS)
    assert window.session.run.state is RunState.FAILED
    return window.centre.message_bar


def until_finished(qtbot, window):
    qtbot.waitUntil(lambda: window.session.run.state.is_active, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not window.session.run.state.is_active, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: window.runner.job is None, timeout=PATIENCE_MS)
    assert window.session.run.state is RunState.FINISHED


# device menu


def test_device_menu_lists_the_devices_of_the_machine(window):
    entries = window.header.device.entries
    assert entries["auto"].isChecked()
    assert entries["cpu"].text() == cpu_device().label
    gpu = window.session.device.named("cuda")
    assert entries["cuda"].isEnabled() == gpu.usable
    assert entries["auto"].text() == f"Automatic ({window.session.device.label})"


def test_unusable_gpu_is_disabled_and_states_the_reason(window):
    window.session.device.set_found((cpu_device(2), NO_CUPY))
    entry = window.header.device.entries["cuda"]
    assert not entry.isEnabled()
    assert entry.toolTip() == NO_CUPY.obstacle
    assert "RTX 4090" in entry.text()
    assert window.header.device.text() == "CPU, 2 threads"


def test_gpu_is_used_unless_the_user_chooses_the_cpu(qtbot, qapp, window, preferences):
    choice = window.session.device
    choice.set_found((cpu_device(2), GPU))
    assert choice.in_use is GPU
    assert window.header.device.text() == "RTX 4090"
    window.header.device.entries["cpu"].trigger()
    assert choice.in_use.key == "cpu"
    assert window.header.device.text() == "CPU, 2 threads"
    again = make_window(qapp, Preferences(preferences.folder))
    qtbot.addWidget(again)
    again.commands.wait()
    assert again.session.device.key == "cpu"


def test_missing_chosen_gpu_prevents_the_start_and_states_the_reason(window, opened):
    opened()
    choice = window.session.device
    choice.choose("cuda")
    choice.set_found((cpu_device(2), NO_CUPY))
    assert not window.header.choice.start.isEnabled()
    assert NO_CUPY.obstacle in window.header.choice.start.toolTip()
    assert NO_CUPY.obstacle in window.status.text.full_text
    window.header.device.entries["auto"].trigger()
    assert window.header.choice.start.isEnabled()


def test_list_shows_the_memory_that_runs_can_use(qtbot, window, monkeypatch):
    monkeypatch.setattr("engine.io.usable_memory", lambda: 3 * 2**28)
    window.header.device.refresh()
    found = window.session.device
    qtbot.waitUntil(lambda: found.found[0].free_bytes == 3 * 2**28, timeout=PATIENCE_MS)


def test_forecast_is_for_the_chosen_device(window, opened):
    opened()
    window.session.device.set_found((cpu_device(2), GPU))
    expected = r"GPU memory needed: [^,]+, available: 20\.0 GiB\."
    assert re.search(expected, window.status.text.full_text)
    window.session.device.choose("cpu")
    assert "GPU" not in window.status.text.full_text
    assert "Estimated time: " in window.status.text.full_text


def test_images_too_large_for_the_gpu_are_refused_before_the_start(window, opened):
    opened()
    window.session.device.set_found((cpu_device(2), replace(GPU, free_bytes=2**20)))
    assert not window.actions_.start.isEnabled()
    tip = as_written(window.actions_.start.toolTip())
    assert "1 MiB are free" in tip and "use the CPU" in tip


def test_device_cannot_change_during_a_run(qtbot, window, opened, long_study):
    opened(long_study)
    window.runner.start()
    assert not window.header.device.isEnabled()
    window.runner.abort()
    qtbot.waitUntil(lambda: window.header.device.isEnabled(), timeout=PATIENCE_MS)


# failures


@pytest.mark.slow
@pytest.mark.usefixtures("own_process")
def test_failing_gpu_leaves_its_image_and_the_cpu_finishes(qtbot, window, opened, exact_study):
    EmulatedGpu()  # skips without a compiler for the emulated GPU
    opened(exact_study)
    window.runner.source = engine_sources.failing_gpu
    message_bar = fail(qtbot, window)
    assert "cudaErrorLaunchFailure" in message_bar.text
    latest = window.session.run.record.latest
    place = f"iteration {latest.iteration}, subset {latest.subset}"
    assert f"{place} is saved" in message_bar.text
    assert message_bar.resume.isVisible()
    assert message_bar.on_cpu.isVisible()
    assert message_bar.on_cpu.text().startswith("Continue on the CPU (about ")
    assert "cudaErrorLaunchFailure" in window.session.log[-1].text
    images = window.session.run.record.images
    assert images.labels[0] == "iteration 1"
    assert images.labels[-1] in (place, f"iteration {latest.iteration}")
    assert window.session.view.volume is images.items[-1].volume

    message_bar.on_cpu.click()
    until_finished(qtbot, window)
    assert window.session.device.in_use.key == "cpu"
    assert window.context.preferences.device == "auto", "the fallback changed the user's choice"
    *_, undisturbed = run(exact_study, on=cpu(2))
    final = window.session.run.record.result
    np.testing.assert_array_equal(final.values, undisturbed.volume.values)


def test_gpu_missing_at_the_start_is_reported_and_the_cpu_offered(qtbot, window, opened):
    try:
        named("cuda")
    except ResourceError:
        pass
    else:
        pytest.skip("this machine has a GPU")
    opened()
    window.session.device.set_found((cpu_device(2), GPU))
    message_bar = fail(qtbot, window)
    assert not message_bar.resume.isVisible()
    assert message_bar.on_cpu.text().startswith("Start on the CPU (about ")
    message_bar.on_cpu.click()
    until_finished(qtbot, window)


def test_error_of_the_scan_does_not_offer_the_cpu(qtbot, window, opened):
    opened()
    window.runner.source = engine_sources.faulty_input_on_gpu
    assert not fail(qtbot, window).on_cpu.isVisible()


RECONSTRUCT = """
import sys, time
from pathlib import Path
from app.shell.application import make_app, make_window
from app.shell.shutdown import leave
from engine.modalities.studies import read_study
app = make_app()
window = make_window(app)
window.show()
app.processEvents()
window.grab()
names = {"numba", "scipy", "h5py", "nibabel", "cupy", "pyqtgraph"}
heavy = []
record = lambda *image: heavy.append(names & set(sys.modules))
record()
window.session.run.image_selected.connect(record)
window.runner.open_and_start(read_study(Path(sys.argv[1])))
end = time.monotonic() + 60
while window.session.run.record.result is None and time.monotonic() < end:
    app.processEvents()
    time.sleep(0.005)
window.close()
loaded = f"{heavy[0] or None} {heavy[1] or None}"
sys.stdout.write(f"{loaded} {window.session.run.state.value} {'cupy' in sys.modules}")
leave(0)
"""


@pytest.mark.essential
def test_window_and_first_image_load_no_heavy_library_and_no_run_imports_cupy(
    small_study, tmp_path
):
    study = tmp_path / "study.toml"
    write_study(small_study, study)
    command = [sys.executable, "-c", RECONSTRUCT, str(study)]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "None None finished False"
