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
from engine.modalities.studies import Study, study_of_kind, write_study
from engine.protocols.study.protocol import Protocol

if TYPE_CHECKING:
    import h5py

    from engine.core.backend import Backend
    from engine.data.volume import Volume
    from engine.modalities.kernel_steps import Steps

OnProgress = Callable[[int, int], None]
# A fixed seed: every computer simulates the same scan.
SEED = 20_240_229


@dataclass(frozen=True)
class Demo(ABC):
    """A simulated scan. The fields set its size.

    Everything is computed from seeds; nothing comes from a person or another project.

    Attributes
    ----------
    key : name on the command line and in the names of the files
    title, text : title, and a description in one sentence
    wait : duration of the first run
    busy : text during the simulation
    icon : name of a pictogram: "ring", "panels", "beam"
    protocol : class of the protocol of its study
    version : increased whenever the content changes, so that older files are replaced
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
        """Write the scan, its auxiliary files and the truth.

        Parameters
        ----------
        folder
            existing folder for the files
        on_progress
            called with the work done and in total; may raise to stop

        Returns
        -------
        simulate
            the study, with paths relative to the folder
        """

    def kernels(self, on: Backend) -> Steps:
        """Return calls that compile the kernels of its run; none if that takes no time.

        Parameters
        ----------
        on
            device
        """
        return ()

    def make(self, folder: Path, *, on_progress: OnProgress | None = None) -> Study:
        """Simulate the scan into a folder, unless it is already there, and return its study.

        Parameters
        ----------
        folder
            folder for the files; created if missing
        on_progress
            called with the work done and in total during the simulation; may raise to stop
        """
        # The folder is created before the test, because a first run has no cache.
        made(folder)
        if not self._is_made(folder):
            study = self.simulate(folder, on_progress)
            write_study(study, self.study(folder))
            record = to_json(self._record(folder, study)).encode()
            # The record is last: its existence proves that all files are complete.
            write_atomically(record, folder / self.name(".json"))
        # Read back in both cases: the first and later calls return exactly the same study.
        return study_of_kind(self.study(folder), self.protocol)

    @property
    def tip(self) -> str:
        """Description and duration, in two sentences."""
        return f"{self.text}. The first run takes {self.wait}."

    def name(self, rest: str) -> str:
        """Return the name of one of its files.

        Parameters
        ----------
        rest
            end of the name, such as "-truth.nii.gz"
        """
        return f"demo-{self.key}{rest}"

    def study(self, folder: Path) -> Path:
        """Return the path of its study file.

        Parameters
        ----------
        folder
            folder of the demo
        """
        return folder / self.name(".toml")

    def truth(self, folder: Path) -> Path:
        """Return the path of the image that the reconstruction should show, in its unit.

        Parameters
        ----------
        folder
            folder of the demo
        """
        return folder / self.name("-truth.nii.gz")

    def replaced(self, folder: Path) -> tuple[Path, ...]:
        """Return the files that the demo would replace in a folder.

        Parameters
        ----------
        folder
            folder for the demo

        Returns
        -------
        replaced
            empty if the demo is complete there, because nothing is written then
        """
        if self._is_made(folder):
            return ()
        return tuple(sorted(folder.glob(self.name("*"))))

    def _is_made(self, folder: Path) -> bool:
        """Return True if a folder contains the complete demo, in this version and size."""
        try:
            study = study_of_kind(self.study(folder), self.protocol)
            stored = from_json((folder / self.name(".json")).read_text("utf-8"))
            # Digests detect a file that the user has edited or that a full disk has truncated.
            return stored == self._record(folder, study)
        except (OSError, ValueError, EngineError):
            return False

    def _record(self, folder: Path, study: Study) -> Plain:
        """Return version and size of the demo, and the digest of each of its files."""
        # All files that the study names, and the truth; other files of the folder do not matter.
        parts = (study.data, *study.inputs.values(), self.truth(folder))
        files = [folder / part.name for part in parts]
        digests = {path.name: sha256(path.read_bytes()).hexdigest() for path in files}
        return {"version": self.version, "size": asdict(self), "sha256": digests}


def save_volume(volume: Volume, path: Path) -> None:
    """Write a simulated volume.

    Parameters
    ----------
    volume
        volume with its unit
    path
        file; its ending selects the format
    """
    from engine.io import save

    save(volume, path, {"source": "simulated", **volume.info})


def save_efficiencies(efficiencies: Array, path: Path) -> None:
    """Write efficiencies as a file of their own, as a normalisation of a hospital is.

    Parameters
    ----------
    efficiencies
        (n_crystals,) efficiency of each crystal
    path
        HDF5 file
    """
    from engine.io.auxiliary.efficiencies import DATASET
    from engine.io.hdf5.writer import image_of

    def fill(file: h5py.File) -> None:
        # track_times=False: creation times would change the digest of the file.
        file.create_dataset(DATASET, data=efficiencies, track_times=False)

    write_atomically(image_of(fill), path)
