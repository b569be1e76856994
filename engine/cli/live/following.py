"""Run `isocenter live reconstruct` for an X-ray scan: print figures and messages."""

from __future__ import annotations

import argparse
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from engine.cli.console import Console
from engine.cli.device import device_of
from engine.cli.live.ending import Ending, ending_in_order, recorder_of
from engine.cli.live.results import save_scan, save_slices, whole_volume
from engine.cli.live.source import network_note, source_of, stored_geometry
from engine.core.errors import EngineError, SettingsError
from engine.core.json_types import Plain
from engine.corrections.preprocess import CentreOfRotation
from engine.data.projections import Projections
from engine.io import can_save
from engine.io.volumes.slices import slice_files
from engine.live.core.frame import Ended
from engine.live.ct.following import LiveUpdate
from engine.live.ct.images import LiveImages
from engine.live.ct.protocol_choices import choices_of
from engine.live.ct.provenance import LiveOrigin, provenance_of
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.live.ct.statistics import LiveStatistics
from engine.modalities.studies import find_protocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings

ITEM_BYTES = 2
"""Bytes per pixel of most detectors."""
EVERY_S = 1.0
"""Time between two lines of figures, in seconds."""


def reconstruct(arguments: argparse.Namespace, console: Console) -> None:
    """Follow a source to its end, then save the outputs.

    Outputs are saved after an error or Ctrl+C too, with the data received so far. SIGTERM and
    SIGHUP act like Ctrl+C.

    Parameters
    ----------
    arguments
        options of `isocenter live reconstruct`
    console
        receives figures and messages

    Raises
    ------
    SettingsError
        if options contradict each other, or no slice could be reconstructed
    KeyboardInterrupt
        after Ctrl+C, once the outputs are saved
    EngineError
        any error of the source or of an output
    """
    with ending_in_order() as ending:
        _reconstruct(arguments, console, ending)


def _reconstruct(arguments: argparse.Namespace, console: Console, ending: Ending) -> None:
    protocol = _protocol(arguments)
    # before any thread starts, because both start processes by a fork
    geometry = stored_geometry(arguments.geometry)
    source = source_of(arguments, None if geometry is None else geometry.shape)
    settings = LiveSettings(
        mode=arguments.mode,
        turn=arguments.turn,
        weights=arguments.weights,
        preview_edge=0,  # a terminal shows no preview, and its time is better spent on slices
    )
    choices = choices_of(protocol, settings, geometry)
    on = device_of(arguments.device, arguments.threads, console)
    begun_utc = datetime.now(UTC)
    lines = (_JsonLines if arguments.json else _Lines)(console, network_note(arguments))
    recorder = recorder_of("frames", source.name, arguments.scan, is_replay=arguments.replay)
    with LiveSession(
        source, choices, on=on, finds_axis=arguments.find_axis, recorder=recorder
    ) as session:
        fault = _followed(session, lines, DiskCheck(arguments.scan, session), ending)
    for text in session.take_texts():
        lines.show_text("noticed", text)
    update = session.newest
    # Errors of one output must not prevent the next one
    images, faults = update.images, list[BaseException]()
    scan: Projections | None = None
    # First, because the scan cannot be repeated
    if arguments.scan is not None and update.statistics.frames:
        try:
            scan = save_scan(session.scan(), arguments.scan)
            ending.recording_after(session, arguments.scan)
            lines.show_text("saved", f"Scan: {arguments.scan}")
        except EngineError as e:
            faults.append(e)
    if images is not None:
        origin = LiveOrigin(
            arguments.source,
            arguments.replay,
            arguments.geometry,
            protocol,
            settings,
            begun_utc,
        )
        try:
            _save_slices(session, images, origin, arguments.output, lines)
        except EngineError as e:
            faults.append(e)
    # After an error the scan has gaps, and a volume of it would look complete
    if scan is not None and arguments.volume is not None and fault is None:
        whole_volume(scan, protocol, arguments, on, console)
        lines.show_text("saved", f"Volume: {arguments.volume}")
    _raise_first(fault, faults, lines)
    if isinstance(fault, KeyboardInterrupt) and images is not None:
        raise KeyboardInterrupt("the scan was stopped; the slices reconstructed so far are saved.")
    if fault is not None:
        raise fault
    if images is None:
        raise SettingsError(
            f"{source.name}: no slice could be reconstructed. State: "
            f"{session.newest.state or 'no data'}. Check that the source sends a complete scan."
        )


def _save_slices(
    session: LiveSession,
    images: LiveImages,
    origin: LiveOrigin,
    output: Path,
    lines: _Lines,
) -> None:
    # The digest of all frames makes the slices traceable even without a stored scan
    made = provenance_of(session, images, origin, frames_sha256=session.frames_sha256)
    saved = save_slices(images, output, made)
    lines.show_text("saved", f"Slices: {', '.join(map(str, saved))}")


