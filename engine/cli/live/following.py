"""Run `isocenter live reconstruct` for an X-ray scan: print figures and messages."""

from __future__ import annotations

import argparse
import shutil
from datetime import UTC, datetime
from pathlib import Path

from engine.cli.console import Console
from engine.cli.device import device_of
from engine.cli.live.ending import Ending, ending_in_order, recorder_of
from engine.cli.live.lines import JsonLines, Lines, follow
from engine.cli.live.results import save_scan, save_slices, whole_volume
from engine.cli.live.source import network_note, refuse_given, source_of, stored_geometry
from engine.core.errors import EngineError, SettingsError
from engine.core.json_types import Plain
from engine.corrections.preprocess import CentreOfRotation
from engine.data.formatting import counted
from engine.data.projections import Projections
from engine.io import can_save
from engine.io.volumes.slices import slice_files
from engine.live.ct.following import LiveUpdate
from engine.live.ct.images import LiveImages
from engine.live.ct.protocol_choices import choices_of
from engine.live.ct.provenance import LiveOrigin, provenance_of
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.modalities.studies import find_protocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings

ITEM_BYTES = 2
"""Bytes per pixel of most detectors."""


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
    _refuse_options_of_pet(arguments)
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
    lines = _lines(console, network_note(arguments), as_json=arguments.json)
    recorder = recorder_of("frames", source.name, arguments.scan, is_replay=arguments.replay)
    with LiveSession(
        source, choices, on=on, finds_axis=arguments.find_axis, recorder=recorder
    ) as session:
        fault = follow(session, lines, ending, DiskCheck(arguments.scan, session).warning)
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


def _refuse_options_of_pet(arguments: argparse.Namespace) -> None:
    """Refuse the options of PET, which would have no effect on X-ray projections."""
    given = {
        f"--{key.removeprefix('input_').replace('_', '-')}": value is not None
        for key, value in vars(arguments).items()
        if key == "newest" or key.startswith("input_")
    }
    refuse_given(arguments, given, "It is for list-mode PET. Remove it.")


def _save_slices(
    session: LiveSession,
    images: LiveImages,
    origin: LiveOrigin,
    output: Path,
    lines: Lines[LiveUpdate],
) -> None:
    # The digest of all frames makes the slices traceable even without a stored scan
    made = provenance_of(session, images, origin, frames_sha256=session.frames_sha256)
    saved = save_slices(images, output, made)
    lines.show_text("saved", f"Slices: {', '.join(map(str, saved))}")


def _raise_first(
    fault: BaseException | None, faults: list[BaseException], lines: Lines[LiveUpdate]
) -> None:
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


def _lines(console: Console, note: str, *, as_json: bool) -> Lines[LiveUpdate]:
    if as_json:
        return JsonLines(console, lambda update: _values(update, is_network=bool(note)))
    return Lines(console, _figures, note)


def _values(update: LiveUpdate, *, is_network: bool) -> Plain:
    values: Plain = {"event": "figures", "state": update.state, "network": is_network}
    values |= update.statistics.to_json()
    if update.images is not None:
        values |= {"weights": update.images.weights, "axis": update.images.axis_column}
    return values


def _figures(update: LiveUpdate) -> str:
    if update.images is None:
        return update.state
    figures = update.statistics
    return (
        f"{counted(figures.frames, 'frame')}, {figures.dropped:,} lost; "
        f"{figures.frames_per_s:.1f} frames/s in, {figures.refresh_hz:.1f} images/s; "
        f"{counted(figures.views, 'view')} over {figures.covered_deg:.0f}°; "
        f"latency {figures.latency_ms_median:.0f} ms, {figures.latency_ms_p99:.0f} ms at 99 %; "
        f"{figures.memory_mib:,.0f} MiB"
    )
