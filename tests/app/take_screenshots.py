"""Drive the window through its states; save a picture of each and its faults.

python -m tests.app.take_screenshots --out FOLDER [--screen 1280x720 1920x1080] [--scale 1]
    [--theme dark light] [--only WORD] [--part K/N]

Pictures go to FOLDER/SCREEN, and the faults found by `screen_laws` to FOLDER/SCREEN/faults.txt.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

SCREENS = Path(__file__).with_name("screens")
HOME, PLATFORM = "ISOCENTER_HOME", "QT_QPA_PLATFORM"
KEPT = ("jobs", "queue", "results", "state")
"""Entries in the folder of jobs and caches that must not remain from other pictures."""


def arguments() -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = argparse.ArgumentParser(description="Photograph every state of the window.")
    known = sorted(path.stem for path in SCREENS.glob("*.json"))
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--screen", nargs="+", choices=known, default=["1280x720", "1920x1080"])
    parser.add_argument("--scale", type=int, default=1, help="pixels of the screen in one of ours")
    themes = ["dark", "light"]
    parser.add_argument("--theme", nargs="+", choices=themes, default=themes)
    parser.add_argument("--only", default="", metavar="WORD", help="in the names of pictures")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every Nth act")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def platform_of(screen: str) -> str:
    """Return the Qt platform for an offscreen screen of this size."""
    return f"offscreen:configfile={SCREENS / screen}.json"


def one_screen(wanted: argparse.Namespace) -> None:
    """Photograph on the screen of this process."""
    from app.shell.application import make_app
    from tests.app.gallery.acts import ACTS, part_of
    from tests.app.gallery.photographer import Photographer

    folder = wanted.out / wanted.screen[0]
    shots = Photographer(make_app(), folder, tuple(wanted.theme), wanted.only)
    try:
        for act in part_of(ACTS, wanted.part):
            if act.holds(wanted.only):
                shots.play(act)
    finally:
        lines = [f"{name}: {fault}" for name, faults in shots.faults.items() for fault in faults]
        (folder / "faults.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    shutil.rmtree(folder / "settings")


def on_screen(screen: str, wanted: argparse.Namespace) -> None:
    """Photograph in a separate process, which knows one screen."""
    folder, home = wanted.out / screen, wanted.out / "home"
    for path in (folder / "settings", *(home / name for name in KEPT)):
        shutil.rmtree(path, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    settings = {PLATFORM: platform_of(screen), HOME: str(home)}
    settings["QT_SCALE_FACTOR"] = str(wanted.scale)
    words = ["--here", "--out", wanted.out, "--screen", screen, "--only", wanted.only]
    words += ["--part", wanted.part]
    command = [sys.executable, "-m", "tests.app.take_screenshots", *words, "--theme", *wanted.theme]
    subprocess.run([str(word) for word in command], check=True, env=os.environ | settings)


def main() -> None:
    """Photograph on all requested screens."""
    expected = arguments()
    expected.out = expected.out.resolve()
    if expected.here:
        from app.shell.shutdown import leave

        one_screen(expected)
        leave(0)
    for screen in expected.screen:
        on_screen(screen, expected)


if __name__ == "__main__":
    main()
