"""Which source a text names: an address, a folder or a file that fills, or a stored scan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import SettingsError
from engine.io.folder import exists, is_folder
from engine.io.xray.hdf5.dxchange import DxChange
from engine.io.xray.hdf5.nxtomo import NxTomo
from engine.jobs.loader.loader import Calls
from engine.live.core.source import FrameSource
from engine.live.core.zeromq import is_address
from engine.live.ct.sources.folder import FolderSource
from engine.live.ct.sources.hdf5 import Hdf5Source
from engine.live.ct.sources.pv_access import SCHEME, PvAccessSource
from engine.live.ct.sources.replay import ReplaySource
from engine.live.ct.sources.stream import StreamSource

HDF5_SUFFIXES = (*DxChange.suffixes, *NxTomo.suffixes)


@dataclass(frozen=True)
class SourceOptions:
    """What is to be known of a source besides its name.

    Attributes
    ----------
    subscribe : of an address: whether the sender publishes
    replay : of a file or folder: play it as if it were measured now
    rate : frames in a second of a replay; None: as fast as they are taken
    loader : reads files in another process; each source starts one of its own if None
    """

    subscribe: bool = False
    replay: bool = False
    rate: float | None = None
    loader: Calls | None = None


def open_source(name: str, options: SourceOptions | None = None) -> FrameSource:
    """Return the source of an address, a file or a folder.

    Raises
    ------
    SettingsError
        where it is none of these
    """
    options = options or SourceOptions()
    if is_address(name):
        return StreamSource(name, subscribe=options.subscribe)
    if name.startswith(SCHEME):
        return PvAccessSource(name.removeprefix(SCHEME))
    if "://" in name:
        raise SettingsError(
            f"{name}: no source; want tcp://host:port, pva://CHANNEL, a file or a folder."
        )
    path = Path(name)
    if not exists(path):
        raise SettingsError(f"{name}: no such file or folder, and no address such as tcp://host:1.")
    if options.replay:
        return ReplaySource(path, rate=options.rate, loader=options.loader)
    if path.suffix.lower() in HDF5_SUFFIXES:
        return Hdf5Source(path, loader=options.loader)
    return FolderSource(path if is_folder(path) else path.parent, loader=options.loader)
