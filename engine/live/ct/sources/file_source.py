"""Common part of sources that read one file."""

from __future__ import annotations

from pathlib import Path

from engine.geometry.xray import XrayGeometry
from engine.jobs.loader import Loader
from engine.jobs.loader.loader import Calls


class FileSource:
    """A file, and the process that reads it.

    Parameters
    ----------
    path : file or folder
    loader : process that reads it; None to start one
    """

    def __init__(self, path: Path, *, loader: Calls | None = None) -> None:
        self._path = path
        # A process of its own: a crash in HDF5 must not end the session
        self._own = Loader() if loader is None else None
        self._loader: Calls = loader or self._own or Loader()
        self._geometry: XrayGeometry | None = None

    @property
    def name(self) -> str:
        """Name of the file."""
        return self._path.name

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry of the whole scan, once it was read."""
        return self._geometry

    def close(self) -> None:
        """End the process, if this source started it."""
        if self._own is not None:
            self._own.close()
