"""The check of a GPU machine: it goes on after a fault, keeps to its time, and tells."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import psutil
import pytest
from gpu_check import Line, Step, bar_lines, install, outcome_line, run, steps, table

XML = """<testsuites><testsuite tests="{tests}" failures="{failures}" errors="0"
skipped="{skipped}"/></testsuites>"""


def step(code: str, limit_s: float = 30) -> Step:
    return Step("step", (sys.executable, "-c", code), limit_s)


def soon() -> float:
    return time.monotonic() + 60


def ends(pid: int) -> bool:
    """Whether a process that was killed goes; it is nobody's child, and may take a moment."""
    end = soon()
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_a_step_that_fails_tells_its_exit_code_and_output():
    done = run(step("print('so far'); raise SystemExit(3)"), dict(os.environ), soon())

    assert (done.fault, done.output) == ("exit code 3", "so far\n")
    assert not done.line().passed


def test_a_step_is_ended_at_its_limit_with_what_it_said_and_started():
    code = (
        "import subprocess, sys;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']);"
        "print(child.pid, flush=True); child.wait()"
    )

    done = run(step(code, limit_s=2), dict(os.environ), soon())

    assert "ended after 2 s" in done.fault
    assert ends(int(done.output))


def test_a_step_after_the_deadline_is_left_out():
    done = run(step("print(1)"), dict(os.environ), time.monotonic() - 1)

    assert done.fault == "left out: no time left"


@pytest.mark.parametrize(
    ("device", "tests", "failures", "skipped", "good"),
    [
        ("cuda", 5, 0, 0, True),
        ("cuda", 5, 1, 0, False),
        ("cuda", 5, 0, 5, False),
        ("cuda", 5, 0, 1, False),
        ("cuda", 0, 0, 0, False),
        ("cpu", 5, 0, 2, True),
    ],
)
def test_tests_pass_only_if_they_ran(device, tests, failures, skipped, good, tmp_path):
    xml = tmp_path / "tests.xml"
    xml.write_text(XML.format(tests=tests, failures=failures, skipped=skipped))

    assert outcome_line(xml, device).passed is good


def test_no_result_of_the_tests_is_a_miss(tmp_path):
    assert not outcome_line(tmp_path / "none.xml", "cpu").passed


def test_bars_come_from_the_stored_figures(tmp_path):
    path = tmp_path / "kernels.json"
    bar = {"name": "fused", "value": 2.5e8, "bar": 1e8, "way": "at least", "unit": "events/s"}
    path.write_text(json.dumps({"parts": {"kernels": {"bars": [bar | {"passed": True}]}}}))

    (line,) = bar_lines([path])

    assert line == Line("kernels: fused", "250 M events/s", "at least 100 M events/s", True)
    assert table([line]).startswith("pass  kernels: fused")


def test_every_part_of_a_gpu_is_measured_into_a_file_of_its_own(tmp_path):
    found = steps("cuda", False, tmp_path, tmp_path)

    names = [s.figures.name for s in found if s.figures]
    cone = ["cone.json", "cone-kernels.json", "cone-patches.json"]
    lists = ["table3.json", "table2.json", "cpu-and-gpu.json"]
    assert names == ["kernels.json", *cone, "dual-head.json", *lists]
    assert "--keep-tuning" in next(s for s in found if s.name == "cone kernels").command
    assert "qt" not in (tmp_path / "pytest.ini").read_text()


def test_wheels_go_into_a_folder_of_their_own_without_a_network(tmp_path):
    (tmp_path / "a-1-py3-none-any.whl").touch()

    unpack, target = install(tmp_path, Path("work"))

    assert "--no-index" in unpack.command
    assert str(target) in unpack.command
    assert unpack.command[-1].endswith("a-1-py3-none-any.whl")
