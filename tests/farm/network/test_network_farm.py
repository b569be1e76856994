"""Tests of a few cases of the network farm, and of faults that it must detect."""

from __future__ import annotations

import json
from functools import partial
from random import Random

import numpy as np
import pytest

from engine.core.errors import DataError, EngineError
from engine.live.core.frame import Frame, FrameKind
from engine.live.core.message import read_message
from tests.farm.network.dicom_nodes import Answers, damaged_answers, recorded, responses
from tests.farm.network.kinds import KINDS, Kind
from tests.farm.network.laws import WrongValueError, true_frame
from tests.farm.network.messages import damaged, event_scan, frame_scan
from tests.farm.network.streams import NotHandledError, judge_arrivals
from tests.farm.runner import judge

pytestmark = pytest.mark.filterwarnings("ignore")
MESSAGES = [kind for kind in KINDS if kind.name.endswith("message")]


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.name)
def test_damaged_messages_are_read_or_refused(kind: Kind) -> None:
    for index in range(40):
        verdict, text = judge(partial(kind.act, Random(f"suite {index}")))
        assert verdict in ("read", "refused"), text


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_of_case_has_no_fault(kind: Kind) -> None:
    for index in range(3):
        verdict, text = judge(partial(kind.act, Random(f"suite {kind.name} {index}")))
        assert verdict in ("read", "refused"), text


def test_equal_case_numbers_give_equal_damage() -> None:
    for whole in (frame_scan(), event_scan()):
        once, again = (damaged(list(whole[1]), Random("1 x 5")) for _ in range(2))
        assert once == again


def test_accepted_wrong_value_is_a_fault() -> None:
    parts = frame_scan()[3]
    found = read_message(parts, 0.0)
    assert isinstance(found, Frame)
    true_frame(found, parts)
    other = json.dumps(json.loads(parts[0]) | {"frame": 7}).encode(), parts[1]
    with pytest.raises(WrongValueError, match="index: 0 was accepted, not 7"):
        true_frame(found, other)
    foreign = Frame(FrameKind.PROJECTION, 0, None, np.ones((2, 2), np.uint16), 0.0)
    with pytest.raises(WrongValueError, match="nobody sent"):
        judge_arrivals([foreign], [], frame_scan())


def test_scan_without_an_end_is_a_fault() -> None:
    with pytest.raises(NotHandledError, match="did not end"):
        judge_arrivals([], [], frame_scan())


def test_responses_are_parsed_from_their_bytes() -> None:
    def pdu(status: int) -> bytes:
        values = ((0x0000, 0), (0x0100, 0x8030), (0x0120, 1), (0x0900, status))
        elements = [b"\0\0" + e.to_bytes(2, "little") + b"\2\0\0\0" + v.to_bytes(2, "little")
                    for e, v in values]  # fmt: skip
        return b"\x04\0" + bytes(8) + b"\x01\x03" + b"".join(elements)

    found = responses([pdu(0), pdu(0xA700)])
    assert [(each.command, each.answered, each.status) for each in found] == [
        (0x8030, 1, 0),
        (0x8030, 1, 0xA700),
    ]


@pytest.mark.slow
def test_undamaged_answers_are_accepted() -> None:
    from engine.io.dicom import network
    from tests.farm.network.dicom_nodes import ACTS, node

    for name, act in ACTS.items():
        answers: Answers = [list(each) for each in recorded(name)]
        before = network.ECHO_S
        with node(answers, Random(3)) as there:
            act(there)
        assert before == network.ECHO_S
        assert damaged_answers(recorded(name), Random(1)) != answers


@pytest.mark.parametrize("angle", [10**4000, -(10**400), 1e308, float("nan"), True, "1"])
def test_unusable_angle_is_refused(angle: object) -> None:
    header = json.loads(frame_scan()[3][0]) | {"isocenter": {"angle_rad": angle}}
    with pytest.raises(DataError, match="'angle_rad' is"):
        read_message([json.dumps(header).encode(), frame_scan()[3][1]], 0.0)


@pytest.mark.parametrize("beam", [None, "fan", "CONE", float("nan"), True, ["cone"]])
def test_unknown_beam_is_refused(beam: object) -> None:
    header = json.loads(frame_scan()[0][0])
    header["isocenter"]["beam"] = beam
    with pytest.raises(DataError, match="expected 'cone' or 'parallel'"):
        read_message([json.dumps(header).encode(), frame_scan()[0][1]], 0.0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e308, -2e6])
def test_coordinates_beyond_a_kilometre_are_refused(value: float) -> None:
    header, data = frame_scan()[0]
    vectors = np.frombuffer(data, "<f8").copy()
    vectors[7] = value
    with pytest.raises(DataError, match="coordinates that are not numbers"):
        read_message([header, vectors.tobytes()], 0.0)


def test_refusal_is_not_a_fault() -> None:
    def refuse() -> None:
        raise EngineError("the message is damaged; check the sending program.")

    assert judge(refuse)[0] == "refused"
