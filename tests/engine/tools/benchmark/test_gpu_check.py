"""Tests of the GPU check: faults, time limits, and its file of figures."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.machine import gpu_check
from engine.cli.main import main
from engine.core.backend.devices import DeviceInfo, cpu_device
from engine.core.backend.driver import NvidiaCard
from engine.core.errors import FileFormatError, SettingsError
from engine.tools.benchmark import gpu_file, gpu_steps
from engine.tools.benchmark.gpu_steps import NO_TIME, CheckStep, StepEnd, chosen, run, steps

CARD = NvidiaCard(0, "NVIDIA RTX 4090", 24 << 30, "0000:01:00.0", "1b0c-1", 89, (13, 0))
DEVICE = DeviceInfo("cuda", CARD.name, CARD.memory_bytes, CARD.memory_bytes, 2, card=CARD)
BAR = {"name": "fused", "value": 2.5e8, "bar": 1e8, "way": "at least", "unit": "events/s"}
FIGURES = {
    "environment": {"system": "Linux", "user": "ada", "folder": "/home/ada"},
    "file": "kernels.json",
    "parts": {"kernels": {"bars": [BAR | {"passed": True}]}},
}


class Code(CheckStep):
    """A step that runs Python code."""

    def command(self, folder):
        return (sys.executable, "-c", *self.words)


def step(code: str, limit_s: float = 30) -> CheckStep:
    return Code("step", (code,), limit_s)


def deadline() -> float:
    return time.monotonic() + 60


def ends(pid: int) -> bool:
    """Return True if a killed process ends; without a parent here, that can take some time."""
    end = deadline()
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_failed_step_reports_exit_code_and_output(tmp_path):
    done = run(step("print('so far'); raise SystemExit(3)"), tmp_path, deadline())
    assert (done.fault, done.output) == ("exit code 3", "so far\n")


def test_step_at_its_limit_is_killed_with_its_children_and_its_output_saved(tmp_path):
    code = (
        "import subprocess, sys;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']);"
        "print(child.pid, flush=True); child.wait()"
    )
    done = run(step(code, limit_s=2), tmp_path, deadline())
    assert "ended after 2 s" in done.fault
    assert ends(int(done.output))


def test_step_after_the_deadline_is_skipped(tmp_path):
    assert run(step("print(1)"), tmp_path, time.monotonic() - 1).fault == NO_TIME


def test_self_test_runs_first_and_every_part_has_a_figures_file(tmp_path):
    found = steps("cuda:1", quick=False)
    assert found[0].words == ("doctor", "--gpu")
    files = [each.figures(tmp_path) for each in found if each.measures]
    assert len({*files}) == len(files) >= 6
    on = [each.words[each.words.index("--device") + 1] for each in found if each.measures]
    assert {*on} == {"cuda:1", "both"}
    assert sum(each.limit_s for each in steps("cpu", quick=True)) > 0


def test_every_missing_gpu_figure_has_a_step():
    named = {each.name: each.words for each in steps("cuda", quick=False)}
    assert named["live"][2:4] == ("--cases", "flexray,high-speed")
    for part in ("fdk", "projectors", "scatter", "subsets", "runs"):
        assert named[part] == ("bench", "gpu", "--parts", part, "--device", "cuda")
    assert named["peers"] == ("bench", "peers", "--device", "cuda")
    assert {"table2", "table3", "dual head"} <= {*named}
    quick = {each.name: each.words for each in steps("cuda", quick=True)}
    for name in ("live", "fdk", "projectors", "scatter", "subsets", "runs"):
        assert "--quick" in quick[name]


def test_steps_are_chosen_by_name_in_their_order():
    found = steps("cuda", quick=False)
    assert [each.name for each in chosen(found, ("live", "fdk"))] == ["fdk", "live"]
    assert chosen(found, ()) == found
    with pytest.raises(SettingsError, match="--steps: 'speed' is not a step of this check"):
        chosen(found, ("fdk", "speed"))


def record(**changes) -> dict:
    ran = [StepEnd("self-test", 3.0, ""), StepEnd("kernels", 60.0, "")]
    return gpu_file.record(DEVICE, ran, {"kernels": FIGURES}) | changes


def test_file_contains_no_names_of_people_folders_or_machines():
    text = json.dumps(record())
    assert "ada" not in text and "1b0c" not in text and "kernels.json" not in text
    assert "NVIDIA RTX 4090" in text and "Ada Lovelace" not in gpu_file.lines(record())[0]
    assert record()["card"]["generation"] == "Ada Lovelace, compute capability 8.9"


def test_file_contains_no_gpu_number_and_no_folders():
    library = "/opt/ada/lib/libparallelproj.so: this library was built without CUDA."
    figure = FIGURES | {
        "devices": {"cuda": {"name": "RTX 4090", "uuid": "1b0c-1", "bus_id": "01:00.0"}},
        "parts": {
            "peers": {
                "rows": [
                    {"why_not": library},
                    {"why_not": f"{Path.home()}/my lib/x.so: C:\\Users\\ada\\y.dll is missing."},
                    {"why_not": "Install tigre (https://github.com/CERN/TIGRE); 3 events/s."},
                ],
                "bars": [],
            }
        },
    }
    found = gpu_file.record(DEVICE, [], {"peers": figure})["figures"]["peers"]
    assert found["devices"] == {"cuda": {"name": "RTX 4090"}}
    assert [row["why_not"] for row in found["parts"]["peers"]["rows"]] == [
        "libparallelproj.so: this library was built without CUDA.",
        "/my lib/x.so: y.dll is missing.",
        "Install tigre (https://github.com/CERN/TIGRE); 3 events/s.",
    ]


def test_limits_and_faults_are_lines_of_the_table():
    assert gpu_file.lines(record()) == [
        "pass  self-test       done in 3 s",
        "pass  kernels         done in 60 s",
        "pass  kernels: fused  250 M events/s  (at least 100 M events/s)",
    ]
    assert gpu_file.passed(record())
    wrong = record(card=record()["card"] | {"faults": ["list mode: back: off by 3 %"]})
    assert gpu_file.lines(wrong)[0] == "MISS  self-test       list mode: back: off by 3 %"
    assert not gpu_file.passed(wrong)


def test_received_files_are_compared_in_columns(tmp_path, capsys):
    slower = record()
    slower["figures"]["kernels"]["parts"] = {
        "kernels": {"bars": [BAR | {"value": 5e7, "passed": False}]}
    }
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path, each in zip(paths, (record(), slower), strict=True):
        path.write_text(json.dumps(each))
    assert main(["gpu-check", "--table", *map(str, paths)]) == DONE
    table = capsys.readouterr().out
    assert "| kernels: fused | 250 M events/s | **50 M events/s** |" in table
    assert "| generation | Ada Lovelace, compute capability 8.9 | Ada Lovelace" in table


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "isocenter-gpu-check-1"}', "[" * 9999]
)
def test_foreign_file_is_refused_with_a_remedy(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"other\.json: .*Use files written by `isocenter"):
        gpu_file.read(path)


def test_check_continues_after_a_fault_and_is_written_completely(tmp_path, monkeypatch, capsys):
    figures = json.dumps(FIGURES)
    todo = [
        step("import sys; print('no such card'); sys.exit(2)"),
        Code("kernels", (f"open('kernels.json', 'w').write({figures!r})",), 30),
    ]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Code, "figures", lambda self, folder: tmp_path / f"{self.name}.json")
    monkeypatch.setattr(gpu_steps, "steps", lambda device, quick: todo)
    out = tmp_path / "out.json"
    assert main(["gpu-check", "-o", str(out), "--device", "cpu"]) == USER_FAULT
    output = capsys.readouterr()
    assert "  no such card" in output.err and "MISS  step" in output.out
    assert "Some checks failed (step)." in output.err
    found = gpu_file.read(out)
    assert [each["fault"] for each in found["steps"]] == ["exit code 2", ""]
    assert found["card"]["name"] == cpu_device().label
    assert found["figures"]["kernels"]["parts"] == FIGURES["parts"]


@pytest.mark.parametrize("words", [[], ["--table", "a.json", "-o", "b.json"]])
def test_either_output_or_table_is_required(words, capsys):
    assert main(["gpu-check", *words]) == USER_FAULT
    assert "-o FILE.json to measure, or --table" in capsys.readouterr().err


def test_gpu_that_failed_its_self_test_is_checked(monkeypatch):
    wrong = replace(DEVICE, obstacle="NVIDIA RTX 4090 failed its self-test (memory: full).")
    monkeypatch.setattr("engine.core.backend.devices.find_devices", lambda: (cpu_device(), wrong))
    assert gpu_check._device("cuda") is wrong
