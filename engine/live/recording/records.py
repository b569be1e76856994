"""File format of a recording: records with length and checksums, which are only appended.

    isocenter recording 1, end of line
    mark (4 bytes), kind (1), count, header size and data size (uint64 each), CRC-32 of these
    header (JSON), data, CRC-32 of both

Numbers are little-endian. A truncated file is readable up to its last complete record. A record
with damaged contents is skipped and counted, because its intact head contains the size. Spaces
after the JSON align the data to a block of 4096 bytes. Zeros may follow the last record, up to the
end of its block.
"""

from __future__ import annotations

import json
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO, TypeAlias

# The same CRC-32 as that of zlib, four times as fast
from isal.isal_zlib import crc32

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.live.recording.direct import BLOCK

Buffer: TypeAlias = "bytes | memoryview"

MAGIC = b"isocenter recording 1\n"
MARK = b"REC\n"
HEAD = struct.Struct("<4sBQQQ")
CHECK = struct.Struct("<I")
MAX_HEADER_BYTES = 2**24
MAX_DATA_BYTES = 2**32
SUFFIX = ".isorec"


class RecordKind(IntEnum):
    """Kind of a record."""

    FACTS = 1
    """Facts about the scan, in JSON; the first record."""
    ANNOUNCEMENT = 2
    """Message with the geometry or the scanner."""
    DATA = 3
    """Message with frames or events; the record counts them."""
    NOTE = 4
    """Facts that became known later, in JSON."""
    WRITTEN = 8
    """Only sent to the recording process: number of frames or events that the program wrote."""
    FINISH = 9
    """Only sent to the recording process: no more records follow."""


@dataclass(frozen=True)
class Record:
    """One record.

    Attributes
    ----------
    kind : kind of the record
    count : number of frames or events
    header : JSON
    data : bytes of the message
    """

    kind: int
    count: int
    header: bytes
    data: bytes


def head_of(kind: int, count: int, header: Buffer, data: Buffer) -> bytes:
    """Return the start of a record, without its checksum.

    Parameters
    ----------
    kind
        kind of the record
    count
        number of frames or events
    header, data
        contents
    """
    return HEAD.pack(MARK, kind, count, memoryview(header).nbytes, memoryview(data).nbytes)


def pieces_of(
    kind: int, count: int, header: Buffer, data: Buffer, begin: int | None = None
) -> list[Buffer]:
    """Return a record as pieces of a file, without a copy of the data.

    Parameters
    ----------
    kind
        kind of the record
    count
        number of frames or events
    header, data
        contents
    begin
        position of the record if its data must be aligned to a block; spaces after the JSON
        header then fill the gap
    """
    header = bytes(header)
    if begin is not None:
        header += b" " * (-(begin + HEAD.size + CHECK.size + len(header)) % BLOCK)
    head = head_of(kind, count, header, data)
    check = crc32(data, crc32(header))
    return [b"".join((head, CHECK.pack(crc32(head)), header)), data, CHECK.pack(check)]


@dataclass
class Extent:
    """Readable part of a recording.

    Attributes
    ----------
    end : position after the last whole record [bytes]
    damaged : number of records with damaged contents
    is_cut : True if the file continues after the last whole record
    """

    end: int = 0
    damaged: int = 0
    is_cut: bool = False


class RecordingFile:
    """Reads a recording up to its end, or to its last complete record.

    Parameters
    ----------
    path : file of the recording

    Attributes
    ----------
    extent : readable part; valid after the last record was read
    """

    def __init__(self, path: Path) -> None:
        self.path, self.extent = path, Extent()

    def records(self, *, with_data: bool = True) -> Iterator[Record]:
        """Yield the complete records in order.

        Parameters
        ----------
        with_data
            False to skip the data and their checksums, which is faster

        Raises
        ------
        FileFormatError
            if the file is not a recording
        """
        self.extent = Extent()
        with self._opened() as file:
            size = os.fstat(file.fileno()).st_size
            self._refuse_other_file(file.read(len(MAGIC)))
            self.extent.end = file.tell()
            while (sizes := _head_in(file, size)) is not None:
                kind, count, n_header, n_data = sizes
                header = file.read(n_header)
                data = file.read(n_data) if with_data else b""
                if not with_data:
                    file.seek(n_data, os.SEEK_CUR)
                check = file.read(CHECK.size)
                self.extent.end = file.tell()
                if with_data and CHECK.unpack(check)[0] != crc32(data, crc32(header)):
                    self.extent.damaged += 1
                    continue
                yield Record(kind, count, header, data)
            self.extent.is_cut = self.extent.end < size and not self._is_padded(file, size)

    @property
    def facts(self) -> Plain:
        """Facts about the scan, including later ones; empty without any."""
        facts: Plain = {}
        for record in self.records(with_data=False):
            if record.kind in (RecordKind.FACTS, RecordKind.NOTE):
                facts |= _facts_in(record.header)
        return facts

    @property
    def count(self) -> int:
        """Number of recorded frames or events."""
        records = self.records(with_data=False)
        return sum(each.count for each in records if each.kind == RecordKind.DATA)

    @property
    def n_bytes(self) -> int:
        """Size of the file [bytes]."""
        with self._opened() as file:
            return os.fstat(file.fileno()).st_size

    def _opened(self) -> BinaryIO:
        try:
            file = self.path.open("rb")
        except OSError as e:
            raise FileFormatError(
                f"{self.path.name}: the recording cannot be opened ({e.strerror or e}); check the "
                "permissions of its folder."
            ) from e
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise FileFormatError(f"{self.path.name}: not a file; give the file of a recording.")
        return file

    def _is_padded(self, file: BinaryIO, size: int) -> bool:
        """True if only zeros follow, which fill the last block of a direct write."""
        file.seek(self.extent.end)
        return size - self.extent.end < BLOCK and not any(file.read(BLOCK))

    def _refuse_other_file(self, begin: bytes) -> None:
        # A recording that was truncated within the first bytes is still a recording
        if not MAGIC.startswith(begin):
            raise FileFormatError(
                f"{self.path.name}: not a recording of a live scan; give a file that "
                "`isocenter live recordings` lists."
            )


def _head_in(file: BinaryIO, size: int) -> tuple[int, int, int, int] | None:
    """Return kind, count and sizes of the next record; None if it is incomplete."""
    head = file.read(HEAD.size + CHECK.size)
    if len(head) < HEAD.size + CHECK.size or head[: len(MARK)] != MARK:
        return None
    if CHECK.unpack(head[HEAD.size :])[0] != crc32(head[: HEAD.size]):
        return None
    _, kind, count, n_header, n_data = HEAD.unpack(head[: HEAD.size])
    # The size of the file limits the memory, even if its numbers are damaged
    left = size - file.tell() - CHECK.size
    is_possible = n_header <= MAX_HEADER_BYTES and n_data <= MAX_DATA_BYTES
    return (kind, count, n_header, n_data) if is_possible and n_header + n_data <= left else None


def _facts_in(header: bytes) -> Plain:
    try:
        facts = json.loads(header)
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}
