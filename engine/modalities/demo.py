"""Base class of demos: a scan that is simulated once into a folder, with its study."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.core.arrays import Array
from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.core.paths import made
from engine.io.safety.atomic_write import write_atomically
from engine.io.text.json_text import from_json, to_json
from engine.modalities.study_values import study_of_kind
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.study import Study, write_study

if TYPE_CHECKING:
    import h5py

    from engine.data.volume import Volume

OnProgress = Callable[[int, int], None]
SEED = 20_240_229


@dataclass(frozen=True)
class Demo(ABC):
    """A simulated scan. The fields set its size.

    Everything is made from seeds; nothing comes from a person or from another project.

    Attributes
    ----------
    key : on the command line, and in the names of the files
    title, text : title, and a description in one sentence
    wait : duration of the first run
    busy : text during the simulation
    icon : name of a pictogram: "ring", "panels", "beam"
    protocol : class of the protocol of its study
    version : raised whenever the content changes, so that older files are made anew
    """

    key: ClassVar[str]
    title: ClassVar[str]
    text: ClassVar[str]
    wait: ClassVar[str]
    busy: ClassVar[str]
    icon: ClassVar[str] = ""
    protocol: ClassVar[type[Protocol]]
    version: ClassVar[int]

    @abstractmethod
    def simulate(self, folder: Path, on_progress: OnProgress | None) -> Study:
        """Write the scan, what belongs to it and the truth; return the study, its paths names."""

    def make(self, folder: Path, *, on_progress: OnProgress | None = None) -> Study:
        """Simulate the scan into a folder, unless it is there already, and return its study.

        Parameters
        ----------
        folder
            where the files go; made if absent
        on_progress
            called with work done and work in all while the scan is simulated; may raise to stop
        """
        made(folder)
        if not self._is_made(folder):
            study = self.simulate(folder, on_progress)
            write_study(study, self.study(folder))
            record = to_json(self._record(folder, study)).encode()
            write_atomically(record, folder / self.name(".json"))  # last: what it tells of is whole
        return study_of_kind(self.study(folder), self.protocol)

    @property
    def tip(self) -> str:
        """Description and duration, in two sentences."""
        return f"{self.text}. The first run takes {self.wait}."

    def name(self, rest: str) -> str:
        """Return the name of one of its files."""
        return f"demo-{self.key}{rest}"

    def study(self, folder: Path) -> Path:
        """Return its study file."""
        return folder / self.name(".toml")

    def truth(self, folder: Path) -> Path:
        """Return the file of what the picture should show, in its unit."""
        return folder / self.name("-truth.nii.gz")

    def replaced(self, folder: Path) -> tuple[Path, ...]:
        """Return the files in a folder that making the demo there would replace."""
        if self._is_made(folder):
            return ()
        return tuple(sorted(folder.glob(self.name("*"))))

    def _is_made(self, folder: Path) -> bool:
        """Return True if the folder holds all of the demo, of this version and size."""
        try:
            study = study_of_kind(self.study(folder), self.protocol)
            stored = from_json((folder / self.name(".json")).read_text("utf-8"))
            return stored == self._record(folder, study)
        except (OSError, ValueError, EngineError):
            return False

    def _record(self, folder: Path, study: Study) -> Plain:
        """Return version and size of the demo, and the digest of each of its files."""
        parts = (study.data, *study.inputs.values(), self.truth(folder))
        files = [folder / part.name for part in parts]
        digests = {path.name: sha256(path.read_bytes()).hexdigest() for path in files}
        return {"version": self.version, "size": asdict(self), "sha256": digests}


def save_volume(volume: Volume, path: Path) -> None:
    """Write a volume that was simulated."""
    from engine.io import save

    save(volume, path, {"source": "simulated", **volume.info})


def save_efficiencies(efficiencies: Array, path: Path) -> None:
    """Write efficiencies as a hospital would keep them: in a file of their own."""
    from engine.io.auxiliary.efficiencies import DATASET
    from engine.io.hdf5.writer import image_of

    def fill(file: h5py.File) -> None:
        file.create_dataset(DATASET, data=efficiencies, track_times=False)

    write_atomically(image_of(fill), path)
