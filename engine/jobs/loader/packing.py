"""Send values from the loader: large arrays separate from the rest, open files as handles."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.json_types import Plain
from engine.data.input_role import InputRole
from engine.data.storage.spooled_array import SpooledArray, mapped

if TYPE_CHECKING:
    from engine.geometry.scanner import Scanner
    from engine.modalities.base import AnyModality

LARGE_BYTES = 1 << 16
"""Arrays of at least this size are sent outside the pickle."""


@dataclass(frozen=True)
class PackedValue:
    """A value, divided for sending.

    Attributes
    ----------
    pickled : everything except the following
    buffers : values of large arrays
    files : descriptors of spooled arrays, which stay open in the sender
    """

    pickled: bytes
    buffers: list[pickle.PickleBuffer] = field(default_factory=list)
    files: list[int] = field(default_factory=list)

    @property
    def sizes(self) -> list[int]:
        """Bytes of each buffer."""
        return [buffer.raw().nbytes for buffer in self.buffers]


def pack(value: object) -> PackedValue:
    """Divide a value for sending.

    Parameters
    ----------
    value
        value that can be pickled, except for spooled arrays, roles, modalities and scanners
    """
    stream = io.BytesIO()
    packer = _Packer(stream)
    packer.dump(value)
    return PackedValue(stream.getvalue(), packer.buffers, packer.files)


def unpack(pickled: bytes, buffers: Iterable[bytearray], files: Sequence[int]) -> object:
    """Restore a value.

    Parameters
    ----------
    pickled
        pickle of `PackedValue`
    buffers
        values of the large arrays, in the order of `PackedValue.buffers`
    files
        descriptors of the spooled arrays, which the value owns from now on
    """
    return _Unpacker(io.BytesIO(pickled), buffers=buffers, files=files).load()


class _Packer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO) -> None:
        # Protocol 5 passes arrays as buffers, without a copy
        super().__init__(stream, protocol=5, buffer_callback=self._keep_small)
        self.buffers: list[pickle.PickleBuffer] = []
        self.files: list[int] = []

    def _keep_small(self, buffer: pickle.PickleBuffer) -> bool:
        """Return True if a buffer goes into the pickle; store it otherwise."""
        if buffer.raw().nbytes < LARGE_BYTES:
            return True
        self.buffers.append(buffer)
        return False

    def persistent_id(self, obj: object) -> tuple[int, str, tuple[int, ...]] | None:
        if not isinstance(obj, SpooledArray) or obj.descriptor < 0:
            return None
        self.files.append(obj.descriptor)
        return len(self.files) - 1, obj.dtype.str, obj.shape

    def reducer_override(self, obj: Any) -> Any:
        # roles and modalities contain functions, so only their names are sent
        if isinstance(obj, InputRole):
            return _role, (obj.key,)
        if _is_a(obj, "engine.modalities.base", "Modality"):
            return _modality, (obj.key,)
        if _is_a(obj, "engine.geometry.scanner", "Scanner"):
            # Tables are large and computed from the rest when needed
            return _scanner, (type(obj), {k: v for k, v in vars(obj).items() if k != "_tables"})
        # A constant array that is broadcast has one value in memory: it must not become a full one
        if type(obj) is np.ndarray and obj.size > 1 and not any(obj.strides):
            return np.broadcast_to, (np.array(obj[(0,) * obj.ndim]), obj.shape)
        return NotImplemented


class _Unpacker(pickle.Unpickler):
    def __init__(
        self, stream: io.BytesIO, *, buffers: Iterable[bytearray], files: Sequence[int]
    ) -> None:
        super().__init__(stream, buffers=buffers)
        self._files = files

    def persistent_load(self, pid: tuple[int, str, tuple[int, ...]]) -> SpooledArray:
        index, dtype, shape = pid
        with os.fdopen(self._files[index], "rb") as file:
            return mapped(file, dtype, shape)


def _is_a(value: Any, module: str, name: str) -> bool:
    """Return True if a value is of a class; a class that was never imported has no values."""
    found = sys.modules.get(module)
    return found is not None and isinstance(value, getattr(found, name))


def _role(key: str) -> InputRole:
    from engine.modalities.recognise import all_roles

    return next(role for role in all_roles() if role.key == key)


def _modality(key: str) -> AnyModality:
    from engine.modalities import MODALITIES

    found = MODALITIES.of(key)
    if found is None:
        raise LookupError(key)
    return found


def _scanner(kind: type[Scanner], attributes: Plain) -> Scanner:
    made = kind.__new__(kind)
    vars(made).update(attributes)
    return made


def send_files(line: Connection, files: Sequence[int], to: int) -> None:
    """Send open files to a process.

    Parameters
    ----------
    line
        pipe to the process
    files
        descriptors, which stay open here
    to
        number of the process
    """
    for descriptor in files:
        handle = descriptor
        # `send_handle` takes the system's handle, which is a descriptor on POSIX only
        if sys.platform == "win32":
            import msvcrt

            handle = msvcrt.get_osfhandle(descriptor)
        send_handle(line, handle, to)


def receive_files(line: Connection, n: int) -> list[int]:
    """Receive files that another process has opened.

    Parameters
    ----------
    line
        pipe from the process
    n
        number of files
    """
    handles = [recv_handle(line) for _ in range(n)]
    if sys.platform == "win32":
        import msvcrt

        return [msvcrt.open_osfhandle(handle, os.O_RDONLY) for handle in handles]
    return handles
