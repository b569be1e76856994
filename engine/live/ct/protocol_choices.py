"""What a live reconstruction takes from a protocol, and from a stored scan."""

from __future__ import annotations

from pathlib import Path

from engine.corrections.preprocess import PreprocessStep
from engine.geometry.xray import XrayGeometry
from engine.io import read_projections
from engine.jobs.loader.loader import Calls
from engine.live.ct.following import LiveChoices
from engine.live.ct.settings import LiveSettings
from engine.modalities.xray_ct.protocol import CtProtocol


def choices_of(
    protocol: CtProtocol, settings: LiveSettings, geometry: XrayGeometry | None = None
) -> LiveChoices:
    """Return what follows a scan as a protocol of X-ray CT says: its steps and its filter.

    Parameters
    ----------
    protocol
        of an ordinary run
    settings
        which views, and how they are weighted
    geometry
        of the whole scan; None: its source brings it
    """
    return LiveChoices(
        geometry=geometry,
        steps=[step for step in protocol.steps.steps() if isinstance(step, PreprocessStep)],
        filter=protocol.algorithm.filter or LiveChoices().filter,
        settings=settings,
    )


def geometry_of(path: Path, loader: Calls) -> XrayGeometry:
    """Return the geometry of a stored scan, read by another process."""
    return loader.call(read_projections, path, about=path).geometry
