"""Open the source of events that a text names: an address, a growing file, or a stored scan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.core.errors import SettingsError
from engine.data.listmode import ListMode
from engine.io.folder import is_file
from engine.live.core.zeromq import is_address
from engine.live.ct.opening import SourceOptions, check_no_stream, stream_options
from engine.live.pet.event_batch import EventSource
from engine.live.pet.sources.event_replay import EventReplaySource
from engine.live.pet.sources.event_stream import EventStreamSource
from engine.live.pet.sources.growing_file import GrowingFileSource
from engine.live.pet.updates import Attach


def open_events(
    name: str, options: SourceOptions | None = None, scanner: str | None = None
) -> EventSource:
    """Return the source of an address or a file.

    Parameters
    ----------
    name
        tcp://host:port, or a path
    options
        replay and its rate [seconds of the scan per second]; None for the defaults
    scanner
        scanner of the scan, if the file does not state it

    Raises
    ------
    SettingsError
        if the name is not an address, and no such file exists, or `network` does not fit
    """
    options = options or SourceOptions()
    if is_address(name):
        if options.replay:
            raise SettingsError(
                f"{name}: a live stream cannot be replayed; give a stored scan, or omit --replay."
            )
        return EventStreamSource(name, **stream_options(options))
    check_no_stream(name, options)
    path = Path(name)
    if not is_file(path):
        raise SettingsError(
            f"{name}: this file does not exist; check the path, or give an address such as "
            "tcp://host:1234."
        )
    if options.replay:
        return EventReplaySource(path, rate=options.rate, scanner=scanner, loader=options.loader)
    return GrowingFileSource(path, scanner=scanner)


def attaching(files: Mapping[str, Path]) -> Attach:
    """Return a function that adds files of the user to a scan.

    Parameters
    ----------
    files
        files by the keys of their roles

    Returns
    -------
    attach
        takes a scan without events, and returns it with the contents of the files
    """

    def attach(head: ListMode) -> ListMode:
        from engine.corrections import CORRECTIONS  # loads the libraries of the corrections
        from engine.corrections.base import inputs_of
        from engine.modalities.attaching import attached

        return attached(inputs_of(CORRECTIONS), files, head)

    return attach
