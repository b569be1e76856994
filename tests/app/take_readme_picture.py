"""Take the picture of the README: the window with the reconstructed PET demo.

python -m tests.app.take_readme_picture [FILE.png]
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QSize

from app.shell.application import make_app
from app.shell.shutdown import leave
from engine.modalities.listmode_pet.demo import PetDemo
from tests.app.gallery.photographer import Act, Photographer
from tests.app.take_screenshots import HOME, PLATFORM, platform_of

FILE = Path(__file__).resolve().parents[2] / "docs" / "window-dark.png"
SIZE = QSize(1440, 900)
THEME = "dark"
CORRECTIONS = 1
"""Index of the open step."""
COLOURS = 192
"""Enough colours for a dark window with one grey image; the file has about 100 kB."""


def pet_demo(shots: Photographer) -> None:
    """Reconstruct the demo of a PET ring and open the step of corrections."""
    shots.open(shots.make(PetDemo()))
    shots.start()
    shots.finish()
    shots.show_step(CORRECTIONS)
    shots.shoot("window")


def main(file: Path) -> None:
    """Take the picture and write it with few colours."""
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {HOME: home, PLATFORM: platform_of("1920x1080")}
        pictures = Path(home) / "pictures"
        pictures.mkdir()
        shots = Photographer(make_app(), pictures, (THEME,), size=SIZE)
        shots.play(Act(("window",), pet_demo))
        with Image.open(pictures / f"window-{THEME}.png") as image:
            few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            few.save(file, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
    leave(0)
