"""Seeded damage to files: bits, byte ranges, lengths, numbers, lines."""

from __future__ import annotations

import gzip
import re
import struct
import zlib
from collections.abc import Callable
from random import Random

Mutation = Callable[[bytes, Random], bytes]
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
NUMBERS = (
    *(b"0", b"-1", b"1", b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-308", b"1e999"),
    *(b"5.5", b"2147483648", b"4294967296", b"9223372036854775808", b"99999999999", b"0x10"),
    *(b"", b"1 2", b"1,5", b"\xd9\xa3", b"9" * 5000, b"12:30:00", b"true", b"''", b"1e18"),
)
WORDS = (b"../../x", b"/dev/zero", b"[" * 3000, b"a." * 3000, b"\x00", b"%s%n", b"A" * 70_000)
INTEGERS = (0, 1, 2**7, 2**15 - 1, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
FLOATS = (float("nan"), float("inf"), -1.0, 0.0, 1e308, 1e-308, -1e38, 1e38)
HEAD = 2048
"""Half of all damage is in the head, where most formats store their lengths."""


def _place(data: bytes, rng: Random) -> int:
    near = min(len(data), HEAD) if rng.random() < 0.5 else len(data)
    return rng.randrange(max(near, 1))


def _written(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def flip(data: bytes, rng: Random) -> bytes:
    """Flip some bits."""
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        damaged[_place(data, rng)] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def overwrite(data: bytes, rng: Random) -> bytes:
    """Overwrite a range with random bytes, zeros or ones."""
    n = rng.choice((1, 2, 4, 8, 16, 200))
    new = rng.choice((rng.randbytes(n), b"\0" * n, b"\xff" * n))
    return _written(data, _place(data, rng), new)


def cut(data: bytes, rng: Random) -> bytes:
    """End the file early."""
    return data[: rng.randrange(len(data))]


def remove(data: bytes, rng: Random) -> bytes:
    """Remove a range of bytes."""
    at = _place(data, rng)
    return data[:at] + data[at + rng.choice((1, 3, 8, 100)) :]


def repeat(data: bytes, rng: Random) -> bytes:
    """Repeat a range of bytes."""
    at = _place(data, rng)
    return data[:at] + data[at : at + rng.choice((1, 8, 100, 2000))] + data[at:]


def integer(data: bytes, rng: Random) -> bytes:
    """Write an extreme integer where a length or offset may be."""
    n_bytes = rng.choice((1, 2, 4, 8))
    value = rng.choice(INTEGERS) & (2 ** (8 * n_bytes) - 1)
    at = _place(data, rng) // n_bytes * n_bytes
    return _written(data, at, value.to_bytes(n_bytes, rng.choice(("little", "big"))))


def real(data: bytes, rng: Random) -> bytes:
    """Write an extreme floating-point number."""
    form, n_bytes = rng.choice((("<f", 4), ("<d", 8), (">f", 4), (">d", 8)))
    value = rng.choice(FLOATS)
    if n_bytes == 4 and abs(value) > 3e38:
        value = float("inf")
    return _written(data, _place(data, rng) // n_bytes * n_bytes, struct.pack(form, value))


def number(data: bytes, rng: Random) -> bytes:
    """Replace a number in a text."""
    found = list(NUMBER.finditer(data[:100_000]))
    if not found:
        return integer(data, rng)
    match = rng.choice(found)
    return data[: match.start()] + rng.choice(NUMBERS) + data[match.end() :]


def line(data: bytes, rng: Random) -> bytes:
    """Remove, double or swap a line, or insert a long text into it."""
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(other, lines[at])
    elif what == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at] += rng.choice(WORDS)
    return b"\n".join(lines)


ANY: tuple[Mutation, ...] = (flip, overwrite, cut, remove, repeat, integer, real)
TEXT: tuple[Mutation, ...] = (number, number, number, line, line)


def mutated(data: bytes, rng: Random) -> bytes:
    """Return data with one or a few damages; half of the packed files are damaged inside."""
    if data[:2] == b"\x1f\x8b" and rng.random() < 0.5:
        return gzip.compress(mutated(gzip.decompress(data), rng), 1)
    if data.startswith(b"MATLAB 5.0") and rng.random() < 0.5:
        return _inside_matlab(data, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        is_text = b"\0" not in data[:4096]
        mutation = rng.choice((*TEXT, *ANY) if is_text else (*ANY, number))
        data = mutation(data, rng) if data else data
    return data


def _inside_matlab(data: bytes, rng: Random) -> bytes:
    """Return a file with damage inside its packed variable."""
    content = mutated(zlib.decompress(data[136:]), rng)
    packed = zlib.compress(content)
    return data[:128] + struct.pack("<II", 15, len(packed)) + packed
