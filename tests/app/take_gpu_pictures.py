"""Save screenshots of the window with a GPU in each state, with the faults of each.

python -m tests.app.take_gpu_pictures --out FOLDER          software GPU of the tests
python -m tests.app.take_gpu_pictures --out FOLDER --real   GPU of this machine

The scans are tiny, because the software GPU runs each kernel on the CPU.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QSize

from app.state.models.run_record import RunState
from engine.modalities.demo import Demo
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import Study
from engine.modalities.xray_ct.demo import CtDemo
from engine.protocols.study.assignments import with_settings
from tests.app.gallery.photographer import Act, Photographer
from tests.app.take_screenshots import HOME, PLATFORM, platform_of
from tests.emulator.card.machine import Machine
from tests.emulator.card.running import obstacle
from tests.engine import engine_sources
from tests.engine.modalities.map_scans import PANELS, RINGS, scans_in

SITE = Path(__file__).parents[1] / "emulator" / "card" / "site"
SIZE = QSize(1280, 800)
THEMES = ("dark", "light")
SCANS: dict[str, tuple[Demo | None, tuple[str, ...]]] = {
    "pet": (
        PetDemo(n_prompts=20_000),
        ("algorithm.updates=none", "algorithm.iterations=2", "algorithm.subsets=2"),
    ),
    "sinogram": (None, ("algorithm.iterations=2", "algorithm.subsets=2")),
    "ct": (CtDemo(n_views=24, n_rows=24, n_columns=48), ("grid.voxel_mm=4,4,4",)),
    "dual-head": (
        None,
        ("algorithm.updates=none", "algorithm.iterations=2", "algorithm.subsets=2"),
    ),
}
"""Demo of each kind of scan, and settings of its protocol that make it small."""


def study_of(shots: Photographer, kind: str) -> Study:
    """Return a study of this kind of scan."""
    demo, settings = SCANS[kind]
    study = shots.make(demo) if demo is not None else small(kind, shots.demos)
    return study.model_copy(update={"protocol": with_settings(study.protocol, settings)})


def small(kind: str, folder: Path) -> Study:
    """Return a study with few lines of response; that of the demo has millions."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "dual-head":
        panels = with_settings(DualHeadProtocol(name="Panels, small"), PANELS)
        return Study(data=scans_in(folder) / "panels.h5", protocol=panels)
    rings = with_settings(RingSinogramProtocol(name="Sinograms, small"), RINGS)
    return Study(data=scans_in(folder) / "bins.hs", protocol=rings)


def device(shots: Photographer) -> None:
    """Show the device menu, and the GPU in the settings."""
    window = shots.window
    shots.shoot_menu("gpu-devices", window.header.device.menu())
    window.session.device.choose("cpu")
    shots.shoot("gpu-cpu-chosen")
    window.session.device.choose("auto")


def run_of(kind: str) -> Act:
    """Return a function that shows the states of a run on the GPU."""

    def play(shots: Photographer) -> None:
        window = shots.window
        shots.open(study_of(shots, kind))
        shots.shoot(f"gpu-{kind}-forecast")
        window.runner.start()
        record = window.session.run.record
        shots.wait(lambda: len(record.images.items) >= 1 or shots.has_ended())
        shots.show_tab("Profile")
        shots.wait(lambda: record.profile is not None or shots.has_ended())
        shots.shoot(f"gpu-{kind}-running")
        shots.finish()
        shots.shoot(f"gpu-{kind}-profile")

    play.__name__ = f"gpu_{kind.replace('-', '_')}"
    return Act(tuple(f"gpu-{kind}-{name}" for name in ("forecast", "running", "profile")), play)


def failure(shots: Photographer) -> None:
    """Show a GPU that fails during a run, and the run on the CPU that continues it."""
    window = shots.window
    shots.open(study_of(shots, "pet"))
    window.runner.source = engine_sources.failing_gpu
    window.runner.start()
    shots.wait(lambda: window.centre.message_bar.problem is not None and shots.has_ended())
    shots.shoot("gpu-failed")
    window.session.device.choose("cpu")
    window.runner.source = None
    window.runner.resume(window.session.run.record.job)
    shots.wait(lambda: shots.has_ended() and shots.is_calm())
    if window.session.run.state is not RunState.FINISHED:
        raise RuntimeError(window.centre.message_bar.text)
    shots.shoot("gpu-continued-on-cpu")


ACTS = (
    Act(("gpu-devices", "gpu-cpu-chosen"), device),
    *(run_of(kind) for kind in SCANS),
    Act(("gpu-failed", "gpu-continued-on-cpu"), failure),
)
BROKEN: dict[str, Machine] = {
    "old-driver": Machine(driver=11080),
    "old-card": Machine(arch=50),
    "driver-fault": Machine(init=999),
    "full-memory": Machine(used_bytes=(1 << 30) - (1 << 20)),
}
"""Machines with an unusable GPU."""


def broken(name: str) -> Act:
    """Return a function that shows the window on a machine with an unusable GPU."""

    def play(shots: Photographer) -> None:
        shots.open(study_of(shots, "pet"))
        shots.window.session.device.choose("cuda")
        shots.shoot(f"gpu-{name}")
        shots.shoot_menu(f"gpu-{name}-devices", shots.window.header.device.menu())

    play.__name__ = name
    return Act((f"gpu-{name}", f"gpu-{name}-devices"), play)


def take_in_this_process(out: Path, acts: tuple[Act, ...], only: str) -> None:
    """Take screenshots in this process."""
    from app.shell.application import make_app
    from app.shell.shutdown import leave

    shots = Photographer(make_app(), out, THEMES, only, size=SIZE)
    for act in acts:
        if act.has_picture_with(only):
            shots.play(act)
    lines = [f"{name}: {fault}" for name, faults in shots.faults.items() for fault in faults]
    with (out / "faults.txt").open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))
    leave(0)


def main() -> None:
    """Take screenshots with the software GPU, in a separate process for each machine."""
    parser = argparse.ArgumentParser(description="Take screenshots of the window on a GPU.")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--only", default="", metavar="WORD", help="only screenshots with this word in their name"
    )
    parser.add_argument("--real", action="store_true", help="use the GPU of this machine")
    parser.add_argument("--here", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if given.here:
        take_in_this_process(
            out, ACTS if given.here == "runs" else (broken(given.here),), given.only
        )
    settings = {PLATFORM: platform_of("1280x720"), HOME: str(out / "home")}
    if given.real:
        machines: dict[str, dict[str, str]] = {"runs": {}}
    elif reason := obstacle():
        sys.exit(f"There is no software card: {reason}.")
    else:
        path = {"PYTHONPATH": str(SITE)}
        machines = {"runs": Machine().environment() | path}
        machines |= {name: each.environment() | path for name, each in BROKEN.items()}
    for name, variables in machines.items():
        words = ["--here", name, "--out", str(out), "--only", given.only]
        command = [sys.executable, "-m", "tests.app.take_gpu_pictures", *words]
        subprocess.run(command, check=True, env=os.environ | settings | variables)


if __name__ == "__main__":
    main()
