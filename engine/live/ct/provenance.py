"""Provenance of live slices: program, source, choices, geometry and the frames in them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from engine.core.json_types import Plain
from engine.geometry.xray import XrayGeometry
from engine.io.folder import exists
from engine.io.volumes.slice_frame import described
from engine.live.ct.images import LiveImages
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.privacy.key import pseudonym_of
from engine.protocols.run_context.environment import environment
from engine.protocols.run_context.provenance import CLAIM

FORMAT = "isocenter-live-provenance-1"


@dataclass(frozen=True)
class LiveOrigin:
    """Origin of a live reconstruction.

    Attributes
    ----------
    source : address, folder or file
    replay : True for a stored scan
    geometry : stored scan that provides the geometry; None: the source provides it
    protocol : steps and filter
    settings : views of the slices
    begun_utc : start of the reconstruction
    """

    source: str
    replay: bool
    geometry: Path | None
    protocol: CtProtocol
    settings: LiveSettings
    begun_utc: datetime


def provenance_of(
    session: LiveSession,
    images: LiveImages | None,
    origin: LiveOrigin,
    *,
    frames_sha256: str | None = None,
) -> Plain:
    """Return the provenance of images as JSON values.

    Parameters
    ----------
    session
        session that made the images
    images
        slices; None if there are none
    origin
        source, protocol and settings
    frames_sha256
        digest of the frames, None if they were not recorded
    """
    figures = session.newest.statistics
    stored = origin.geometry
    return {
        "format": FORMAT,
        "claim": CLAIM,
        "environment": environment(),
        "device": session.device,
        "source": {
            "name": source_name(origin.source),
            "replay": origin.replay,
            "frames": figures.frames,
            "dropped": figures.dropped,
        },
        "scan": {
            "geometry_sha256": None if session.geometry is None else digest(session.geometry),
            "geometry_of": "the source" if stored is None else pseudonym_of(stored),
            "planned_views": None if session.geometry is None else session.geometry.n_views,
            "frames_sha256": frames_sha256,
        },
        "protocol": origin.protocol.model_dump(mode="json"),
        # The protocol may have steps that need the whole scan
        "steps_done": list(session.steps),
        "settings": origin.settings.model_dump(mode="json"),
        "live": {} if images is None else _facts(images),
        "started_utc": origin.begun_utc.isoformat(),
        "ended_utc": datetime.now(UTC).isoformat(),
    }


def source_name(source: str) -> str:
    """Return the address of a source, or a pseudonym of a file or folder."""
    path = Path(source)
    return pseudonym_of(path, "scan") if exists(path) else source


def digest(geometry: XrayGeometry) -> str:
    """Return the SHA-256 of the positions of source and detector in all views."""
    vectors = (geometry.source_mm, geometry.detector_mm, geometry.u_mm, geometry.v_mm)
    head = f"{geometry.beam} {geometry.shape}".encode()
    found = hashlib.sha256(head)
    for each in vectors:
        # A fixed byte order, so that the digest does not depend on the machine
        found.update(np.ascontiguousarray(each, "<f8").tobytes())
    return found.hexdigest()


def _facts(images: LiveImages) -> Plain:
    return {
        "views": images.n_views,
        "newest": images.newest,
        "covered_deg": float(np.degrees(images.covered_rad)),
        "weights": images.weights,
        "axis_column": images.axis_column,
        "roll_deg": images.roll_deg,
        "filter": images.filter.model_dump(mode="json"),
        "planes": [described(plane) for plane in images.planes],
    }
