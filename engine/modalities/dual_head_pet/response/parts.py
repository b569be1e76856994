"""Store parts of a long computation on disk, so that it can resume.

Next to the file that will be written is a folder `.parts`, with one file for every finished part
and `plan.json`, which describes the whole computation.
"""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.io.safety.atomic_write import refuse_impossible, write_atomically
from engine.io.safety.seal import seal_of
from engine.io.text.json_text import to_json
from engine.io.volumes.npy import DAMAGE

PLAN, SEAL = "plan.json", "seal"
Arrays = dict[str, Array]


def forget_other_parts(target: Path, plan: Plain) -> None:
    """Remove parts of another plan under a name that belongs to this one: they are damaged.

    Parameters
    ----------
    target
        file of the finished matrix
    plan
        everything that determines the parts
    """
    folder = _folder_of(target)
    # The file name contains a digest of the plan, so another plan here cannot be intended.
    if _plan_in(folder) not in (None, json.loads(to_json(plan))):
        shutil.rmtree(folder, ignore_errors=True)


def _folder_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.parts")


def _plan_in(folder: Path) -> Any:
    try:
        return json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


class ResponseParts:
    """Stored parts of one computation.

    Parameters
    ----------
    target : file that the finished result will be written to
    plan : everything that determines the parts, as JSON values; parts of another plan are refused
    """

    def __init__(self, target: Path, plan: Plain) -> None:
        refuse_impossible(target)
        self.folder = _folder_of(target)
        self._plan, text = plan, to_json(plan, indent=1).encode()
        # The folder may exist from an interrupted build, whose plan is compared below.
        try:
            self.folder.mkdir(exist_ok=True)
            found = _plan_in(self.folder)
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: the parts of the matrix cannot be stored in this folder "
                f"({e.strerror or e}); save the matrix in another folder."
            ) from e
        if found is None:
            write_atomically(text, self.folder / PLAN)
        elif found != json.loads(text):
            # Parts of different settings must never be joined to one matrix.
            raise SettingsError(
                f"{self.folder.name}: this folder contains parts of a matrix for another scanner "
                "or with other settings; finish that matrix, delete the folder, or choose another "
                "name."
            )

    def load(self, i: int) -> Arrays | None:
        """Return the arrays of a part.

        Parameters
        ----------
        i
            number of the part

        Returns
        -------
        load
            None if it is missing, damaged or of another plan
        """
        try:
            data = io.BytesIO(self._path(i).read_bytes())
            with np.load(data, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except DAMAGE:
            # Damaged parts are computed again, so their error need not be reported.
            return None
        seal = str(arrays.pop(SEAL, ""))
        return arrays if seal == self._seal(i, arrays) else None

    def save(self, i: int, arrays: Arrays) -> None:
        """Store a part.

        Parameters
        ----------
        i
            number of the part
        arrays
            arrays of the part
        """
        buffer = io.BytesIO()
        seal = np.array(self._seal(i, arrays))
        np.savez(buffer, allow_pickle=False, **arrays | {SEAL: seal})
        write_atomically(buffer.getvalue(), self._path(i))

    def remove(self) -> None:
        """Remove all parts, after the result has been written."""
        shutil.rmtree(self.folder, ignore_errors=True)

    # Part number and plan are sealed too, so that a renamed part is not used.
    def _seal(self, i: int, arrays: Arrays) -> str:
        return seal_of(
            **{f"array {name}": a for name, a in arrays.items()}, part=i, plan=self._plan
        )

    def _path(self, i: int) -> Path:
        return self.folder / f"{i:05d}.npz"
