"""On a first start, the kernels of a demo are compiled while its scan is simulated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from engine.core.backend import cpu
from engine.modalities import warm_up
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.warm_up import compiled_early
from engine.modalities.xray_ct.demo import CtDemo

DEMO = PetDemo(n_prompts=2_000)


class Process:
    """A process that records its command and whether it was killed."""

    started: ClassVar[list[Process]] = []

    def __init__(self, command: list[str], **_: Any) -> None:
        self.command, self.is_killed = command, False
        Process.started.append(self)

    def kill(self) -> None:
        self.is_killed = True


@pytest.fixture(autouse=True)
def first_start(monkeypatch: pytest.MonkeyPatch) -> None:
    two = cpu(2)
    monkeypatch.setattr(Process, "started", [])
    # Other modules start processes of the system.
    fake = SimpleNamespace(Popen=Process, DEVNULL=subprocess.DEVNULL)
    monkeypatch.setattr(warm_up, "subprocess", fake)
    monkeypatch.setattr(warm_up, "has_compiled", lambda module: False)
    monkeypatch.setattr(warm_up, "cpu", lambda: two)


def test_another_process_compiles_in_reverse_order(tmp_path: Path) -> None:
    with compiled_early(DEMO):
        DEMO.make(tmp_path)

    (process,) = Process.started
    assert process.command == [
        sys.executable, "-m", "engine.modalities.warm_up", "--backwards", "pet",
    ]  # fmt: skip
    assert not process.is_killed


def test_stopped_simulation_ends_the_compilation(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), compiled_early(DEMO):
        DEMO.make(tmp_path, on_progress=stop)

    assert [each.is_killed for each in Process.started] == [True]


@pytest.mark.parametrize("why", ["compiled", "one core", "few kernels"])
def test_no_process_runs_without_need(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    if why == "compiled":
        monkeypatch.setattr(warm_up, "has_compiled", lambda module: True)
    if why == "one core":
        one = cpu(1)
        monkeypatch.setattr(warm_up, "cpu", lambda: one)

    with compiled_early(CtDemo() if why == "few kernels" else DEMO):
        pass

    assert not Process.started


@pytest.mark.slow
def test_run_finds_its_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the steps of the demo, its run compiles no projector kernels."""
    from engine.jobs.reconstruction import run
    from engine.kernels.rays import ray_tracing

    for step in DEMO.kernels(cpu(2)):
        step()
    before = {
        name: len(kernel.signatures)
        for name, kernel in vars(ray_tracing).items()
        if hasattr(kernel, "signatures")
    }
    for _ in run(DEMO.make(tmp_path), on=cpu(2)):
        pass
    after = {name: len(getattr(ray_tracing, name).signatures) for name in before}
    assert after == before
