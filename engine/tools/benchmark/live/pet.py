"""Live PET in real time: images at 128³, planted jumps, and ten minutes without motion.

A head of two compartments in the ring of the demo with 2e5 events per second, including delayeds,
and the μ-map. A thread delivers events when they are due. The delay is measured from the arrival of
the newest event of an image to the next image; the largest one after a warm-up counts. A jump
counts from the time of its events to the time at which the session reports it. Images have the
filters of the protocol. Their difference is the RMS difference from a normal run on the same events
within the object, relative to the mean there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import numpy as np

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io import write_listmode
from engine.jobs.reconstruction import reconstruct
from engine.live.core.frame import Ended
from engine.live.pet.live_corrections import LiveCorrections
from engine.live.pet.motion import MotionWatch
from engine.live.pet.preparing import live_image_of
from engine.live.pet.session import LivePetSession
from engine.live.pet.settings import EventsOfImage, LivePetSettings
from engine.live.pet.updates import LivePetChoices, LivePetUpdate, Moved
from engine.modalities.listmode_pet.protocol import ListModeGrid, ListModeProtocol
from engine.modalities.studies import Study
from engine.recon.algorithms import Osem
from engine.recon.postprocess import Gaussian
from engine.tools.benchmark.bars import Bar, at_least, at_most
from engine.tools.benchmark.live.pet_streams import (
    DELAYEDS_PER_S,
    PROMPTS_PER_S,
    Activity,
    ClockedScanner,
    Pools,
    Pose,
    changing,
    moments_of,
    pools_of,
    steady,
)

SECONDS, WARM_S = 20.0, 4.0
JUMP_AT_S, AFTER_JUMP_S = 15.0, 3.0
STILL_S = 600.0
JUMPS = {
    "x": Pose((5.0, 0.0, 0.0)),
    "y": Pose((0.0, 5.0, 0.0)),
    "z": Pose((0.0, 0.0, 5.0)),
    "about z": Pose(turn_deg=3.0),
}
PROTOCOL = ListModeProtocol(
    grid=ListModeGrid(voxel_mm=(1.9, 1.9, 1.2), diameter_mm=243, length_mm=153),
    algorithm=Osem(iterations=3, subsets=8),
    finishing=(Gaussian(fwhm_mm=5.0),),
)
OBJECT = 0.2
"""Share of the maximum above which a voxel belongs to the object."""
MIN_HZ, MAX_BEHIND_S, MAX_STATED_S, MAX_DISTANCE = 1.0, 2.0, 2.0, 2.0


@dataclass
class _Run:
    """Observations of one session."""

    hz: list[float]
    behind: list[float]
    newest: LivePetUpdate
    at_last_event: Volume | None
    reported_s: float | None
    session: LivePetSession


def run(on: Backend, *, seconds: float = SECONDS, still_s: float = STILL_S) -> Plain:
    """Measure images, jumps and the scan without motion.

    Parameters
    ----------
    on
        device
    seconds
        duration of the scans for images [s]
    still_s
        duration of the scan without motion [s]

    Returns
    -------
    part
        JSON values for the report
    """
    # The pools are simulated once, and used by all parts
    still = pools_of(Pose())
    _prepare(still, on)
    modes: tuple[EventsOfImage, ...] = ("growing", "sliding")
    rows = [_image(mode, still, on, seconds) for mode in modes]
    jumps = [_jump(name, pose, still, on) for name, pose in JUMPS.items()]
    quiet = _still(still, still_s, changing)
    return {
        "workload": "OSEM of 3 × 8 subsets with time of flight, randoms and attenuation; Gaussian "
        "of 5 mm; growing from the first event, sliding over the newest 10 s",
        "rows": rows,
        "jumps": jumps,
        "still": quiet,
        "bars": [bar.as_row() for bar in _bars(rows, jumps, quiet)],
    }


def _prepare(pools: Pools, on: Backend) -> None:
    """Compute the sensitivity and compile the kernels, as the first scan of a day does."""
    head = ClockedScanner(list(moments_of(lambda _: pools, steady, 0.1)), pools.mu_map).head
    corrections = LiveCorrections(head, PROTOCOL, on=on)
    live_image_of(corrections, PROTOCOL, on=on, stopped=lambda: False)
    corrections.close()


def _image(mode: EventsOfImage, pools: Pools, on: Backend, seconds: float) -> Plain:
    scan = list(moments_of(lambda _: pools, steady, seconds))
    seen = _followed(ClockedScanner(scan, pools.mu_map), mode, on)
    figures, image = seen.newest.statistics, seen.newest.image
    row: Plain = {
        "case": mode,
        "events_per_s": PROMPTS_PER_S + DELAYEDS_PER_S,
        "grid": [] if image is None else list(image.grid.shape),
        "refresh_hz": min(seen.hz, default=0.0),
        "behind_s": max(seen.behind, default=float("inf")),
        "dropped": figures.dropped,
        "memory_mib": figures.memory_mib,
        "away_percent": None,
        "away_at_the_end_percent": None,
        "device": on.name,
        "threads": on.threads,
    }
    if mode == "growing" and image is not None and seen.at_last_event is not None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "scan.h5"
            write_listmode(seen.session.scan(), path)
            ordinary = reconstruct(Study(data=path, protocol=PROTOCOL), on=on)
        # Only growing images have the same events as a normal run
        row["away_percent"] = _away(seen.at_last_event, ordinary)
        row["away_at_the_end_percent"] = _away(image, ordinary)
    return row


def _jump(name: str, pose: Pose, still: Pools, on: Backend) -> Plain:
    # Simulated before the scan, because the simulation would delay the events
    moved = pools_of(pose)

    def pools(at_s: float) -> Pools:
        return still if at_s < JUMP_AT_S else moved

    scan = list(moments_of(pools, steady, JUMP_AT_S + AFTER_JUMP_S))
    scanner = ClockedScanner(scan, still.mu_map)
    seen = _followed(scanner, "sliding", on)
    motion = seen.newest.motions[0] if seen.newest.motions else None
    delay_s = None if seen.reported_s is None else seen.reported_s - scanner.begun_s - JUMP_AT_S
    return {
        "jump": name,
        "planted_mm": float(np.linalg.norm(pose.shift_mm)),
        "planted_deg": pose.turn_deg,
        "said_after_s": delay_s,
        "mm": None if motion is None else motion.mm,
        "deg": None if motion is None else motion.deg,
        "motions": len(seen.newest.motions),
    }


def _followed(scanner: ClockedScanner, mode: EventsOfImage, on: Backend) -> _Run:
    """Follow a scan to its end."""
    choices = LivePetChoices(PROTOCOL, LivePetSettings(mode=mode))
    with LivePetSession(scanner, choices, on=on) as session:
        seen = _Run([], [], session.newest, None, None, session)
        first_s = float("inf")
        while True:
            news = session.take()
            if isinstance(news, Ended):
                break
            if isinstance(news, Moved) and seen.reported_s is None:
                seen.reported_s = monotonic()
            if not isinstance(news, LivePetUpdate) or news.image is None or news.state:
                continue
            first_s = min(first_s, monotonic())
            # The final image has more iterations, so the last one before it is compared too
            seen.at_last_event = seen.at_last_event if session.settles else news.image
            # The first seconds have few events, and the sensitivity is still rough
            if monotonic() - first_s > WARM_S and not session.settles:
                seen.hz.append(news.statistics.refresh_hz)
                seen.behind.append(news.statistics.behind_s)
        seen.newest = session.newest
    return seen


def _still(pools: Pools, seconds: float, activity: Activity) -> Plain:
    """Watch a head without motion, as fast as possible."""
    watch, events, alarms = MotionWatch(), 0, 0
    for moment in moments_of(lambda _: pools, activity, seconds):
        events += moment.n_events
        alarms += len(watch.add(moment))
    return {"seconds": seconds, "events": events, "false_alarms": alarms}


def _away(image: Volume, ordinary: Volume) -> float:
    """Return the RMS difference within the object relative to the mean [%]."""
    # A live image is in counts/mm, a normal run may be in Bq/mL
    scale = float(image.values.sum(dtype=np.float64) / ordinary.values.sum(dtype=np.float64))
    inside = ordinary.values > OBJECT * ordinary.values.max()
    same_unit = image.unit == ordinary.unit
    there = ordinary.values[inside] * (1.0 if same_unit else scale)
    return 100 * float(np.sqrt(np.mean((image.values[inside] - there) ** 2)) / there.mean())


def _bars(rows: list[Plain], jumps: list[Plain], still: Plain) -> list[Bar]:
    bars: list[Bar] = []
    for row in rows:
        bars.append(at_least(f"images, {row['case']}", row["refresh_hz"], MIN_HZ, "Hz"))
        bars.append(at_most(f"behind, {row['case']}", row["behind_s"], MAX_BEHIND_S, "s"))
        if row["away_at_the_end_percent"] is not None:
            away = row["away_at_the_end_percent"]
            bars.append(at_most("away from ordinary", away, MAX_DISTANCE, "%"))
    for r in jumps:
        delay_s = float("inf") if r["said_after_s"] is None else r["said_after_s"]
        bars.append(at_most(f"jump {r['jump']} reported after", delay_s, MAX_STATED_S, "s"))
    return [*bars, at_most("false alarms in ten minutes", still["false_alarms"], 0)]
