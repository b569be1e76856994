"""Tests of the window's threads. Their messages arrive on the thread of the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QThread

from app.state.models.device_choice import DeviceChoice
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.threads import Task
from engine.core.backend.devices import cpu_device
from engine.core.errors import EngineError

STEPS = 3


@pytest.fixture
def commands(qapp, preferences, loader) -> Commands:
    return Commands(Session(DeviceChoice("auto", (cpu_device(2),))), preferences, loader)


@pytest.fixture
def over_at_once(monkeypatch) -> None:
    """Make threads end before `start` returns, as can happen with short tasks."""

    def start(task: Task) -> None:
        QThread.start(task)
        task.wait()

    monkeypatch.setattr(Task, "start", start)


def run(qtbot, commands: Commands, work) -> list[tuple]:
    """Run a task; return its messages, each with True if it arrived on this thread."""
    message = []
    here = QThread.currentThread()

    def report(*what) -> None:
        message.append((*what, QThread.currentThread() is here))

    commands.run_task(
        work,
        lambda result: report("done", result),
        on_progress=lambda done, total: report("progress", done, total),
        on_failure=lambda text: report("failure", text),
        on_end=lambda: report("end"),
    )
    qtbot.waitUntil(lambda: ("end", True) in message)
    return message


@pytest.mark.usefixtures("over_at_once")
def test_messages_of_a_short_thread_arrive(qtbot, commands):
    def work(task: Task) -> str:
        for k in range(STEPS):
            task.progressed.emit(k, STEPS)
        return "result"

    progress = [("progress", k, STEPS, True) for k in range(STEPS)]
    assert run(qtbot, commands, work) == [*progress, ("done", "result", True), ("end", True)]
    assert not commands.is_busy


@pytest.mark.usefixtures("over_at_once")
def test_immediate_failure_arrives(qtbot, commands):
    def work(_: Task) -> None:
        raise EngineError("No way.")

    assert run(qtbot, commands, work) == [("failure", "No way.", True), ("end", True)]
    assert not commands.is_busy


def test_closing_stops_running_tasks_and_starts_no_more(qtbot, commands):
    message = []

    def work(task: Task) -> str:
        while not task.isInterruptionRequested():
            task.msleep(1)
        return "first"

    def follow(result: str) -> None:
        message.append(result)
        commands.run_task(lambda _: "second", message.append)

    commands.run_task(work, follow)
    commands.wait()
    qtbot.waitUntil(lambda: message == ["first"])
    assert not commands.is_busy


def test_too_long_protocol_name_gives_one_sentence(commands):
    problems = []
    commands._session.problem_raised.connect(problems.append)
    commands.save_protocol("w" * 81)
    (problem,) = problems
    assert "was not saved" in problem.title
    assert "name: expected at most 80 characters" in problem.text


def test_missing_protocol_folder_gives_one_sentence(tmp_path, commands, preferences):
    preferences.folder.mkdir(exist_ok=True)
    (preferences.folder / "protocols").write_text("a file where the folder should be")
    problems = []
    commands._session.problem_raised.connect(problems.append)
    commands.save_protocol("Mine")
    (problem,) = problems
    assert "cannot be created" in problem.text


def test_internal_error_is_shown_on_one_line(qtbot, commands):
    def work(task: Task) -> None:
        raise RuntimeError("first line\n\n    second line\n")

    reported = run(qtbot, commands, work)
    (text,) = [each[1] for each in reported if each[0] == "failure"]
    assert "(RuntimeError: first line second line)" in text
