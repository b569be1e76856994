"""Tests of system libraries for Qt: packages by release, and Qt's messages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from qt_libraries import complaint, ensure, packages, probe

BARE = ["libgl1", "libegl1", "libxkbcommon0", "libdbus-1-3", "libfontconfig1"]
XCB = ["libxcb-cursor0", "libxcb-icccm4", "libxcb-keysyms1", "libxcb-shape0", "libxkbcommon-x11-0"]


@pytest.mark.parametrize(
    ("release", "glib"),
    [
        ({"ID": "debian", "VERSION_CODENAME": "bookworm"}, "libglib2.0-0"),
        ({"ID": "debian", "VERSION_CODENAME": "trixie"}, "libglib2.0-0t64"),
        ({"ID": "ubuntu", "UBUNTU_CODENAME": "jammy"}, "libglib2.0-0"),
        ({"ID": "ubuntu", "UBUNTU_CODENAME": "noble"}, "libglib2.0-0t64"),
        (
            {"ID": "linuxmint", "VERSION_CODENAME": "virginia", "UBUNTU_CODENAME": "jammy"},
            "libglib2.0-0",
        ),
        ({"VERSION_CODENAME": "faye", "DEBIAN_CODENAME": "bookworm"}, "libglib2.0-0"),
        ({}, "libglib2.0-0t64"),
    ],
)
def test_packages_match_the_release(release: dict[str, str], glib: str) -> None:
    assert packages(release, xcb=False) == [glib, *BARE]
    assert packages(release, xcb=True) == [glib, *BARE, *XCB]


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        (
            "Traceback (most recent call last):\n"
            "ImportError: libEGL.so.1: cannot open shared object file: No such file\n",
            "libEGL.so.1: cannot open shared object file: No such file",
        ),
        (
            "qt.qpa.xcb: could not connect to display :9\n"
            'qt.qpa.plugin: Could not load the Qt platform plugin "xcb" in ""\n'
            "This application failed to start because no Qt platform plugin could be initialized.",
            "qt.qpa.xcb: could not connect to display :9",
        ),
        ("", "it ended without a message"),
    ],
)
def test_complaint_is_the_line_with_the_reason(stderr: str, expected: str) -> None:
    assert complaint(stderr) == expected


def test_qt_starts_without_a_display() -> None:
    assert probe(Path(sys.executable), {"QT_QPA_PLATFORM": "offscreen"}) is None
    assert ensure(Path(sys.executable), on_display=False)


def test_unknown_platform_is_an_error() -> None:
    assert probe(Path(sys.executable), {"QT_QPA_PLATFORM": "no-such-platform"})
