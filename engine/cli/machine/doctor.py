"""`isocenter doctor`: check this installation and state the remedy."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs, add_verb
from engine.core import backend
from engine.core.backend.devices import find_devices
from engine.core.backend.selftest_results import stored_result
from engine.core.errors import DeviceError, ResourceError, SettingsError
from engine.core.paths import HOME_VARIABLE, cache_dir, jobs_dir, repair_command
from engine.io.safety.budget import free_memory, usable_memory
from engine.protocols.run_context.environment import environment

PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "pydantic",
    "h5py",
    "nibabel",
    "pillow",
    "PySide6-Essentials",
    "pyqtgraph",
)
LOW_DISK = 5 * 2**30


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter doctor`.

    It checks packages, devices, disk space and kernels, and its error names the remedy.
    """
    p = add_verb(verbs, "doctor")
    p.add_argument(
        "--bundle",
        metavar="FILE.zip",
        type=Path,
        action=Output,
        help="write versions, devices, settings, the last job and the last error, without "
        "names of patients, users or files (default: none)",
    )
    p.add_argument(
        "--gpu",
        action="store_true",
        help="compare the results of each GPU with the CPU (a few seconds), and store the outcome",
    )
    add_force(p)
    p.set_defaults(act=_act)


def _act(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.gpu and arguments.bundle is not None:
        raise SettingsError("--gpu and --bundle cannot be combined. Run them one after the other.")
    if arguments.gpu:
        from engine.cli.machine.doctor_gpu import test_cards

        test_cards(console)
    elif arguments.bundle is None:
        _doctor(console)
    else:
        _bundle(arguments.bundle, console)


def _bundle(path: Path, console: Console) -> None:
    from engine.tools.diagnostics.bundle import PROMISE, gather

    if path.suffix.lower() != ".zip":
        raise SettingsError(f"{path.name}: the name of a bundle must end with .zip.")
    bundle = gather(free_bytes=usable_memory())
    bundle.write(path)
    # Listed, so that users see the content before they send it
    for name, text in bundle.files.items():
        console.line(f"  {name:20s} {len(text.splitlines())} lines")
    console.line(PROMISE)
    console.line(f"Written: {path}")


def _doctor(console: Console) -> None:
    facts = environment()
    for name in ("isocenter", "python", "system", "processor"):
        console.line(f"  {name:20s} {facts.get(name, 'unknown')}")
    missing = [name for name in PACKAGES if _version(name) is None]
    for name in PACKAGES:
        console.line(f"  {name:20s} {_version(name) or 'MISSING'}")
    _list_devices(console)
    locked = []
    for name, folder in (("cache", cache_dir()), ("jobs", jobs_dir())):
        # Both folders can be on different disks
        free = shutil.disk_usage(folder).free
        low = "  (low: large volumes may not fit)" if free < LOW_DISK else ""
        console.line(f"  {name:20s} {free / 2**30:.0f} GiB free{low}")
        if not os.access(folder, os.W_OK):
            locked.append(str(folder))
    _list_plug_ins(console)
    _check_kernels(console)
    if missing:
        raise ResourceError(
            f"Some packages are missing: {', '.join(missing)}. Run "
            f"{repair_command(tuple(missing))} to repair the installation."
        )
    if locked:
        raise ResourceError(
            f"You cannot write to these folders: {', '.join(locked)}. Change their permissions, or "
            f"set {HOME_VARIABLE} to another folder."
        )
    free_memory()  # refuses an invalid limit, as each run does
    console.line("All checks passed.")


def _list_devices(console: Console) -> None:
    for device in find_devices(usable_memory()):
        # Driver and CuPy can disagree: only an attempt shows it
        reason = device.obstacle or (_cuda_obstacle(device.key) if device.is_gpu else "")
        if reason:
            console.line(f"  {device.key:20s} {device.label}, not usable: {reason}")
            continue
        free, memory = device.free_bytes / 2**30, device.memory_bytes / 2**30
        console.line(f"  {device.key:20s} {device.label}, {free:.1f} of {memory:.1f} GiB free")
        # Untested is not an error: `auto` tests a GPU before its first use
        if device.card is not None and stored_result(device.card) is None:
            console.line(f"  {'':20s} not tested yet; run `isocenter doctor --gpu`")


def _list_plug_ins(console: Console) -> None:
    from engine.modalities import used_plug_ins

    used, problems = used_plug_ins()
    for feature in used:
        console.line(f"  {'plug-in':20s} {feature}")
    for problem in problems:
        console.line(f"  {'plug-in':20s} {problem}")


def _cuda_obstacle(key: str) -> str:
    """Open the GPU with CuPy; return the error, or an empty text if it works."""
    try:
        backend.named(key)
    except (ResourceError, DeviceError) as e:
        return str(e)
    return ""


def _check_kernels(console: Console) -> None:
    # Compiles them if necessary, so that the first reconstruction does not wait
    from engine.modalities.kernel_steps import warm_up
    from engine.modalities.warm_up import of_any_scan

    for done, total in warm_up(of_any_scan(backend.cpu())):
        console.line(f"  {'kernels':20s} {done} of {total} ready")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
