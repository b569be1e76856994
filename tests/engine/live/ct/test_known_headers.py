"""Test that headers recognised without parsing give the same result as the parser.

Cases, listed before the code was written:

- number and angle differ, in any order and spacing, with a token and unknown keys;
- the number occurs twice, in another part, or in a text; the angle is in another place;
- a constant angle, in every JSON form;
- numbers that are invalid in JSON, too long, or out of range;
- values of another size; a header that is too long;
- any change of a known header: the same result, or the same refusal, as without a known one.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from engine.core.errors import DataError
from engine.live.core import message
from engine.live.core.frame import Frame
from engine.live.core.known_headers import KnownHeaders
from engine.live.core.message import MAX_HEADER_BYTES, OURS, known_header, read_message

DATA = np.arange(1, 13, dtype=np.uint16).tobytes()
PLAIN = '{"frame": %d, "image_attributes": {"scan_index": 2}, "shape": [3, 4], "type": "uint16"}'
FULL = (
    '{"isocenter":{"angle_rad" : %s,"token":"a.b*c"}, "unknown": [1, {"x": "}"}], "type":"uint16",'
    '\n"shape":[3, 4], "frame":%d ,"image_attributes": {"scan_index": 1}}'
)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message, "_KNOWN", KnownHeaders(OURS))


def read(header: str, data: bytes = DATA) -> tuple[object, ...] | str:
    """Return the facts of a frame, or the sentence that refuses it."""
    try:
        frame = read_message((header.encode(), data), 1.5, 3)
    except DataError as e:
        return str(e)
    if not isinstance(frame, Frame):
        return type(frame).__name__
    values = frame.values
    return (
        frame.kind, frame.index, frame.angle_rad, values.tobytes(), values.shape, values.dtype,
        values.flags.writeable, frame.arrived_s, frame.lost, frame.scan,
    )  # fmt: skip


def read_unknown(header: str, data: bytes = DATA) -> tuple[object, ...] | str:
    message._KNOWN = KnownHeaders(OURS)
    return read(header, data)


@pytest.mark.parametrize("index", [0, 7, 41, 10**14, 10**15 - 1])
@pytest.mark.parametrize(
    "angle", ["0", "-0.52", "1e-05", "0.5235987755982988", "3E2", "-12", "1e+0"]
)
def test_headers_that_differ_in_number_and_angle_are_recognised(index: int, angle: str) -> None:
    for known in (lambda k, _: PLAIN % k, lambda k, a: FULL % (a, k)):
        read(known(3, "0.25"))
        assert known_header(known(3, "0.25").encode()) is None, (
            "a single header was already recognised"
        )
        read(known(4, "0.5"))
        header = known(index, angle)
        assert known_header(header.encode()) is not None
        assert read(header) == read_unknown(header)


@pytest.mark.parametrize(
    "header",
    [
        '{"frame": %d, "frame": 9, "image_attributes": {"scan_index": 2}, "shape": [3, 4], '
        '"type": "uint16"}',
        '{"x": {"frame": %d}, "frame": 9, "image_attributes": {"scan_index": 2}, '
        '"shape": [3, 4], "type": "uint16"}',
        '{"x": "\\"frame\\": %d}", "frame": 9, "image_attributes": {"scan_index": 2}, '
        '"shape": [3, 4], "type": "uint16"}',
        '{"angle_rad": %d, "frame": 9, "image_attributes": {"scan_index": 2}, '
        '"shape": [3, 4], "type": "uint16"}',
        '{"isocenter": {"angle_rad": %d, "angle_rad": 1}, "frame": 9, "image_attributes": '
        '{"scan_index": 2}, "shape": [3, 4], "type": "uint16"}',
    ],
)
def test_numbers_that_mean_something_else_are_parsed(header: str) -> None:
    for k in range(4):
        found = read(header % k)
        assert isinstance(found, tuple) and found[1] == 9
    assert known_header((header % 5).encode()) is None


@pytest.mark.parametrize(
    "number", ["007", "-1", "+1", "1.0", "1e2", "٣", "9" * 16, "9" * 17, "1 2"]
)
def test_numbers_of_another_form_are_parsed(number: str) -> None:
    for k in range(3):
        read(PLAIN % k)
    header = PLAIN.replace("%d", number)
    assert known_header(header.encode()) is None
    assert read(header) == read_unknown(header)


@pytest.mark.parametrize("angle", ["1.570796e+00", "12E+1", "0." + "1" * 31])
@pytest.mark.parametrize("key", ["angle_rad", "angle\\u005frad"])
def test_repeated_angles_of_any_form_are_read(angle: str, key: str) -> None:
    header = FULL.replace("angle_rad", key)
    for k in range(4):
        found = read(header % (angle, k))
        assert isinstance(found, tuple) and found[2] == float(angle)


@pytest.mark.parametrize("angle", ["1e7", "-1e99", "1e999", "NaN", "01", ".5", "5.", "1e", "--1"])
def test_angles_out_of_range_or_of_another_form_are_refused(angle: str) -> None:
    for k in range(3):
        read(FULL % (f"0.{k}", k))
    found = read(FULL % (angle, 3))
    assert isinstance(found, str) and found == read_unknown(FULL % (angle, 3))


def test_values_of_another_size_and_long_headers_are_refused() -> None:
    for k in range(3):
        read(PLAIN % k)
    assert "23 bytes of values" in read(PLAIN % 3, DATA[:-1])
    long = PLAIN.replace("uint16", 'uint16", "x": "' + "y" * (MAX_HEADER_BYTES - 100))
    for k in range(3):
        assert isinstance(read(long % k), tuple)
    short = len((long % 1).encode())
    longest = long.replace('"x"', '"x' + "y" * (MAX_HEADER_BYTES - short) + '"')
    for k in range(3):
        assert isinstance(read(longest % k), tuple)
    assert "at most 65,536 are allowed" in read(longest % 10)


def test_any_change_of_a_known_header_is_read_as_without_one() -> None:
    random, n_read, n_known = Random(7), 0, 0
    letters = '0123456789"{}[],:.-eE \\ntrue'
    for round_ in range(3000):
        make = (lambda k: PLAIN % k) if round_ % 2 else (lambda k: FULL % (f"0.{k}", k))
        message._KNOWN = KnownHeaders(OURS)
        for k in range(2):
            read(make(k))
        text = list(make(random.randrange(10**6)))
        for _ in range(random.randrange(3)):
            at = random.randrange(len(text))
            text[at : at + random.randrange(2)] = random.choice(letters)
        header = "".join(text)
        n_known += known_header(header.encode()) is not None
        found = read(header)
        n_read += isinstance(found, tuple)
        assert found == read_unknown(header), header
    assert n_known > 900 and n_read - n_known > 100 and n_read < 2500
