"""Follows a source for `isocenter live reconstruct`: figures and sentences as they come."""

from __future__ import annotations

import argparse
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from engine.cli.console import Console
from engine.cli.live.results import save_scan, save_slices, whole_volume
from engine.cli.live.source import source_of
from engine.cli.machine.device import device_of
from engine.core.errors import EngineError, SettingsError
from engine.core.json_types import Plain
from engine.corrections.preprocess import CentreOfRotation
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io import can_save
from engine.io.volumes.slices import slice_files
from engine.jobs.loader import Loader, for_command
from engine.live.core.frame import Ended
from engine.live.ct.following import LiveUpdate
from engine.live.ct.protocol_choices import choices_of, geometry_of
from engine.live.ct.provenance import LiveOrigin, provenance_of
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.live.ct.statistics import LiveStatistics
from engine.modalities.studies import find_protocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings

ITEM_BYTES = 2
"""Bytes of a pixel, in the counts of most detectors."""
EVERY_S = 1.0
"""Between two lines of figures."""


def reconstruct(arguments: argparse.Namespace, console: Console) -> None:
    """Follow the source to its end, then save what is asked for; what had come on a fault too."""
    protocol = _protocol(arguments)
    # both before there are threads
    geometry, source = _geometry(arguments.geometry), source_of(arguments)
    settings = LiveSettings(
        mode=arguments.mode, turn=arguments.turn, weights=arguments.weights, preview_edge=0
    )
    choices = choices_of(protocol, settings, geometry)
    on = device_of(arguments.device, arguments.threads, console)
    begun_utc = datetime.now(UTC)
    lines = _JsonLines(console) if arguments.json else _Lines(console)
    with LiveSession(source, choices, on=on, finds_axis=arguments.find_axis) as session:
        fault = _followed(session, lines, Room(arguments.scan, session))
    update = session.newest
    images, faults = update.images, list[BaseException]()
    scan: Projections | None = None
    if arguments.scan is not None and update.statistics.frames:  # before all: it cannot be repeated
        try:
            scan = save_scan(session.scan(), arguments.scan)
            lines.say("saved", f"Scan: {arguments.scan}")
        except EngineError as e:
            faults.append(e)
    if images is not None:
        try:
            origin = LiveOrigin(
                arguments.source,
                arguments.replay,
                arguments.geometry,
                protocol,
                settings,
                begun_utc,
            )
            made = provenance_of(session, images, origin, frames_sha256=session.frames_sha256)
            saved = save_slices(images, arguments.output, made)
            lines.say("saved", f"Slices: {', '.join(map(str, saved))}")
        except EngineError as e:
            faults.append(e)
    if scan is not None and arguments.volume is not None and fault is None:
        whole_volume(scan, protocol, arguments, on, console)
        lines.say("saved", f"Volume: {arguments.volume}")
    if fault is not None and not isinstance(fault, KeyboardInterrupt):
        faults.insert(0, fault)
    for each in faults[1:]:
        lines.say("fault", str(each))
    if faults:
        raise faults[0]
    if isinstance(fault, KeyboardInterrupt) and images is not None:
        raise KeyboardInterrupt("the slices of what had come are saved.")
    if fault is not None:
        raise fault
    if images is None:
        raise SettingsError(f"{source.name}: no slice could be made: {session.newest.state}.")


def _protocol(arguments: argparse.Namespace) -> CtProtocol:
    named = find_protocol(arguments.protocol) if arguments.protocol else CtProtocol()
    protocol = with_settings(named, tuple(arguments.assignments))
    if not isinstance(protocol, CtProtocol):
        raise SettingsError(f"{arguments.protocol}: live slices want a protocol of X-ray CT.")
    if arguments.volume is not None and arguments.scan is None:
        raise SettingsError("--volume is made of the scan that --scan keeps; give both.")
    if arguments.scan is not None and arguments.mode == "sliding":
        raise SettingsError("--scan keeps views that grow; leave --mode sliding out.")
    centre = getattr(protocol.steps, CentreOfRotation.kind)
    if arguments.find_axis and centre.column is not None:
        raise SettingsError(
            "--find-axis looks for the axis that steps.centre.column says; leave one of them out."
        )
    for output in (*slice_files(arguments.output), arguments.volume):
        if output is not None:
            can_save(output, protocol.modality)
    return protocol


def _geometry(path: Path | None) -> XrayGeometry | None:
    if path is None:
        return None
    loader = for_command()
    try:
        return geometry_of(path, loader)
    finally:
        if isinstance(loader, Loader):
            loader.close()


class Room:
    """Says early where the disk has no room for the scan that is to be kept."""

    def __init__(self, path: Path | None, session: LiveSession) -> None:
        self._path, self._session = path, session

    def lack(self) -> str | None:
        """Return what is to be said, once the geometry is known; None before and after."""
        geometry = self._session.geometry
        if self._path is None or geometry is None:
            return None
        path, self._path = self._path, None
        wanted = ITEM_BYTES * geometry.n_views * geometry.shape[0] * geometry.shape[1]
        try:
            free = shutil.disk_usage(path.absolute().parent).free
        except OSError:  # whoever writes there says it
            return None
        if free >= wanted:
            return None
        return (
            f"{path}: the scan of {geometry.n_views:,} projections needs about {wanted:,} bytes "
            f"and {free:,} are free; make room before it ends."
        )


def _followed(session: LiveSession, lines: _Lines, room: Room) -> BaseException | None:
    """Show what happens until the scan has ended; returns what ended it before, Ctrl+C too."""
    said_s = monotonic()
    try:
        while True:
            news = session.take()
            if isinstance(news, LiveUpdate):
                lack = room.lack()
                if lack is not None:
                    lines.say("noticed", lack)
                if monotonic() - said_s >= EVERY_S:
                    said_s = monotonic()
                    lines.show(news)
            elif news is not None:
                if isinstance(news, Ended):
                    lines.show(session.newest)
                lines.say(type(news).__name__.lower(), news.text)
                if isinstance(news, Ended):
                    return None
    except (KeyboardInterrupt, Exception) as e:  # noqa: BLE001  raised when what came is saved
        return e


class _Lines:
    """Sentences, and figures once a second."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def show(self, update: LiveUpdate) -> None:
        """Say the figures of a moment."""
        text = update.state if update.images is None else _figures(update.statistics)
        self.console.line(f"  {text}")

    def say(self, kind: str, text: str) -> None:
        """Say what happened."""
        self.console.line(text)


class _JsonLines(_Lines):
    """The same as lines of JSON."""

    def show(self, update: LiveUpdate) -> None:
        values: Plain = {"event": "figures", "state": update.state}
        values |= update.statistics.as_plain()
        if update.images is not None:
            values |= {"weights": update.images.weights, "axis": update.images.axis_column}
        self.console.line(json.dumps(values))

    def say(self, kind: str, text: str) -> None:
        self.console.line(json.dumps({"event": kind, "text": text}))


def _figures(figures: LiveStatistics) -> str:
    return (
        f"{figures.frames:,} frames, {figures.dropped:,} lost; {figures.frames_per_s:.1f} frames/s "
        f"in, {figures.refresh_hz:.1f} images/s; {figures.views} views over "
        f"{figures.covered_deg:.0f}°; latency {figures.latency_ms_median:.0f} ms, "
        f"{figures.latency_ms_p99:.0f} ms at 99 %; {figures.memory_mib:,.0f} MiB"
    )
