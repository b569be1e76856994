"""Compound files (OLE2), written for tests as [MS-CFB] defines them: sectors of 512 bytes.

Streams are padded to 4096 bytes, because shorter ones would be in the mini stream.
"""

from __future__ import annotations

import struct
from pathlib import Path

SECTOR, SMALLEST, END, FREE, FAT = 512, 4096, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
STORAGE, STREAM, ROOT = 1, 2, 5


def write_compound(path: Path, streams: dict[str, bytes]) -> Path:
    """Write streams, each named by one storage and one stream: "ImageInfo/Angles"."""
    storages = sorted({name.split("/")[0] for name in streams})
    entries: list[list[object]] = [["Root Entry", ROOT, FREE, FREE, END, 0]]
    chains: list[bytes] = []
    first: dict[str, int] = {}
    start = 0
    for storage in storages:
        first[storage] = len(entries)
        entries.append([storage, STORAGE, FREE, FREE, 0, 0])
    for storage in storages:
        inside = sorted(name for name in streams if name.split("/")[0] == storage)
        entries[first[storage]][3] = len(entries)
        for k, name in enumerate(inside):
            data = streams[name].ljust(SMALLEST, b"\0")
            right = len(entries) + 1 if k + 1 < len(inside) else FREE
            entries.append([name.split("/")[1], STREAM, right, FREE, start, len(data)])
            chains.append(data.ljust(-(-len(data) // SECTOR) * SECTOR, b"\0"))
            start += len(chains[-1]) // SECTOR
    for k, storage in enumerate(storages[:-1]):
        entries[first[storage]][2] = first[storages[k + 1]]
    entries[0][3] = first[storages[0]]
    directory = b"".join(_entry(*entry) for entry in entries)
    directory = directory.ljust(-(-len(directory) // SECTOR) * SECTOR, b"\0")
    chains.append(directory)
    table: list[int] = []
    for chain in chains:
        n = len(chain) // SECTOR
        table += [*range(len(table) + 1, len(table) + n), END]
    n_tables = 1
    while -(-(len(table) + n_tables) // (SECTOR // 4)) > n_tables:
        n_tables += 1
    places = range(len(table), len(table) + n_tables)
    table += [FAT] * n_tables
    table += [FREE] * (n_tables * SECTOR // 4 - len(table))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6xI", 0x3E, 3, 0xFFFE, 9, 6, 0)
    head += struct.pack("<III", n_tables, start, 0)
    head += struct.pack("<IIIII", SMALLEST, END, 0, END, 0)
    listed = [*places, *[FREE] * (109 - n_tables)]
    body = b"".join(chains) + struct.pack(f"<{len(table)}I", *table)
    path.write_bytes(head + struct.pack("<109I", *listed) + body)
    return path


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    text = (name + "\0").encode("utf-16-le")
    fields = struct.pack("<HBBIII", len(text), kind, 1, FREE, right, child)
    return text.ljust(64, b"\0") + fields + bytes(36) + struct.pack("<IQ", start, size)
