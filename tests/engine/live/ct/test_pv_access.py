"""Tests of the EPICS PVAccess source with the detector simulator of pvapy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import h5py
import numpy as np
import pytest

from engine.core.errors import DataError, SettingsError
from engine.live.core.frame import Arrival, Frame, FrameKind, Resumed, SourceLost
from engine.live.ct.opening import open_source
from engine.live.ct.sources.array_fields import angle_of, kind_of_array, values_of
from tests.engine.live.ct.live_scans import collected, frames_of, texts_of, until

HAS_PVAPY = find_spec("pvaccess") is not None
CHANNEL = "isocenter-test:image"
N = 40
HERE = {
    "EPICS_PVA_ADDR_LIST": "127.0.0.1",
    "EPICS_PVA_AUTO_ADDR_LIST": "NO",
    "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1",
}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit channels to this machine and to ports of this test."""
    ports = {
        "SERVER_PORT": 15075 + os.getpid() % 1000,
        "BROADCAST_PORT": 17075 + os.getpid() % 1000,
    }
    for name, value in HERE.items():
        monkeypatch.setenv(name, value)
    for name, port in ports.items():
        monkeypatch.setenv(f"EPICS_PVA_{name}", str(port))
        monkeypatch.setenv(f"EPICS_PVAS_{name}", str(port))


def served(path: Path) -> subprocess.Popen[bytes]:
    """Start the simulator with the frames of a file in a loop."""
    words = ["-cn", CHANNEL, "-if", str(path), "-hds", "exchange/data", "-fps", "100"]
    more = ["-rt", "60", "-std", "2", "-dc", "-rp", "0"]
    return subprocess.Popen(
        [sys.executable, "-m", "pvapy.cli.adSimServer", *words, *more], stdout=subprocess.DEVNULL
    )


@pytest.mark.skipif(not HAS_PVAPY, reason="pvapy is not installed (isocenter[epics])")
@pytest.mark.usefixtures("here")
@pytest.mark.slow
def test_frames_of_a_simulated_detector_arrive_also_after_a_restart(tmp_path: Path) -> None:
    frames = np.stack([np.full((6, 10), 1000 + k, np.uint16) for k in range(N)])
    with h5py.File(tmp_path / "sim.h5", "w") as file:
        file["exchange/data"] = frames
    arrivals: list[Arrival] = []
    servers = [served(tmp_path / "sim.h5")]
    try:
        for each in until(open_source(f"pva://{CHANNEL}"), _is_enough(arrivals), 40):
            arrivals.append(each)
            if len(frames_of(arrivals)) == N and len(servers) == 1:
                servers[0].kill()
            if isinstance(each, SourceLost):
                servers.append(served(tmp_path / "sim.h5"))
    finally:
        for server in servers:
            server.kill()
            server.wait()
    actual = frames_of(arrivals)
    first = int(actual[0].values[0, 0]) - 1000
    before = next(k for k, each in enumerate(arrivals) if isinstance(each, SourceLost))
    for each in frames_of(arrivals[:before]):
        assert each.values.shape == (6, 10)
        assert (each.values == 1000 + (first + each.index) % N).all()
    text = texts_of(arrivals)
    assert "the channel is lost. Frames continue when it returns" in text
    assert "the channel is available again" in text


def _is_enough(arrivals: list[Arrival]) -> Callable[[Arrival], bool]:
    """Return a test for frames of the second server."""

    def enough(arrival: Arrival) -> bool:
        has_resumed = any(isinstance(each, Resumed) for each in arrivals)
        return has_resumed and isinstance(arrival, Frame)

    return enough


@pytest.mark.skipif(HAS_PVAPY, reason="pvapy is installed")
def test_missing_library_gives_one_sentence_with_the_install_command() -> None:
    with pytest.raises(SettingsError, match=r"pip install 'isocenter\[epics\]'"):
        collected(open_source("pva://channel"))


def array(**changes: object) -> dict[str, object]:
    """Return the fields of an NTNDArray, as pvapy returns them."""
    return {
        "codec": {"name": ""},
        "dimension": [{"size": 10}, {"size": 6}],
        "value": ({"ushortValue": np.arange(60, dtype=np.uint16)},),
        "attribute": [],
        **changes,
    }


def attributes(**values: object) -> list[dict[str, object]]:
    return [{"name": name, "value": ({"value": value},)} for name, value in values.items()]


def test_values_kind_and_angle_are_read_from_fields_and_attributes() -> None:
    np.testing.assert_array_equal(values_of(array()), np.arange(60).reshape(6, 10))
    flagged = array(attribute=attributes(SaveDest="/exchange/data_dark", SampleRotary=90.0))
    assert kind_of_array(flagged) == FrameKind.DARK
    assert angle_of(flagged) == pytest.approx(np.pi / 2)
    assert kind_of_array(array(attribute=attributes(ImageKey=1))) == FrameKind.FLAT
    assert kind_of_array(array()) == FrameKind.PROJECTION
    assert angle_of(array(attribute=attributes(theta=float("nan")))) is None


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"codec": {"name": "lz4"}}, "compressed"),
        ({"dimension": [{"size": 3}, {"size": 10}, {"size": 2}]}, "has 3 axes"),
        ({"dimension": [{"size": 10}, {"size": 7}]}, "has 60 values of type uint16"),
        ({"value": ()}, "has 0 values"),
    ],
)
def test_arrays_that_are_not_grey_images_are_refused(
    changes: dict[str, object], match: str
) -> None:
    with pytest.raises(DataError, match=match):
        values_of(MappingProxyType(array(**changes)))
