"""List the files named by a sidecar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.settings import parse
from engine.io.folder import below
from engine.io.safety.open_input import open_input
from engine.io.text.toml_file import toml_of
from engine.io.xray.sidecar.images import files_named, split
from engine.io.xray.sidecar.settings import RtkSettings, Sidecar, VectorSettings


def named_by(sidecar: Path) -> Iterator[Path]:
    """Yield all files named by a sidecar, without missing and refused ones.

    Parameters
    ----------
    sidecar
        sidecar of projections

    Raises
    ------
    SettingsError
        if the sidecar is damaged
    """
    with open_input(sidecar) as file:
        settings = parse(Sidecar, toml_of(file), where=file.name)
    for names, reference in (
        (settings.images, False),
        (settings.flats or (), True),
        (settings.darks or (), True),
    ):
        for name in names:
            try:
                yield from files_named(settings, (name,), sidecar, reference=reference)
            # A missing file is reported when the scan is read.
            except EngineError:
                continue
    g = settings.geometry
    text = g.file if isinstance(g, VectorSettings | RtkSettings) else g.angles.file
    if text:
        yield below(sidecar, split(text, sidecar)[0])
