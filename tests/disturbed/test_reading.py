"""Tests of reading from failing network shares: one sentence with the reason."""

from __future__ import annotations

import errno
import os

import pytest

from tests.disturbed.conftest import Reported
from tests.farm.formats import KINDS


@pytest.mark.slow
def test_share_lost_while_reading_gives_one_sentence(reported: Reported) -> None:
    found = reported("reading")
    assert {each["kind"] for each in found} == {kind.name for kind in KINDS}
    words = {"eio": os.strerror(errno.EIO), "stale": os.strerror(errno.ESTALE)}
    for each in found:
        assert not each["changed"], each
        if not each["is_look"]:
            assert each["verdict"] == "refused", each
            assert f"cannot be read ({words[each['how']]})" in each["text"], each


@pytest.mark.slow
def test_inspection_of_an_unreachable_file_gives_the_reason(reported: Reported) -> None:
    looks = [each for each in reported("reading") if each["is_look"]]
    assert len(looks) == len(KINDS)
    assert all(each["verdict"] == "read" for each in looks), looks
