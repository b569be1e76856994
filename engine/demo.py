"""The demo: a simulated head on a small ring scanner, with all that a study can hold.

Everything is made here from seeds; nothing comes from a person or from another project.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import EngineError, ResourceError
from engine.protocols.pet import Protocol
from engine.settings import parse, read_toml
from engine.study import Study, read_study, write_study

if TYPE_CHECKING:
    import h5py
    from numpy.typing import NDArray

    from engine.data.listmode import ListMode
    from engine.data.volume import Volume
    from engine.geometry.scanner import Scanner
    from engine.simulate.lines import Tick

VERSION = 2
"""Raised whenever the content changes, so that older files are made anew."""
SCANNER = "demo-ring"
N_PROMPTS = 2_000_000
HEAD_MM = (0.0, 0.0, 4.0)
"""Where the head lies in the ring: the crown well inside [mm]."""
SEED = 20_240_229
RANDOMS_FRACTION = 0.2
EFFICIENCY_SPREAD = 0.1
N_DEAD_CRYSTALS = 6

SCAN = "demo-scan.h5"
MU_MAP = "demo-mu-map.nii.gz"
NORMALISATION = "demo-normalisation.h5"
TRUTH = "demo-truth.nii.gz"
STUDY = "demo-study.toml"


def demo_folder() -> Path:
    """Return the folder of the demo among the user's caches; made if absent."""
    from engine.paths import cache_dir

    return _made(cache_dir() / "demo")


def demo_protocol() -> Protocol:
    """Return the protocol of the demo."""
    path = Path(str(files("resources") / "protocols" / "demo.toml"))
    return parse(Protocol, read_toml(path), where=path.name)


def make_demo(folder: Path, *, n_prompts: int = N_PROMPTS, tick: Tick | None = None) -> Study:
    """Simulate the demo scan into a folder, unless it is there already, and return its study.

    Parameters
    ----------
    folder
        where the files go; made if absent
    n_prompts
        expected prompts
    tick
        called with work done and work in all while the scan is simulated; may raise to stop
    """
    _made(folder)
    if _is_made(folder, n_prompts):
        return read_study(folder / STUDY)
    from engine.io import read_scanner
    from engine.simulate import brain, simulate_listmode
    from engine.simulate.phantoms import moved

    phantom, scanner = moved(brain(), HEAD_MM), read_scanner(SCANNER)
    data = simulate_listmode(
        phantom,
        scanner,
        n_prompts=n_prompts,
        seed=SEED,
        randoms_fraction=RANDOMS_FRACTION,
        efficiencies=demo_efficiencies(scanner),
        tick=tick,
    )
    truth = phantom.rasterise(demo_protocol().grid.grid_for(scanner))
    values = np.float32(data.info["counts_per_mm"]) * truth.values
    _write(folder, data, n_prompts)
    _save(replace(truth, values=values, unit="counts/mm"), folder / TRUTH)
    study = Study(
        data=Path(SCAN),
        attenuation=Path(MU_MAP),
        normalisation=Path(NORMALISATION),
        protocol=demo_protocol(),
    )
    write_study(study, folder / STUDY)  # last: where it is, the others are whole
    return read_study(folder / STUDY)


def demo_efficiencies(scanner: Scanner) -> NDArray[np.float32]:
    """(n_crystals,) detection efficiencies of the demo: uneven, a few crystals dead."""
    rng = np.random.default_rng(SEED)
    values = 1 + EFFICIENCY_SPREAD * rng.standard_normal(scanner.n_crystals).clip(-3, 3)
    live = np.flatnonzero(scanner.alive)
    values[rng.choice(live, N_DEAD_CRYSTALS, replace=False)] = 0
    return np.where(scanner.alive, values, 0).astype(np.float32)


def _write(folder: Path, data: ListMode, n_prompts: int) -> None:
    """Write the scan alone, and the μ-map and efficiencies as a hospital would keep them."""
    from engine.io import write_listmode
    from engine.io.efficiencies import DATASET
    from engine.io.hdf5 import image_of
    from engine.io.publish import publish

    def fill(file: h5py.File) -> None:
        file.create_dataset(DATASET, data=data.efficiencies, track_times=False)

    if data.mu_map is not None:
        _save(data.mu_map, folder / MU_MAP)
    publish(image_of(fill), folder / NORMALISATION)
    info = {**data.info, "demo_version": VERSION, "n_prompts": n_prompts}
    write_listmode(replace(data, mu_map=None, efficiencies=None, info=info), folder / SCAN)


def _save(volume: Volume, path: Path) -> None:
    from engine.io import save

    save(volume, path, {"source": "simulated", **volume.info})


def _is_made(folder: Path, n_prompts: int) -> bool:
    """Whether the folder holds all of the demo, of this version and size."""
    from engine.io.hdf5 import open_hdf5, read_json

    if not all((folder / n).is_file() for n in (SCAN, MU_MAP, NORMALISATION, TRUTH, STUDY)):
        return False
    try:
        with open_hdf5(folder / SCAN) as file:
            info = read_json(file, "info", folder / SCAN)
        read_study(folder / STUDY)
    except EngineError:
        return False
    return info.get("demo_version") == VERSION and info.get("n_prompts") == n_prompts


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{folder}: the folder cannot be made ({e.strerror or e}); choose another."
        ) from e
    return folder
