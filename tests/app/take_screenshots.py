"""Save a screenshot of every state of the window, and the faults of each.

python -m tests.app.take_screenshots --out FOLDER [--screen 1280x720 1920x1080] [--scale 1]
    [--theme dark light] [--only WORD] [--part K/N]

Screenshots go to FOLDER/SCREEN, and faults found by `screen_laws` to FOLDER/SCREEN/faults.txt.
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
CLEARED = ("jobs", "queue", "results", "state")
"""Folders in the home folder that are removed before the first screenshot."""


def arguments() -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = argparse.ArgumentParser(description="Take a screenshot of every state of the window.")
    known = sorted(path.stem for path in SCREENS.glob("*.json"))
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--screen", nargs="+", choices=known, default=["1280x720", "1920x1080"])
    parser.add_argument("--scale", type=int, default=1, help="device pixel ratio")
    themes = ["dark", "light"]
    parser.add_argument("--theme", nargs="+", choices=themes, default=themes)
    parser.add_argument(
        "--only", default="", metavar="WORD", help="only screenshots with this word in their name"
    )
    parser.add_argument(
        "--part", default="1/1", metavar="K/N", help="every Nth act, starting at the Kth"
    )
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def platform_of(screen: str) -> str:
    """Return the Qt platform for an offscreen screen of this size."""
    return f"offscreen:configfile={SCREENS / screen}.json"


def one_screen(options: argparse.Namespace) -> None:
    """Take screenshots on the screen of this process."""
    from app.shell.application import make_app
    from tests.app.gallery.acts import ACTS, part_of
    from tests.app.gallery.photographer import Photographer

    folder = options.out / options.screen[0]
    shots = Photographer(make_app(), folder, tuple(options.theme), options.only)
    try:
        for act in part_of(ACTS, options.part):
            if act.has_picture_with(options.only):
                shots.play(act)
    finally:
        lines = [f"{name}: {fault}" for name, faults in shots.faults.items() for fault in faults]
        (folder / "faults.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    shutil.rmtree(folder / "settings")


def on_screen(screen: str, options: argparse.Namespace) -> None:
    """Take screenshots in a separate process, because Qt has one screen per process."""
    folder, home = options.out / screen, options.out / "home"
    for path in (folder / "settings", *(home / name for name in CLEARED)):
        shutil.rmtree(path, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    settings = {PLATFORM: platform_of(screen), HOME: str(home)}
    settings["QT_SCALE_FACTOR"] = str(options.scale)
    words = ["--here", "--out", options.out, "--screen", screen, "--only", options.only]
    words += ["--part", options.part]
    command = [
        sys.executable,
        "-m",
        "tests.app.take_screenshots",
        *words,
        "--theme",
        *options.theme,
    ]
    subprocess.run([str(word) for word in command], check=True, env=os.environ | settings)


def main() -> None:
    """Take screenshots on all requested screens."""
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
