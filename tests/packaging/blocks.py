"""Code blocks in our texts, and a folder with the small files that their commands use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import numpy as np

import engine
from engine.data.sinogram import Sinogram, binned
from engine.geometry.sinogram_layout import SinogramLayout
from engine.simulate import derenzo, uniform_cylinder
from engine.simulate.listmode import simulate_listmode

ROOT = Path(__file__).resolve().parents[2]
TEXTS = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "examples").glob("*.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "benchmarks" not in path.parts),
    *sorted((ROOT / "engine").rglob("*.md")),
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TINY_RING = """
kind = "ring"
name = "Tiny ring"
n_rings = 4
n_crystals_per_ring = 64
radius_mm = 60.0
ring_pitch_mm = 6.0
max_ring_difference = 3
n_tangential = 40
voxel_mm = [5.0, 5.0, 6.0]
fov_mm = [60.0, 24.0]
"""


@dataclass(frozen=True)
class Block:
    """Fenced block: its file, first line, language and text."""

    path: Path
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        """Return the location of the block as text."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def blocks() -> list[Block]:
    """Return every block of every text."""
    found = []
    for path in TEXTS:
        text = path.read_text("utf-8")
        for fence in FENCE.finditer(text):
            line = text.count("\n", 0, fence.start()) + 1
            found.append(Block(path, line, fence[1], fence[2]))
    return found


def commands(block: Block) -> list[str]:
    """Return the lines of a shell block without prompts and comments."""
    lines = (re.split(r"\s{3,}|\s+# ", line)[0].strip() for line in block.text.splitlines())
    return [line for line in lines if line]


def fill(folder: Path) -> None:
    """Write small scans and files under the names that our texts use."""
    copytree(_sample_files().name, folder, dirs_exist_ok=True)


@cache
def _sample_files() -> TemporaryDirectory[str]:
    """Simulate the files once; the folder is deleted when the tests end."""
    made = TemporaryDirectory()
    _simulate(Path(made.name))
    return made


def _simulate(folder: Path) -> None:
    (folder / "tiny.toml").write_text(TINY_RING, encoding="utf-8")
    ring = engine.read_scanner(str(folder / "tiny.toml"))
    phantom = uniform_cylinder(diameter_mm=40, length_mm=20)
    timed = simulate_listmode(phantom, ring, n_prompts=3000, seed=1)
    engine.save(timed, folder / "scan.h5")
    for name, n in {"beats": 12, "breaths": 4}.items():
        times = "\n".join(f"{each:.3f}" for each in np.linspace(0, timed.duration_s, n))
        (folder / f"{name}.csv").write_text(f"trigger time [s]\n{times}\n", encoding="utf-8")
    prompts = binned(timed, SinogramLayout.of(ring))
    engine.save(prompts, folder / "prompts.hs")
    for name, value in {"norm": 1, "acf": 2, "randoms": 0.1, "scatter": 0}.items():
        values = np.full(prompts.layout.n_bins, value, np.float32)
        engine.save(Sinogram(prompts.layout, values), folder / f"{name}.hs")
    panels = engine.read_scanner("test-panels")
    rods = derenzo(radius_mm=4, length_mm=8, along="y")
    events = simulate_listmode(rods, panels, n_prompts=500, seed=1, attenuation=False)
    engine.save(events, folder / "panels.h5")
    orbit = engine.circular_cone(
        np.linspace(0, 2 * np.pi, 24, endpoint=False),
        source_axis_mm=500,
        source_detector_mm=800,
        shape=(12, 24),
        pixel_mm=4,
    )
    engine.save(engine.simulate_xray(phantom, orbit, seed=1), folder / "xray.h5")
    grid = engine.ImageGrid(shape=(6, 12, 12), voxel_mm=(5.0, 5.0, 5.0))
    engine.save(phantom.rasterise(grid, "mu"), folder / "mu.nii.gz")
    engine.save(phantom.rasterise(grid), folder / "image.nii.gz")
    tracer = '[tracer]\nnuclide = "F-18"\nscan_start = 2026-11-22T11:00:00+01:00\n'
    (folder / "tracer.toml").write_text(tracer, encoding="utf-8")
    (folder / "study.toml").write_text('data = "scan.h5"\n', encoding="utf-8")
    protocol = 'name = "Brain"\nalgorithm = { kind = "osem", iterations = 1 }\n'
    (folder / "brain.toml").write_text(protocol, encoding="utf-8")
