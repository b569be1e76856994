"""The loader's process: does one call after the other, and ends with whoever asked."""

from __future__ import annotations

import faulthandler
import logging
import os
import pickle
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Thread

from engine.core.errors import EngineError, FileFormatError, ResourceError
from engine.jobs.loader.limits import limited_memory, write_no_core
from engine.jobs.loader.packing import Parcel, pack, send_files
from engine.jobs.process.slots import AttachedSlots

log = logging.getLogger(__name__)
ORPHANED = 3
"""Exit code when nobody is left who could ask."""
HEAVY = (
    "h5py",
    "engine.io.volumes.nifti",
    "engine.modalities.opening",
    "engine.modalities.studies",
)
"""Loaded before the first file, so that it is read as quickly as the second."""

TOO_LARGE = (
    "reading it takes more than the {:.1f} GiB of memory that are free; close other programs, or "
    "check that the file is not damaged."
)
UNKNOWN_FAULT = (
    "cannot be read ({}: {}); the file is damaged, or of an unknown kind; please report it "
    "if other programs read it."
)


def main(line: Connection, lifeline: Connection, inherited: tuple[Connection, ...] = ()) -> None:
    """Answer calls until the other end is closed; `inherited` are copies of that other end."""
    for copy in inherited:
        copy.close()  # else the end of the parent would go unnoticed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches us too; the parent decides
    faulthandler.disable()  # who asked says it in a sentence
    write_no_core()
    Thread(target=_end_with_parent, args=(lifeline,), name="lifeline", daemon=True).start()
    _load_heavy()
    try:
        while True:
            function, arguments, name = pickle.loads(line.recv_bytes())
            _answer(line, _done(function, arguments, name))
    except (EOFError, OSError):
        os._exit(ORPHANED)


def _end_with_parent(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(ORPHANED)  # a reader that hangs would never notice


def _load_heavy() -> None:
    from importlib import import_module

    for name in HEAVY:
        import_module(name)


def _done(function: Callable[..., object], arguments: tuple[object, ...], name: str) -> Parcel:
    """Return the result of a call, or the fault it met."""
    with limited_memory() as free:
        try:
            return pack(function(*arguments))
        except EngineError as e:
            return pack(e)
        except MemoryError:
            return pack(ResourceError(f"{name}: {TOO_LARGE.format(free / 2**30)}"))
        except Exception as e:  # noqa: BLE001  a foreign file: nothing may end without a word
            log.warning("%s: %s", name, traceback.format_exc())
            return pack(FileFormatError(f"{name}: {UNKNOWN_FAULT.format(type(e).__name__, e)}"))


def _answer(line: Connection, parcel: Parcel) -> None:
    line.send((parcel.sizes, len(parcel.files)))
    if parcel.buffers:
        names = line.recv()
        if names:
            _fill(AttachedSlots(names), parcel)
        else:  # too little shared memory
            for buffer in parcel.buffers:
                line.send_bytes(buffer.raw())
    line.send_bytes(parcel.pickled)
    send_files(line, parcel.files, os.getppid())


def _fill(memory: AttachedSlots, parcel: Parcel) -> None:
    start = 0
    try:
        for buffer in parcel.buffers:
            data = buffer.raw()
            memory.write_bytes(start, data)
            start += data.nbytes
    finally:
        memory.close()
