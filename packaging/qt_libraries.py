"""Check the system libraries that Qt needs; install missing ones or name them."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from machine import SetupError, apt_install

PROBE = "from PySide6 import QtGui, QtWidgets; QtWidgets.QApplication([])"
PROBE_S = 120
"""Longer than any start of Qt. Only a hanging display takes so long."""
UNREACHABLE = ("could not connect to display", "Failed to create wl_display", "timed out")

OFFSCREEN = ("libgl1", "libegl1", "libxkbcommon0", "libdbus-1-3", "libfontconfig1")
XCB = (
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-keysyms1",
    "libxcb-shape0",
    "libxkbcommon-x11-0",
)
BEFORE_T64 = ("bullseye", "bookworm", "focal", "jammy", "lunar", "mantic")
"""Releases before the packages for 64-bit time got new names."""


def ensure(python: Path, *, on_display: bool) -> bool:
    """Check that Qt starts, and install missing libraries.

    Return False if the display is unreachable.
    """
    fault = _fault(python, on_display)
    if fault is None:
        return True
    if _is_unreachable(fault):
        return False
    why = f"Qt does not start ({fault})"
    if shutil.which("apt-get") is None:
        raise SetupError(
            f"{why}; install your system's packages for GLib, OpenGL, EGL, xkbcommon, D-Bus, "
            "fontconfig and the xcb libraries, then run this command again."
        )
    apt_install(packages(os_release(), xcb=on_display), why=why)
    fault = _fault(python, on_display)
    if fault is not None and not _is_unreachable(fault):
        raise SetupError(f"Qt does not start although its libraries are installed: {fault}.")
    return fault is None


def missing_for_windows(root: Path, python: Path) -> str:
    """Return the missing libraries for windows on X, which the tests do not need, or ""."""
    if not sys.platform.startswith("linux"):
        return ""
    done = subprocess.run(
        [str(python), "-m", "app.shell.qt_start"], cwd=root, capture_output=True, text=True
    )
    return ", ".join(done.stdout.split())


def packages(release: Mapping[str, str], *, xcb: bool) -> list[str]:
    """Return the required Debian packages of a release, including those for X if `xcb`."""
    keys = ("UBUNTU_CODENAME", "DEBIAN_CODENAME", "VERSION_CODENAME")
    codename = next((release[key] for key in keys if release.get(key)), "")
    glib = "libglib2.0-0" if codename in BEFORE_T64 else "libglib2.0-0t64"
    return [glib, *OFFSCREEN, *(XCB if xcb else ())]


def os_release() -> dict[str, str]:
    """Return the os-release data of the distribution, empty if there is none."""
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}


def _fault(python: Path, on_display: bool) -> str | None:
    """Start Qt offscreen, then on the display if `on_display`; return the first error."""
    fault = probe(python, {"QT_QPA_PLATFORM": "offscreen"})
    return probe(python, {}) if fault is None and on_display else fault


def probe(python: Path, variables: Mapping[str, str]) -> str | None:
    """Start Qt in a separate process; return its error, or None."""
    try:
        done = subprocess.run(
            [str(python), "-c", PROBE],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_S,
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    return None if done.returncode == 0 else complaint(done.stderr)


def complaint(stderr: str) -> str:
    """Return the line of the output that names the missing part."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    markers = ("ImportError", "could not connect", "Failed to create wl_display", "is needed")
    for line in lines:
        if any(word in line for word in markers):
            return line.removeprefix("ImportError: ")
    return lines[-1] if lines else "it ended without a message"


def _is_unreachable(fault: str) -> bool:
    return any(words in fault for words in UNREACHABLE)
