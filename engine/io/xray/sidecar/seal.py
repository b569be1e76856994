"""Check the seal of a projection sidecar: a digest of its settings and of the files that it names.

A sidecar written by hand has no seal. To change a sealed one on purpose, delete its `seal`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import tomli_w

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.core.settings import parse, to_toml
from engine.io.folder import open_below
from engine.io.safety.open_input import InputFile
from engine.io.safety.seal import broken, seal_of
from engine.io.text.toml_file import toml_of
from engine.io.xray.sidecar.settings import Sidecar


def sealed(settings: Sidecar) -> str:
    """Return the text of a sidecar with its seal."""
    # Seal the values read back from TOML, because numbers can change their type.
    stated = tomllib.loads(to_toml(settings))
    return tomli_w.dumps({"seal": seal_of(**stated)} | stated)


def read_sidecar(file: InputFile) -> Sidecar:
    """Read a sidecar, and check its seal and the digests of its files.

    Parameters
    ----------
    file
        sidecar (.toml)

    Raises
    ------
    SettingsError
        if a setting is missing or wrong
    FileFormatError
        if the sidecar or a file has changed since it was written
    """
    stated = toml_of(file)
    settings = parse(Sidecar, stated, where=file.name)
    _refuse_changed(settings, stated, file.path)
    return settings


def _refuse_changed(settings: Sidecar, stated: Plain, path: Path) -> None:
    others = {key: value for key, value in stated.items() if key != "seal"}
    if settings.seal is not None and settings.seal != seal_of(**others):
        raise broken(path, "Undo the change or, if it is intended, delete the line `seal`.")
    for name, written in settings.sha256.items():
        with open_below(path, name) as file:
            found = file.sha256()
        if found != written:
            raise FileFormatError(
                f"{name}: has changed since it was written (its checksum in {path.name} differs); "
                "copy the file again."
            )
