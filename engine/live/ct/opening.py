"""Open the source that a text names: an address, a growing folder or file, or a stored scan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from engine.core.errors import SettingsError
from engine.io.folder import exists, is_folder
from engine.io.xray.hdf5.dxchange import DxChange
from engine.io.xray.hdf5.nxtomo import NxTomo
from engine.jobs.loader.loader import Calls
from engine.live.core.source import FrameSource
from engine.live.core.stream_keys import allowed_keys
from engine.live.core.zeromq import check_network, is_address
from engine.live.ct.sources.folder import FolderSource
from engine.live.ct.sources.hdf5 import Hdf5Source
from engine.live.ct.sources.pv_access import SCHEME, PvAccessSource
from engine.live.ct.sources.replay import ReplaySource
from engine.live.ct.sources.stream import StreamSource

HDF5_SUFFIXES = (*DxChange.suffixes, *NxTomo.suffixes)


@dataclass(frozen=True)
class SourceOptions:
    """Properties of a source in addition to its name.

    Attributes
    ----------
    subscribe : True if the sender at an address uses PUB
    replay : True to play a stored scan like a running one
    rate : frames per second of a replay; None: as fast as they are processed
    loader : process that reads files; None: each source starts its own
    network : True to accept senders on other computers at tcp://*:port
    sender_keys : public keys of the senders of a stream, and files of keys; empty: none are asked
        for, except on networks if the settings have a list of keys
    sender : key, token or address of the only sender of a stream; empty: the first one
    frame_shape : (n_rows, n_columns) of the frames of a stream; None if not known
    """

    subscribe: bool = False
    replay: bool = False
    rate: float | None = None
    loader: Calls | None = None
    network: bool = False
    sender_keys: tuple[str, ...] = ()
    sender: str = ""
    frame_shape: tuple[int, int] | None = None


def open_source(name: str, options: SourceOptions | None = None) -> FrameSource:
    """Return the source of an address, a file or a folder.

    Parameters
    ----------
    name
        tcp://host:port, pva://CHANNEL, or a path
    options
        further properties; None for the defaults

    Raises
    ------
    SettingsError
        if the name is not an address, and no such file or folder exists, or `network` does not fit
    """
    options = options or SourceOptions()
    if is_address(name):
        return StreamSource(name, **stream_options(options), frame_shape=options.frame_shape)
    check_no_stream(name, options)
    if name.startswith(SCHEME):
        return PvAccessSource(name.removeprefix(SCHEME))
    # A mistyped scheme would otherwise be reported as a missing file
    if "://" in name:
        raise SettingsError(
            f"{name}: this type of address is not supported; give tcp://host:port, pva://CHANNEL, "
            "a file or a folder."
        )
    path = Path(name)
    if not exists(path):
        raise SettingsError(
            f"{name}: this file or folder does not exist; check the path, or give an address such "
            "as tcp://host:1234."
        )
    if options.replay:
        return ReplaySource(path, rate=options.rate, loader=options.loader)
    if path.suffix.lower() in HDF5_SUFFIXES:
        return Hdf5Source(path, loader=options.loader)
    # Users often choose the first image of a folder
    return FolderSource(path if is_folder(path) else path.parent, loader=options.loader)


class StreamOptions(TypedDict):
    """Options of a stream, as its sources take them."""

    subscribe: bool
    network: bool
    sender_keys: tuple[str, ...]
    sender: str


def stream_options(options: SourceOptions) -> StreamOptions:
    """Return the options of a stream.

    Parameters
    ----------
    options
        properties of a source

    Raises
    ------
    SettingsError
        if a sender key is not a key and no file of keys
    """
    keys = allowed_keys(options.sender_keys, network=options.network)
    return StreamOptions(
        subscribe=options.subscribe,
        network=options.network,
        sender_keys=keys,
        sender=options.sender,
    )


def check_no_stream(name: str, options: SourceOptions) -> None:
    """Refuse options of a stream for another source.

    Parameters
    ----------
    name
        path or channel
    options
        properties of the source

    Raises
    ------
    SettingsError
        if there is such an option
    """
    check_network(name, options.network)
    if options.sender_keys or options.sender:
        raise SettingsError(
            f"{name}: only streams (tcp://) have senders. Remove --sender-key and --sender."
        )
