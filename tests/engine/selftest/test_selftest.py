"""Tests of the GPU self-test: correct results pass, and the verdict is stored for the GPU."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.backend import cuda, named, selftest_results
from engine.core.backend.driver import NvidiaCard
from engine.core.backend.selftest_results import SelfTestResult, stored_result, text_of
from engine.selftest import device_choice, running
from engine.selftest.families import FAMILIES
from engine.selftest.guard_bands import FENCE_BYTES, Fenced
from engine.selftest.probes import MEMORY, linear
from engine.selftest.running import findings
from tests.emulator import EmulatedGpu
from tests.machines.made import can_be_made, put_up
from tests.machines.table import MACHINES

CARD = NvidiaCard(0, "NVIDIA RTX 4090", 24 << 30, "0000:01:00.0", "1b0c-1", 89, (13, 0))
on_linux = pytest.mark.skipif(not can_be_made(), reason="no C compiler, or not Linux")


@pytest.fixture
def home(monkeypatch, tmp_path):
    """Return a private folder without stored verdicts."""
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def short(monkeypatch):
    """Limit the self-test to one family."""
    monkeypatch.setattr(running, "FAMILIES", (MEMORY,))
    monkeypatch.setattr(running.findings, "__defaults__", ((MEMORY,),))


def obstacle(gpu: EmulatedGpu, card: NvidiaCard = CARD) -> str:
    return device_choice._check(None)(cuda(gpu), card)


def test_late_and_reordered_work_passes():
    found = list(findings(cuda(EmulatedGpu(reverse=True, late=True))))
    assert [finding.name for finding in found] == [family.name for family in FAMILIES]
    assert {finding.name: finding.faults for finding in found if finding.faults} == {}


@pytest.mark.gpu
def test_gpu_of_this_machine_passes():
    assert [fault for finding in findings(named("cuda")) for fault in finding.faults] == []


def test_gpu_is_tested_once(home, short):
    gpu = EmulatedGpu()
    assert stored_result(CARD) is None
    assert obstacle(gpu) == ""
    assert stored_result(CARD).passed
    assert obstacle(EmulatedGpu(memory_limit=0)) == "", "the GPU was tested again"


def test_failed_gpu_is_not_used_and_the_reason_given(home):
    words = obstacle(EmulatedGpu(fail_at_launch=1))
    assert words.startswith("NVIDIA RTX 4090 failed its self-test. Failures: ")
    assert "First failure: atomic sums: kernel add_up: " in words
    assert words.endswith("run `isocenter doctor --gpu`, which tests it again.")
    assert obstacle(EmulatedGpu()) == words, "the stored verdict was not used"


def test_full_gpu_memory_gives_no_verdict(home, short):
    assert "could not be tested" in obstacle(EmulatedGpu(memory_limit=0))
    assert stored_result(CARD) is None


@pytest.mark.parametrize(
    "other",
    [
        replace(CARD, uuid="1b0c-2"),
        replace(CARD, cuda=(13, 1)),
        replace(CARD, name="NVIDIA RTX 4080"),
    ],
    ids=["card", "driver", "name"],
)
def test_verdict_is_specific_to_gpu_and_driver(home, other):
    device_choice.keep(CARD, ())
    assert stored_result(CARD).passed
    assert stored_result(other) is None


@pytest.mark.parametrize("change", ["cupy", "nvrtc", "program"])
def test_verdict_is_specific_to_the_software_state(home, change):
    of = selftest_results.tested_of(CARD)
    old = SelfTestResult(replace(of, **{change: "another"}), (), "2026-01-01T00:00:00+00:00")
    of.path.parent.mkdir(parents=True)
    of.path.write_text(text_of(old))
    assert stored_result(CARD) is None


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"of": {}}', "\0", "[" * 30_000])
def test_damaged_verdict_is_ignored(home, text):
    path = selftest_results.tested_of(CARD).path
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert stored_result(CARD) is None


def test_write_outside_an_array_breaks_a_fence():
    gpu = EmulatedGpu()
    fenced = Fenced(gpu)
    array = fenced.empty((3, 5), np.float32)
    assert np.isnan(gpu.download(array)).all()
    array[...] = 1
    assert fenced.n_broken() == 0
    array = fenced.empty((3, 5), np.float32)
    buffer = array.base
    while buffer.nbytes < 2 * FENCE_BYTES:
        buffer = buffer.base
    np.asarray(buffer).view(np.uint8)[FENCE_BYTES + 60] = 0
    assert fenced.n_broken() == 1


def test_interpolated_texture_values_equal_the_textbook():
    stack = np.array([[[0, 8], [16, 24]]], np.float32)
    at = np.array([[0.5, 0.5, 0], [1, 0.5, 0], [1, 1, 0], [0, 0.5, 0], [-1, 3, 0]], np.float32)
    np.testing.assert_array_equal(linear(stack, at), [0, 4, 12, 0, 0])
    at = np.array([[1.5, 0, 0], [2, 1.5, 0], [2.25, 1.5, 0]], np.float32)
    np.testing.assert_array_equal(linear(stack, at), [4, 12, 6])


# on the command line


@on_linux
@pytest.mark.parametrize("name", MACHINES)
def test_doctor_states_why_a_gpu_cannot_be_tested(name, monkeypatch, tmp_path, capsys, short):

    machine = MACHINES[name]
    put_up(machine, monkeypatch, tmp_path)
    code = main(["doctor", "--gpu"])
    output = capsys.readouterr()
    assert code != DONE, "a GPU that computes nothing passed"
    if machine.key == "cpu" and not machine.failed:
        assert re.search(machine.words or "No NVIDIA driver is installed", output.err)
