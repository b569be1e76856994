"""The loader's process: it executes calls one by one, and exits with its parent."""

from __future__ import annotations

import faulthandler
import logging
import os
import pickle
import signal
import traceback
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from threading import Thread
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, FileFormatError, ResourceError
from engine.core.plugins import at_fault
from engine.jobs.loader.limits import limited_memory, write_no_core
from engine.jobs.loader.packing import PackedValue, pack, send_files

if TYPE_CHECKING:
    from engine.jobs.process.slots import AttachedSlots

log = logging.getLogger(__name__)
ORPHANED = 3
"""Exit code if the parent has ended."""
HEAVY = (
    "h5py",
    "engine.io.volumes.nifti",
    "engine.modalities.opening",
    "engine.modalities.studies",
)
"""Imported before the first file, so that the first file takes no longer than the second."""
SELDOM, IDLE_S = "nibabel", 1.0
"""Imported once the process has waited this time: few files need it, and none waits for it."""

TOO_LARGE = (
    "reading needs more than the {:.1f} GiB of free memory. Close other programs, or "
    "check that the file is not damaged."
)
UNKNOWN_FAULT = (
    "this file cannot be read ({}: {}). The file is damaged or of an unknown kind. Please "
    "report it if other programs can read it."
)

FAULT_OF_PLUG_IN = (
    "the plug-in {} cannot read this file ({}: {}). Please report this to the authors of the "
    "plug-in."
)


def main(line: Connection, lifeline: Connection, inherited: tuple[Connection, ...] = ()) -> None:
    """Execute calls until the other end of the pipe is closed.

    Parameters
    ----------
    line
        pipe for calls and results
    lifeline
        pipe that only reports the end of the parent
    inherited
        the parent's ends of both pipes, which a forked process has to close
    """
    for copy in inherited:
        copy.close()  # otherwise the process would not notice that the parent closes its end
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches us too; the parent decides
    faulthandler.disable()  # the parent reports crashes itself
    # A core dump would store the patient's data on disk
    write_no_core()
    Thread(target=_end_with_parent, args=(lifeline,), name="lifeline", daemon=True).start()
    try:
        if not inherited:  # a forked process reads few files, and imports what these need
            _load_heavy(line)
        while True:
            function, arguments, name = pickle.loads(line.recv_bytes())
            _answer(line, _result_of_call(function, arguments, name))
    except (EOFError, OSError):
        os._exit(ORPHANED)


def _end_with_parent(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        # From this thread, because the main thread can hang in a reader
        os._exit(ORPHANED)


def _load_heavy(line: Connection) -> None:
    for name in HEAVY:
        import_module(name)
    if not line.poll(IDLE_S):
        import_module(SELDOM)


def _result_of_call(
    function: Callable[..., object], arguments: tuple[object, ...], name: str
) -> PackedValue:
    """Return the result of a call, or the error that it raised."""
    # Set for each call: the free memory changes between two files
    with limited_memory() as free:
        try:
            return pack(function(*arguments))
        except EngineError as e:
            return pack(e)
        except MemoryError:
            return pack(ResourceError(f"{name}: {TOO_LARGE.format(free / 2**30)}"))
        except Exception as e:  # noqa: BLE001  a foreign file: nothing may end without a word
            log.warning("%s: %s", name, traceback.format_exc())
            return pack(FileFormatError(f"{name}: {_sentence(e)}"))


def _sentence(error: Exception) -> str:
    plug_in, kind = at_fault(error), type(error).__name__
    if plug_in:
        return FAULT_OF_PLUG_IN.format(plug_in, kind, error)
    return UNKNOWN_FAULT.format(kind, error)


def _answer(line: Connection, parcel: PackedValue) -> None:
    # Sizes first: the parent makes the shared memory, and removes it if this process crashes
    line.send((parcel.sizes, len(parcel.files)))
    if parcel.buffers:
        names = line.recv()
        if names:
            from engine.jobs.process.slots import AttachedSlots  # most answers are small

            _fill(AttachedSlots(names), parcel)
        else:  # too little shared memory
            for buffer in parcel.buffers:
                line.send_bytes(buffer.raw())
    line.send_bytes(parcel.pickled)
    send_files(line, parcel.files, os.getppid())


def _fill(memory: AttachedSlots, parcel: PackedValue) -> None:
    start = 0
    try:
        for buffer in parcel.buffers:
            data = buffer.raw()
            memory.write_bytes(start, data)
            start += data.nbytes
    finally:
        memory.close()
