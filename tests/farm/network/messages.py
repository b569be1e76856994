"""Valid messages of small scans, and seeded damage to them.

The kinds of damage, listed before the code:

- bytes flipped, overwritten, cut, removed, repeated, lengthened, in header and data
- a header field replaced: other types, huge and negative numbers, deep and long values; a field
  left out, doubled, or added
- deep JSON, long JSON, other encodings, a byte order mark, a pickle
- wrong numbers of parts, swapped parts, empty parts, parts of another message
- declared sizes that are huge, or do not fit the data
- order: messages of a scan swapped, repeated, left out
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np

from engine.core.json_types import Plain
from engine.live.core.frame import FrameKind
from engine.live.core.message import message_of, message_of_end, message_of_geometry
from engine.live.ct.playing import Played
from engine.live.pet.event_message import message_of_events, message_of_head
from tests.engine.live.ct.running_scan import cone, counts_of
from tests.engine.live.pet.running_events import scan
from tests.farm.mutation import mutated

Parts = list[bytes]
N_PROJECTIONS = 12
EVENTS_PER_MESSAGE = 250
DEEP: Any = None
for _ in range(60):
    DEEP = [DEEP]
VALUES: tuple[Any, ...] = (
    *(None, True, False, "", "x", "\0", "\x1b]0;x\x07", "A" * 70_000, "../../x", [], {}, DEEP),
    *(-1, 0, 1, 2, 255, 2**31, 2**32, 2**53, 2**53 + 1, 2**63, 2**64, -(2**63), 10**4000),
    *(0.5, -0.0, 1e308, -1e308, 1e-308, float("nan"), float("inf"), -float("inf")),
    *([1], [1, 1], [65_536] * 3, [2**31] * 2, [-1, -1], [0, 0], ["1", "1"], [1] * 60_000),
    *("uint16", "float64", "O", "V8", "i4,f4", "complex128", ">u2", "<f8", "bool", "M8[s]", "S4"),
    *("geometry", "end", "list mode", "events", {"announce": "end", "sent": -1}, {"isocenter": 1}),
)


def frame(kind: FrameKind, index: int, values: np.ndarray, angle: float | None = None) -> Parts:
    """Return the message of a frame."""
    return [bytes(part) for part in message_of(Played(kind, index, angle, values))]


@cache
def frame_scan(n: int = N_PROJECTIONS) -> tuple[tuple[bytes, bytes], ...]:
    """Return the messages of a small X-ray scan: geometry, dark, flat, projections, end."""
    geometry = cone(n)
    dark, flat = np.full(geometry.shape, 100, np.uint16), np.full(geometry.shape, 50_100, np.uint16)
    made = [
        [bytes(part) for part in message_of_geometry(geometry)],
        frame(FrameKind.DARK, 0, dark),
        frame(FrameKind.FLAT, 0, flat),
        *(
            frame(FrameKind.PROJECTION, k, each, float(geometry.angles_rad[k]))
            for k, each in enumerate(counts_of(geometry))
        ),
        [bytes(part) for part in message_of_end(n)],
    ]
    return tuple((parts[0], parts[1]) for parts in made)


@cache
def event_scan(n: int = 3000) -> tuple[tuple[bytes, bytes], ...]:
    """Return the messages of a small list-mode scan: scanner, events, end."""
    data = scan(n)
    firsts = range(0, data.n_events, EVENTS_PER_MESSAGE)
    made = [
        message_of_head(data),
        *(message_of_events(data.select(slice(k, k + EVENTS_PER_MESSAGE)), k) for k in firsts),
        message_of_end(data.n_events),
    ]
    return tuple((bytes(parts[0]), bytes(parts[1])) for parts in made)


def damaged(parts: Parts, rng: Random) -> Parts:
    """Return a message damaged once or a few times."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        parts = rng.choice(DAMAGES)(list(parts), rng) if parts else parts
    return parts


def _header_bytes(parts: Parts, rng: Random) -> Parts:
    return [mutated(parts[0], rng), *parts[1:]]


