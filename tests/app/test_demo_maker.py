"""The demo is simulated apart from the window, and its end is always told."""

from __future__ import annotations

import psutil
import pytest

from app.demo_maker import make_demo_apart
from app.job import Task
from engine.demo import PetDemo
from tests.app.conftest import PATIENCE_MS


@pytest.mark.slow
def test_the_demo_is_simulated_and_opened(qtbot, tmp_path):
    task = Task(lambda task: make_demo_apart(task, PetDemo(), tmp_path))
    steps = []
    task.progressed.connect(lambda done, total: steps.append(done / total))
    with qtbot.waitSignal(task.done, timeout=PATIENCE_MS) as told:
        task.start()
    task.wait()
    (study,) = told.args
    assert study.data.is_file()
    assert study.attenuation.is_file()
    assert steps == sorted(steps)
    assert len(steps) > 3


def test_a_simulation_that_dies_is_a_sentence(qtbot, tmp_path):
    task = Task(lambda task: make_demo_apart(task, PetDemo(), tmp_path))
    with qtbot.waitSignal(task.failed, timeout=PATIENCE_MS) as told:
        task.start()
        qtbot.waitUntil(lambda: bool(simulations()), timeout=10_000)
        simulations()[0].kill()
    task.wait()
    assert told.args == ["The simulation stopped; perhaps the memory is used up."]


def simulations():
    found = psutil.Process().children()
    return [child for child in found if "spawn_main" in " ".join(child.cmdline())]
