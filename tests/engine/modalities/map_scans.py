"""The smallest scan of each PET modality, for MAP runs of a fraction of a second."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import engine
from engine.core.backend import Backend, cpu
from engine.data.runs.events import Corrected, Event, Finished, Preview, Warned
from engine.data.sinogram import binned
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.protocol import Protocol
from tests.engine.modalities.ring_sinogram_pet.timed_decays import RING, timed_events

ON = cpu(2)
RINGS = ("grid.voxel_mm=[10, 10, 5]", "grid.diameter_mm=110", "grid.length_mm=20")
PANELS = ("response.n_points=256", "response.scatter=false", "grid.voxel_mm=[2.4, 2, 2.4]")
NO_TIME = "time_of_flight=false"
KINDS: dict[str, tuple[Protocol, str, tuple[str, ...]]] = {
    "events with time": (ListModeProtocol(), "events.h5", RINGS),
    "events": (ListModeProtocol(), "events.h5", (*RINGS, NO_TIME)),
    "sinogram with time": (RingSinogramProtocol(), "bins.hs", RINGS),
    "sinogram": (RingSinogramProtocol(), "bins.hs", (*RINGS, NO_TIME)),
    "panels": (DualHeadProtocol(), "panels.h5", PANELS),
}
MAP = ("algorithm.kind=map",)


@cache
def scans_in(folder: Path) -> Path:
    """Write the scans into a folder, once."""
    events = timed_events(6_000)
    engine.save(events, folder / "events.h5")
    write_sinogram(binned(events, SinogramLayout.of(RING), timed=True), folder / "bins.hs")
    panels = engine.read_scanner("test-panels")
    counts = np.random.default_rng(1).poisson(0.5, panels.n_lors).astype(np.float32)
    counts[panels.n_lors // 2 :: 7] += 3
    engine.save(engine.Histogram(panels, counts), folder / "panels.h5")
    return folder


def study(folder: Path, kind: str, *settings: str, subsets: int | None = 3, **how: object) -> Study:
    """Return the study of a kind with MAP."""
    protocol, name, own = KINDS[kind]
    parts = () if subsets is None else (f"algorithm.subsets={subsets}",)
    chosen = with_settings(protocol, (*own, *MAP, *parts, *settings))
    return Study(data=scans_in(folder) / name, protocol=chosen, **how)


def events_of(of: Study, *, on: Backend = ON, **how: object) -> list[Event]:
    """Return all events of a run."""
    return list(run(of, on=on, **how))


def previews(events: list[Event]) -> list[Preview]:
    return [each for each in events if isinstance(each, Preview)]


def warnings(events: list[Event]) -> list[str]:
    return [each.text for each in events if isinstance(each, Warned)]


def rows(events: list[Event]) -> dict[str, str]:
    """Return the applied rows of the ledger by their key."""
    return {e.kind: e.text for e in events if isinstance(e, Corrected) and e.state == "applied"}


def last(events: list[Event]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


def bits(events: list[Event]) -> bytes:
    return last(events).volume.values.tobytes()