def _data_bytes(parts: Parts, rng: Random) -> Parts:
    return [*parts[:-1], mutated(parts[-1], rng)] if parts[-1] else parts


def _longer(parts: Parts, rng: Random) -> Parts:
    at, n = rng.randrange(len(parts)), rng.choice((1, 2, 8, 1000, 70_000))
    parts[at] += rng.choice((bytes(n), b" " * n, rng.randbytes(n)))
    return parts


def _field(parts: Parts, rng: Random) -> Parts:
    """Replace, remove, double or add a field at any depth of the header."""
    header = _json(parts[0])
    if not isinstance(header, dict) or not header:
        return _odd_header(parts, rng)
    table = header
    while isinstance(inner := table[rng.choice(list(table))], dict) and inner:
        table = inner
    key = rng.choice(list(table))
    what = rng.randrange(6)
    if what == 0:
        del table[key]
    elif what == 1:
        table[rng.choice(("token", "x", "announce", "shape", ""))] = rng.choice(VALUES)
    elif what == 2 and isinstance(table[key], list) and table[key]:
        table[key][rng.randrange(len(table[key]))] = rng.choice(VALUES)
    else:
        table[key] = rng.choice(VALUES)
    text = json.dumps(header).encode()
    if rng.random() < 0.1:  # the same key twice, which JSON allows
        text = text[:-1] + b', "shape": [1, 1], "frame": 3}'
    return [text, *parts[1:]]


def _odd_header(parts: Parts, rng: Random) -> Parts:
    header, n = parts[0], rng.choice((50, 5000, 60_000))
    odd = (
        *(b"[" * n, b'{"a":' * n, b"[" * n + b"]" * n, b"9" * n, b'"' + b"\\u0000" * n, b" " * n),
        *(b"\xef\xbb\xbf" + header, header.decode("latin-1").encode("utf-16"), header * 2, b"null"),
        *(pickle.dumps({"frame": 1}), b"", b"\xff\xfe", b'{"frame": 1e999}', b"{}", b"NaN"),
        *(b'{"\\ud800": 1}', b'{"isocenter": "\\ud800"}', header.replace(b"1", "١".encode())),
    )
    return [rng.choice(odd), *parts[1:]]


def _parts(parts: Parts, rng: Random) -> Parts:
    """Change the number or the order of the parts."""
    whole = (
        *(parts[::-1], parts[:1], parts[1:], [*parts, b""], parts * 2, [b""], [b"", b""]),
        *([*parts, *parts, *parts], [parts[0], b""], [b"{}"] * 500, [parts[-1], *parts]),
    )
    return rng.choice(whole)


def _other_data(parts: Parts, rng: Random) -> Parts:
    """Give a message the data of another one."""
    other = rng.choice((*frame_scan(), *event_scan()))
    return [parts[0], other[1]] if rng.random() < 0.7 else [other[0], *parts[1:]]


def _json(text: bytes) -> Plain | None:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


DAMAGES: tuple[Callable[[Parts, Random], Parts], ...] = (
    *(_header_bytes, _header_bytes, _data_bytes, _longer, _field, _field, _field, _field),
    *(_odd_header, _parts, _other_data),
)


def damaged_scan(whole: tuple[tuple[bytes, bytes], ...], n: int, rng: Random) -> list[Parts]:
    """Return the messages of a scan with damaged ones between them, some in another order.

    Parameters
    ----------
    whole
        messages of a scan, the end last; the end is left out
    n
        number of damaged messages
    rng
        source of the damage
    """
    messages: list[Parts] = [list(each) for each in whole[:-1]]
    for _ in range(n):
        found = list(rng.choice(whole))
        damage = found if rng.random() < 0.15 else damaged(found, rng)  # some repeat undamaged
        messages.insert(rng.randint(0, len(messages)), damage or [b""])
    if rng.random() < 0.2:
        one, other = rng.randrange(len(messages)), rng.randrange(len(messages))
        messages[one], messages[other] = messages[other], messages[one]
    return messages
