"""Tests of the run and its states without a window: pause, finish, abort."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from app.state.models.device_choice import DeviceChoice
from app.state.models.run_record import RunState
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.runner import Runner
from engine.core.backend.devices import cpu_device
from tests.app.conftest import PATIENCE_MS
from tests.engine import engine_sources


@pytest.fixture
def session(qapp) -> Session:
    return Session(DeviceChoice("cpu", (cpu_device(2),)))


@pytest.fixture
def runner(qtbot, session, preferences, loader, long_study) -> Iterator[Runner]:
    """Return an endless run with a new image every 50 ms."""
    commands = Commands(session, preferences, loader)
    new_runner = Runner(session, preferences, commands)
    new_runner.source = engine_sources.slow
    commands.open_study(long_study)
    ready = lambda: not session.obstacle() and not commands.is_busy  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    new_runner.start()
    qtbot.waitUntil(lambda: session.run.record.latest is not None, timeout=PATIENCE_MS)
    yield new_runner
    new_runner.shut_down()
    commands.wait()


@pytest.fixture
def until(qtbot, session, runner) -> Callable[[RunState], None]:
    """Return a function that waits for a state of the run and the end of its process."""

    def wait(state: RunState) -> None:
        qtbot.waitUntil(lambda: session.run.state is state, timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: runner.job is None, timeout=PATIENCE_MS)

    return wait


def levels(session: Session, words: str) -> list[str]:
    """Return the levels of the log lines that contain these words."""
    return [line.level for line in session.log if words in line.text]


def test_paused_run_can_be_finished(session, runner, until):
    runner.pause()
    assert session.run.state is RunState.PAUSED
    runner.finish()
    assert session.run.state is RunState.FINISHING
    until(RunState.FINISHED)
    assert session.run.images[-1] == "final"
    assert session.run.record.provenance["updates"] < 2000
    assert levels(session, "The run will finish after this iteration.") == ["info"]


def test_abort_is_a_warning_and_keeps_the_image(session, runner, until):
    problems = []
    session.problem_raised.connect(problems.append)
    runner.pause()
    runner.pause()
    assert session.run.state is RunState.RUNNING
    runner.abort()
    until(RunState.ABORTED)
    assert levels(session, "Aborting.") == ["info"]
    (problem,) = problems
    assert not problem.is_fault and problem.job
    assert problem.title == "Aborted." and "Aborted" not in problem.text
    assert levels(session, f"Aborted. {problem.text}") == ["warning"]
    assert session.run.images
    runner.finish()
    runner.pause()
    assert session.run.state is RunState.ABORTED, "finish or pause changed an ended run"
