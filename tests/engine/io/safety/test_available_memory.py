"""Tests of available memory: free memory of the machine, or the rest of a control group's limit."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import psutil
import pytest

from engine.cli.console import Console
from engine.cli.machine.doctor import _bundle, _doctor, _list_devices
from engine.core.errors import SettingsError
from engine.core.paths import HOME_VARIABLE
from engine.io.safety import budget
from engine.io.safety.budget import available_memory, free_memory, usable_memory

GIB = 2**30
FREE = 40 * GIB
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has control groups")
Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write files below a folder that replaces /; the machine has 40 of 64 GiB free."""
    machine = psutil.virtual_memory()._replace(total=64 * GIB, available=FREE)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: machine)
    monkeypatch.setattr(budget, "PROCESS", tmp_path / "proc")
    budget._groups.cache_clear()

    def write(folder: str, **files: object) -> None:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (tmp_path / folder / name.replace("__", ".")).write_text(f"{content}\n")

    yield write
    budget._groups.cache_clear()


def second(write: Write, tmp_path: Path, place: str, root: str = "/") -> None:
    mount = f"31 23 0:28 {root} {tmp_path}/sys rw,relatime shared:9 - cgroup2 cgroup rw,nsdelegate"
    write("proc", cgroup=f"0::{place}", mountinfo=f"23 1 8:1 / / rw - ext4 /dev/sda rw\n{mount}")


def first(write: Write, tmp_path: Path, place: str, root: str) -> None:
    mounts = [
        f"40 31 0:29 {root} {tmp_path}/sys/{name} rw - cgroup cgroup rw,{name}"
        for name in ("cpu", "memory")
    ]
    write("proc", cgroup=f"4:memory:{place}\n3:cpu:/x\n0::/", mountinfo="\n".join(mounts))


def test_a_machine_without_limit_gives_its_free_memory(write, tmp_path):
    assert available_memory() == FREE
    budget._groups.cache_clear()
    second(write, tmp_path, "/user.slice/a.scope")
    write("sys/user.slice/a.scope", memory__max="max", memory__current=50 * GIB)
    assert available_memory() == FREE


@pytest.mark.parametrize("name", ["memory__max", "memory__high"])
@pytest.mark.parametrize("folder", ["sys", "sys/job", "sys/job/step"])
def test_the_smallest_limit_around_the_process_counts(write, tmp_path, folder, name):
    second(write, tmp_path, "/job/step")
    write("sys/job/step", memory__max=30 * GIB, memory__current=GIB)
    write(folder, **{name: 6 * GIB, "memory__current": 5 * GIB})
    write(folder, memory__stat=f"anon 7\nactive_file {GIB}\ninactive_file {2 * GIB}\n")
    assert available_memory() == 4 * GIB, "cached file pages can be dropped"
    assert free_memory() == 4 * GIB


def test_a_full_group_and_a_full_machine_have_no_free_memory(write, tmp_path):
    second(write, tmp_path, "/")
    write("sys", memory__max=6 * GIB, memory__current=7 * GIB)
    assert available_memory() == 0
    write("sys", memory__max=63 * GIB, memory__current=GIB)
    assert available_memory() == FREE, "other programs use the rest"


@pytest.mark.parametrize("root", ["/docker/ab12", "/docker/other", "/"])
def test_limits_of_the_first_version_count_in_a_container(write, tmp_path, root):
    first(write, tmp_path, "/docker/ab12", root)
    own = "sys/memory/docker/ab12" if root == "/" else "sys/memory"
    write(own, memory__limit_in_bytes=8 * GIB, memory__usage_in_bytes=3 * GIB)
    write(own, memory__stat=f"inactive_file 5\ntotal_inactive_file {GIB}\ntotal_active_file 0")
    write("sys/cpu", memory__limit_in_bytes=GIB, memory__usage_in_bytes=0)
    assert available_memory() == 6 * GIB


def test_doctor_lists_the_memory_that_runs_can_use(write, tmp_path, capsys):
    second(write, tmp_path, "/job")
    write("sys/job", memory__max=6 * GIB, memory__current=GIB)
    _list_devices(Console())
    assert ", 5.0 of 64.0 GiB free" in capsys.readouterr().out


@pytest.mark.parametrize(("limit", "free"), [("2", 2 * GIB), ("much", FREE)])
def test_devices_are_listed_with_the_limit_of_this_process(write, monkeypatch, capsys, limit, free):
    monkeypatch.setenv(budget.MEMORY_VARIABLE, limit)
    assert free - GIB < usable_memory() <= free
    _list_devices(Console())
    assert f", {usable_memory() / GIB:.1f} of 64.0 GiB free" in capsys.readouterr().out


def test_doctor_does_not_pass_an_invalid_limit(monkeypatch):
    monkeypatch.setenv(budget.MEMORY_VARIABLE, "much")
    with pytest.raises(SettingsError, match="expected a number of GiB"):
        _doctor(Console())


def test_support_bundle_lists_the_memory_that_runs_can_use(write, tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    second(write, tmp_path, "/job")
    write("sys/job", memory__max=6 * GIB, memory__current=GIB)
    for limit, most in (("", 5 * GIB), ("3", 3 * GIB)):
        monkeypatch.setenv(budget.MEMORY_VARIABLE, limit)
        path = tmp_path / f"bundle{limit}.zip"
        _bundle(path, Console())
        with ZipFile(path) as packed:
            machine = json.loads(packed.read("devices.json"))
        cpu = machine["devices"][0]
        assert most / GIB - 1 < cpu["free_gib"] <= most / GIB and cpu["memory_gib"] == 64.0
        assert machine["machine_free_memory_gib"] == 40.0, (
            "the support bundle would redact long numbers"
        )
        assert {*machine["free_gib"]} == {"cache", "jobs"}


def test_unreadable_files_are_no_limit(write, tmp_path):
    second(write, tmp_path, "/../job")
    write("sys", memory__max=8 * GIB)
    assert available_memory() == FREE
    write("sys", memory__max="?", memory__current=GIB)
    assert available_memory() == FREE
