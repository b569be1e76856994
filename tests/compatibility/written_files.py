"""Files that the program of commit 5a791f8c wrote, one small one of each kind.

The archive holds `work` (a user's files), `home` (settings, jobs, queue, results, caches),
`expected.json` (values as that program read them) and `write_files.py` (the script that wrote
them, with that program).
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from engine.data.volume import Volume
from engine.io.safety.seal import seal_of
from engine.io.text.json_text import from_json, to_json

ARCHIVE = Path(__file__).with_name("written_at_5a791f8c.tar.xz")
WRITTEN_IN = "/srv/isocenter-files"
"""Folder in which the files were written. Some files contain absolute paths."""


@dataclass(frozen=True)
class WrittenFiles:
    """The unpacked archive.

    Attributes
    ----------
    root : folder with `work` and `home`
    """

    root: Path

    @classmethod
    def unpack(cls, root: Path) -> WrittenFiles:
        """Unpack the archive into a folder."""
        with tarfile.open(ARCHIVE) as archive:
            # Python 3.11.2 of Debian 12 has no filters yet
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
            archive.extractall(root)
        return cls(root)

    @property
    def work(self) -> Path:
        """Folder of the scans, images and studies of a user."""
        return self.root / "work"

    @property
    def home(self) -> Path:
        """Folder for ISOCENTER_HOME."""
        return self.root / "home"

    @cached_property
    def expected(self) -> dict[str, Any]:
        """Values as the program that wrote the files read them."""
        found: dict[str, Any] = json.loads((self.root / "expected.json").read_text("utf-8"))
        return found

    def relocate(self, name: str) -> Path:
        """Put the folder of the unpacked files into the paths of a file, as a move of files would.

        Returns
        -------
        Path
            the file; its seal is renewed if it has one
        """
        path = self.root / name
        text = path.read_text("utf-8").replace(WRITTEN_IN, str(self.root))
        if path.suffix == ".json":
            values = from_json(text)
            values.pop("seal")
            text = to_json(values | {"seal": seal_of(**values)}, indent=2)
        path.write_text(text, "utf-8")
        return path


def digest(values: Any) -> str:
    """Return the SHA-256 of an array's type, shape and bytes."""
    array = np.ascontiguousarray(values)
    return sha256(f"{array.dtype.str}{array.shape}".encode() + array.tobytes()).hexdigest()


def volume_facts(volume: Volume) -> dict[str, Any]:
    """Return the facts of a volume in the form of `expected.json`."""
    flat = np.asarray(volume.values, np.float64).ravel()
    return {
        "shape": list(volume.values.shape),
        "voxel_mm": [float(each) for each in volume.grid.voxel_mm],
        "centre_mm": [float(each) for each in volume.grid.centre_mm],
        "unit": volume.unit,
        "axes": volume.axes,
        "sum": float(flat.sum()),
        "max": float(flat.max()),
        "some": [float(each) for each in flat[:: max(flat.size // 7, 1)]],
        "sha256": digest(np.asarray(volume.values, np.float32)),
    }


def keys_of(value: Any, at: str = "") -> set[str]:
    """Return every place of a JSON value: "output.sha256", "[].kind"."""
    if isinstance(value, dict):
        found: set[str] = set()
        for key, each in value.items():
            place = f"{at}.{key}" if at else key
            found |= {place} | keys_of(each, place)
        return found
    if isinstance(value, list):
        return set().union(*(keys_of(each, f"{at}[]") for each in value))
    return set()
