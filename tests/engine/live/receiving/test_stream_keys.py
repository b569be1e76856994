"""Tests of the keys of live streams: only senders with an allowed key are accepted.

Cases, listed before the code was written:

- the sender has an allowed key, reconnects from another port, and continues;
- the sender has another key: named, not accepted;
- the sender has no key: reported, not accepted;
- a stranger without CURVE claims the key of the sender in its greeting (User-Id);
- the sender is a scan that `live send` sends with the key of the receiver;
- the file of the key pair: created once, private, readable by others, damaged;
- key lists: one key, a list of ours, a ZeroMQ certificate, comments, no key, no file;
- a list in the settings applies only to network connections;
- pyzmq without CURVE.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
import zmq
import zmq.auth

from engine.core.errors import EngineError, ResourceError, SettingsError
from engine.live.core.frame import Ended
from engine.live.core.message import message_of_end
from engine.live.core.stream_keys import allowed_keys, checked_key, stream_key
from engine.live.core.zeromq import ClientKeys
from engine.live.ct.sending import Sending, send
from engine.live.ct.sources.stream import StreamSource
from tests.engine.live.ct.live_scans import collected, scan
from tests.engine.live.receiving.test_receiving_process import Running, projection
from tests.engine.live.receiving.test_receiving_process import send as put


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


class Keyed(Running):
    """A source that accepts one key."""

    def __init__(self) -> None:
        self.public, self.secret = zmq.curve_keypair()
        super().__init__()

    def source_at(self, address: str) -> StreamSource:
        return StreamSource(address, sender_keys=(self.public.decode(),))

    def keyed(self, public: bytes, secret: bytes) -> zmq.Socket:
        options = {zmq.CURVE_SERVERKEY: stream_key().public.encode()}
        return self.sender(options | {zmq.CURVE_PUBLICKEY: public, zmq.CURVE_SECRETKEY: secret})


@pytest.fixture
def line() -> Iterator[Keyed]:
    keyed = Keyed()
    yield keyed
    keyed.end()


def test_only_the_allowed_key_is_accepted_also_from_another_address(line: Keyed) -> None:
    stranger, unknown = line.sender(), line.keyed(*zmq.curve_keypair())
    first = line.keyed(line.public, line.secret)
    put(first, [projection(k) for k in range(3)])
    line.until(lambda: len(line.frames) == 3)
    line.until(lambda: "is not allowed" in line.texts and "A connection has failed" in line.texts)
    assert not stranger.poll(50, zmq.POLLOUT) and not unknown.poll(50, zmq.POLLOUT)
    first.close(0)
    again = line.keyed(line.public, line.secret)
    put(again, [*(projection(k) for k in range(3, 6)), message_of_end(6)])
    line.until(lambda: isinstance(line.arrivals[-1], Ended))
    assert [each.index for each in line.frames] == list(range(6))
    assert {each.scan for each in line.frames} == {0}


def test_connection_that_closes_before_its_key_is_not_called_refused(line: Keyed) -> None:
    socket.create_connection(("127.0.0.1", line.port)).close()
    line.until(lambda: "closed its connection before it sent its key" in line.texts)
    assert "not allowed" not in line.texts


def test_claimed_key_is_not_accepted() -> None:
    line = Running()
    detector = line.sender()
    put(detector, [projection(0)])
    line.until(lambda: line.frames)
    claim = b"\x07User-Id" + (40).to_bytes(4, "big") + b"k" * 40
    ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x04PUSH" + claim
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
    header, data = (bytes(each) for each in projection(1))
    with socket.create_connection(("127.0.0.1", line.port)) as stranger:
        stranger.sendall(greeting)
        assert stranger.recv(64)  # the greeting of the peer
        time.sleep(0.1)
        stranger.sendall(b"\x04" + bytes([len(ready)]) + ready)
        long = b"\x02" + len(data).to_bytes(8, "big") + data
        stranger.sendall(b"\x01" + bytes([len(header)]) + header + long)
        line.until(lambda: line.source._receiver.refused)
    (refused,) = line.source._receiver.refused
    assert refused.identity == refused.name and "k" * 40 not in line.texts
    line.end()
    assert len(line.frames) == 1


@pytest.mark.slow
def test_stored_scan_is_sent_with_keys() -> None:
    own = stream_key()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    keys = ClientKeys(own.public, own.public, own.secret)
    how = Sending(f"tcp://*:{port}", keys=keys)
    messages: list[str] = []
    stop = Event()
    sending = Thread(
        target=lambda: send(scan(), how, stop=stop, on_event=messages.append), daemon=True
    )
    sending.start()
    source = StreamSource(f"tcp://127.0.0.1:{port}", sender_keys=(own.public,))
    arrivals = collected(source)
    stop.set()
    sending.join(10)
    assert isinstance(arrivals[-1], Ended) and "24 were received" in arrivals[-1].text
    assert "1 sender" not in arrivals[0].text and "the token of this sender is" in "".join(messages)


def test_key_pair_is_created_once_and_private(home: Path) -> None:
    first = stream_key()
    assert stream_key() == first and first.public != first.secret
    path = home / "key" / "stream.key"
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o644)
        with pytest.raises(ResourceError, match="Other users can read this file"):
            stream_key()
        path.chmod(0o600)
    path.write_text("damaged")
    with pytest.raises(SettingsError, match="not a key pair"):
        stream_key()


def test_lists_of_keys_are_read(tmp_path: Path) -> None:
    keys = [zmq.curve_keypair()[0].decode() for _ in range(3)]
    listed = tmp_path / "senders.txt"
    listed.write_text(f"# detectors\n{keys[0]} table 1\n\n  {keys[1]}\nno key\n")
    certificate = zmq.auth.create_certificates(tmp_path, "detector")[0]
    found = allowed_keys((keys[2], str(listed), certificate, keys[0]), network=False)
    assert found[:3] == (keys[2], keys[0], keys[1]) and len(found) == 4
    assert found[3] == zmq.auth.load_certificate(certificate)[0].decode()
    listed.write_text("nothing")
    for wrong, text in ((str(listed), "no public key found"), ("x" * 39, "neither a public key")):
        with pytest.raises(SettingsError, match=text):
            allowed_keys((wrong,), network=False)


def test_key_list_in_the_settings_applies_to_the_network(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = stream_key().public
    assert allowed_keys((), network=True) == ()
    (home / "key" / "allowed-senders.txt").write_text(key)
    assert allowed_keys((), network=True) == (key,)
    assert allowed_keys((), network=False) == ()
    reason = "Everybody may write to it."
    monkeypatch.setattr("engine.live.core.stream_keys.privacy_fault", lambda _: reason)
    with pytest.raises(ResourceError, match=r"cannot be used\. Everybody may write to"):
        allowed_keys((), network=True)


def test_zeromq_without_curve_gives_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    key = zmq.curve_keypair()[0].decode()
    monkeypatch.setattr(zmq, "has", lambda _: False)
    for call in (stream_key, lambda: checked_key(key), lambda: allowed_keys((key,), network=False)):
        with pytest.raises(EngineError, match="does not support CURVE"):
            call()


@pytest.mark.parametrize("text", ["", "short", "x" * 41, "é" * 40, sys.executable])
def test_text_that_is_not_a_key_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="not a public key"):
        checked_key(text)
