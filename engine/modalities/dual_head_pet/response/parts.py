"""Parts of a long computation, kept on disk, so that an interrupted one can go on.

Beside the file that will be written stands a folder `.parts` with one file for every part that is
done and `plan.json`, which says what they are parts of.
"""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from engine.arrays import Array
from engine.errors import ResourceError, SettingsError
from engine.io.atomic_write import refuse_impossible, write_atomically
from engine.io.json_text import to_json
from engine.plain import Plain

PLAN = "plan.json"
Arrays = dict[str, Array]


class ResponseParts:
    """The parts of one plan.

    Parameters
    ----------
    target : file that the finished whole will be written to
    plan : all that fixes the parts, JSON-able; parts of another plan are refused
    """

    def __init__(self, target: Path, plan: Plain) -> None:
        refuse_impossible(target)
        self.folder = target.with_name(f"{target.name}.parts")
        text = to_json(plan, indent=1).encode()
        try:
            self.folder.mkdir(exist_ok=True)
            found = self._found()
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: cannot be used ({e.strerror or e}); choose another file."
            ) from e
        if found is None:
            write_atomically(text, self.folder / PLAN)
        elif found != json.loads(text):
            raise SettingsError(
                f"{self.folder.name}: holds parts of a matrix of another scanner or of other "
                "settings; finish that one, delete the folder or choose another name."
            )

    def _found(self) -> Any:
        try:
            return json.loads((self.folder / PLAN).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None

    def load(self, i: int) -> Arrays | None:
        """Return the arrays of a part, None where it is not there, whole."""
        try:
            data = io.BytesIO(self._path(i).read_bytes())
            with np.load(data, allow_pickle=False) as kept:
                return {name: kept[name] for name in kept.files}
        except (OSError, ValueError, EOFError, BadZipFile):
            return None

    def save(self, i: int, arrays: Arrays) -> None:
        """Keep a part."""
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        write_atomically(buffer.getvalue(), self._path(i))

    def remove(self) -> None:
        """Remove all parts; the whole is written."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, i: int) -> Path:
        return self.folder / f"{i:05d}.npz"