def _raise_first(fault: BaseException | None, faults: list[BaseException], lines: _Lines) -> None:
    """Print all errors but the first, and raise that one: only one error can be raised."""
    if fault is not None and not isinstance(fault, KeyboardInterrupt):
        faults.insert(0, fault)
    for each in faults[1:]:
        lines.show_text("fault", str(each))
    if faults:
        raise faults[0]


def _protocol(arguments: argparse.Namespace) -> CtProtocol:
    named = find_protocol(arguments.protocol) if arguments.protocol else CtProtocol()
    protocol = with_settings(named, tuple(arguments.assignments))
    if not isinstance(protocol, CtProtocol):
        raise SettingsError(f"{arguments.protocol}: live slices need an X-ray CT protocol.")
    if arguments.volume is not None and arguments.scan is None:
        raise SettingsError("--volume needs --scan. Add --scan, or remove --volume.")
    if arguments.scan is not None and arguments.mode == "sliding":
        raise SettingsError("--scan needs all views. Remove --mode sliding or --scan.")
    centre = getattr(protocol.steps, CentreOfRotation.kind)
    if arguments.find_axis and centre.column is not None:
        raise SettingsError(
            "--find-axis and steps.centre.column both set the axis. Remove one of them."
        )
    for output in (*slice_files(arguments.output), arguments.volume):
        if output is not None:
            can_save(output, protocol.modality)
    return protocol


class DiskCheck:
    """Warns early if the disk is too small for the recorded scan."""

    def __init__(self, path: Path | None, session: LiveSession) -> None:
        # The file is written at the end, when a full disk would lose the scan
        self._path, self._session = path, session

    def warning(self) -> str | None:
        """Return a warning if the disk is too small, at the first call with a known geometry.

        Returns
        -------
        warning
            sentence for the user; None if there is enough space, or it was checked before
        """
        geometry = self._session.geometry
        if self._path is None or geometry is None:
            return None
        path, self._path = self._path, None
        needed = ITEM_BYTES * geometry.n_views * geometry.shape[0] * geometry.shape[1]
        try:
            free = shutil.disk_usage(path.absolute().parent).free
        except OSError:  # reported when the scan is written
            return None
        if free >= needed:
            return None
        return (
            f"{path}: the scan of {geometry.n_views:,} projections needs about {needed:,} bytes, "
            f"but only {free:,} are free. Free space before the scan ends."
        )


def _followed(
    session: LiveSession, lines: _Lines, disk: DiskCheck, ending: Ending
) -> BaseException | None:
    """Print updates until the scan ends; return the exception that ended it early, if any."""
    shown_s = monotonic()
    try:
        while True:
            news = session.take()
            if isinstance(news, LiveUpdate):
                warning = disk.warning()
                if warning is not None:
                    # The source can deliver thousands of updates per second
                    lines.show_text("noticed", warning)
                if monotonic() - shown_s >= EVERY_S:
                    shown_s = monotonic()
                    lines.show(news)
            elif news is not None:
                if isinstance(news, Ended):
                    lines.show(session.newest)
                lines.show_text(type(news).__name__.lower(), news.text)
                if isinstance(news, Ended):
                    return None
    # Also Ctrl+C: the caller saves the data received so far
    except (KeyboardInterrupt, Exception) as e:  # noqa: BLE001  raised again after saving
        return e
    finally:
        ending.is_following = False


class _Lines:
    """Prints messages, and figures once a second."""

    def __init__(self, console: Console, note: str = "") -> None:
        self.console, self.note = console, note

    def show(self, update: LiveUpdate) -> None:
        """Print the current figures as progress, unless the console is quiet."""
        text = update.state if update.images is None else _figures(update.statistics)
        self.console.log(f"  {text}{self.note}")

    def show_text(self, kind: str, text: str) -> None:
        """Print a message."""
        self.console.line(text)


class _JsonLines(_Lines):
    """Prints JSON lines."""

    def show(self, update: LiveUpdate) -> None:
        values: Plain = {"event": "figures", "state": update.state, "network": bool(self.note)}
        values |= update.statistics.to_json()
        if update.images is not None:
            values |= {"weights": update.images.weights, "axis": update.images.axis_column}
        self.console.line(json.dumps(values))

    def show_text(self, kind: str, text: str) -> None:
        self.console.line(json.dumps({"event": kind, "text": text}))


def _figures(figures: LiveStatistics) -> str:
    return (
        f"{figures.frames:,} frames, {figures.dropped:,} lost; {figures.frames_per_s:.1f} frames/s "
        f"in, {figures.refresh_hz:.1f} images/s; {figures.views} views over "
        f"{figures.covered_deg:.0f}°; latency {figures.latency_ms_median:.0f} ms, "
        f"{figures.latency_ms_p99:.0f} ms at 99 %; {figures.memory_mib:,.0f} MiB"
    )
