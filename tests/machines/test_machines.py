"""Tests that each machine of the table gets the right device, and one sentence with the reason."""

from __future__ import annotations

import os
import re
from types import SimpleNamespace

import pytest

from engine.cli.console import Console
from engine.cli.device import device_of
from engine.core import backend
from engine.core.backend.devices import choose, find_devices, gpu_device, key_of
from engine.core.errors import DeviceError, ResourceError
from engine.data.runs.events import Event
from engine.jobs.process import child
from engine.jobs.process.messages import Order
from tests.machines.made import Machine, can_be_made, put_up
from tests.machines.table import MACHINES

pytestmark = pytest.mark.skipif(not can_be_made(), reason="no C compiler, or not Linux")


@pytest.fixture(params=MACHINES)
def machine(request, monkeypatch, tmp_path) -> Machine:
    made = MACHINES[request.param]
    put_up(made, monkeypatch, tmp_path)
    return made


def sentences(text: str) -> int:
    """Count the sentences of a text. Names in it may contain full stops."""
    return len(re.findall(r"\.(?= [A-Z]|$)", text))


def is_brief(text: str) -> bool:
    """Return True if a text ends with a full stop and has at most five sentences."""
    return text.endswith(".") and sentences(text) <= 5


def test_auto_selects_the_expected_device(machine):
    on = backend.named("auto")
    assert (on.name if on.gpu is None else key_of(on.gpu.facts.number)) == machine.key
    if machine.words:
        assert re.search(machine.words, on.note)
        assert on.note.startswith("Computing on the CPU: ")
        assert is_brief(on.note), on.note
    else:
        assert on.note == ""


def test_window_offers_the_expected_device(machine):
    found = find_devices()
    automatic = choose(found, "auto")
    text = " ".join(device.obstacle for device in found)
    if machine.in_use:
        assert automatic.key == "cuda", "the fault shows only in use"
    else:
        assert automatic.key == machine.key
        assert re.search(machine.words, text)
    assert all(device.label for device in found)
    assert all(is_brief(device.obstacle) for device in found if device.obstacle)


def test_unusable_requested_gpu_gives_reason_and_remedy(machine):
    if machine.key.startswith("cuda"):
        assert backend.named(machine.key).is_cuda
        return
    with pytest.raises((ResourceError, DeviceError), match=machine.words or "No NVIDIA driver"):
        backend.named("cuda")


def test_command_reports_once_why_it_uses_the_cpu(machine, capsys):
    on = device_of("auto", None, Console())
    output = capsys.readouterr().err
    assert output == (f"note: {on.note}\n" if machine.words else "")


def test_window_run_warns_that_it_uses_the_cpu(machine):
    used = []

    def source(study: object, *, on: backend.Backend, **_: object) -> list[Event]:
        used.append(on.name)
        return []

    order = Order("", "auto", None, None, False, source, os.getpid())
    no_observer = SimpleNamespace(on_progress=None, finish_wanted=None)
    warned = list(child._events(order, None, None, no_observer, no_observer))
    assert used == [machine.key.partition(":")[0]]
    assert len(warned) == bool(machine.words)
    assert all(re.search(machine.words, event.text) for event in warned)


@pytest.mark.parametrize("requested", ["cuda:1", "cuda:GPU-0000abc1", "cuda:gpu-1"])
def test_second_gpu_is_selected_by_number_or_uuid(monkeypatch, tmp_path, requested):
    put_up(MACHINES["two cards"], monkeypatch, tmp_path)
    if requested == "cuda:gpu-1":
        with pytest.raises(ResourceError, match=r"no GPU 'cuda:gpu-1' .* it has cuda, cuda:1\."):
            backend.named(requested)
        return
    facts = backend.named(requested).gpu.facts
    assert (facts.number, facts.name) == (1, "NVIDIA RTX A4000")
    assert gpu_device(requested).label == "NVIDIA RTX A4000 (cuda:1)"
