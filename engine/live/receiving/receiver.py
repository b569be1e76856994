"""Messages of one stream from a receiving process, which is monitored and restarted.

The process selects the sender of the scan, and checks headers and sizes. This module forwards its
messages and reports. A process that ends or does not answer is replaced. The scan continues,
because the new process knows the sender.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict
from threading import Event
from time import monotonic
from typing import NamedTuple

from engine.core.errors import ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.live.core.frame import Noticed, Resumed, SourceEvent, SourceLost, Waiting
from engine.live.core.message import Buffer
from engine.live.core.senders import RefusedSender
from engine.live.core.zeromq import listens
from engine.live.receiving.child import Child
from engine.live.receiving.wire import MESSAGE, Item, Stream

POLL_S = 0.1
QUIET_S = 5.0
"""Time without data until the user is informed."""
START_S = 60.0
"""Time limit for opening the socket."""
ANSWER_S = 10.0
"""Time limit without a report of the process, which reports every second."""
MAX_REFUSALS = 5
"""Maximum number of reported refusals, and of reported restarts."""
PAUSE_S = 1.0
"""Minimum time between two starts of the process."""


class Received(NamedTuple):
    """A message of the sender of the scan.

    Attributes
    ----------
    parts : header and data; the data are not copied
    arrived_s : time of arrival, by `time.monotonic` [s]
    text : sentence if another sender follows; otherwise empty
    follows : True if another sender follows, which starts another scan
    has_reconnected : True if the sender has a new connection
    """

    parts: Sequence[Buffer]
    arrived_s: float
    text: str = ""
    follows: bool = False
    has_reconnected: bool = False


class Receiver:
    """Receives the messages of a stream.

    Parameters
    ----------
    stream : address and kind
    noun : name of the data in messages to the user, such as "frame"

    Attributes
    ----------
    refused : refused senders, except one that the user has chosen
    summary : sentence about refused messages; empty without any
    """

    def __init__(self, stream: Stream, noun: str) -> None:
        self._stream, self._name, self._noun = stream, stream.address, noun
        self.refused: tuple[RefusedSender, ...] = ()
        self.summary = ""
        self._chosen: Plain | None = None
        self._required = ""
        self._announced: list[str] = []
        self._n_invalid = self._n_restarts = 0
        self._is_open = False
        self._started_s = self._last_s = 0.0
        self._is_quiet = True
        self._child: Child | None = None

    def arrivals(self, stop: Event) -> Generator[Received | SourceEvent, None, None]:
        """Yield messages and events until `stop` is set; close the iterator to end earlier.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration

        Raises
        ------
        SettingsError
            if the address is not valid
        ResourceError
            if the address cannot be opened, or the process cannot be started
        """
        self._start()
        try:
            while not stop.is_set():
                item = self._next_report()
                if isinstance(item, str):
                    yield from self._restarted(item, stop)
                elif item is not None and item.facts is MESSAGE:
                    self._last_s, self._is_quiet = monotonic(), False
                    yield Received((item.header, item.data), item.at_s)
                elif item is not None:
                    yield from self._handled(item)
        finally:
            if self._child is not None:
                self._child.end()

    def remember_announcement(self, parts: Sequence[Buffer]) -> None:
        """Store an announcement, because a new process needs it to check the data.

        Parameters
        ----------
        parts
            message of the announcement
        """
        self._announced = [b64encode(part).decode() for part in parts]

    def use(self, identity: str) -> None:
        """Accept only one sender from now on.

        Parameters
        ----------
        identity
            identity of a refused sender
        """
        self._required = identity
        self.refused = tuple(each for each in self.refused if each.identity != identity)
        if self._child is not None:
            self._child.send_command({"required": identity})

    def invalid(self, text: str) -> Iterator[Noticed]:
        """Yield an event about an unreadable message, for the first few of them.

        Parameters
        ----------
        text
            problem and remedy
        """
        self._n_invalid += 1
        if self._n_invalid <= MAX_REFUSALS:
            more = " Further ones are not reported." if self._n_invalid == MAX_REFUSALS else ""
            yield Noticed(
                f"{self._name}: message refused: {text} Check that the sender uses the "
                f"format in the guide.{more}"
            )

    def _start(self) -> None:
        given: Plain = {
            "stream": asdict(self._stream),
            "chosen": self._chosen,
            "required": self._required,
            "announced": self._announced,
        }
        self._is_open = False
        self._started_s = monotonic()
        self._child = Child(given, self._name)

    def _next_report(self) -> Item | str | None:
        """Return the next report; a sentence with the reason if a new process is needed."""
        child = self._child
        if child is None:
            return None
        try:
            item = child.take(POLL_S)
        except EOFError:
            return f"It has ended ({child.ending})."
        if item is not None:
            return item
        most = ANSWER_S if self._is_open else START_S
        if monotonic() - child.reported_s > most:
            child.end(at_once=True)
            return f"It did not answer for {most:g} s."
        return None

    def _restarted(self, reason: str, stop: Event) -> Iterator[SourceEvent]:
        if not self._is_open and not self._n_restarts:
            raise ResourceError(
                f"{self._name}: the process that receives messages cannot be started. {reason} "
                "Close other programs and start again."
            )
        if self._child is not None:
            self._child.end(at_once=True)
        self._n_restarts += 1
        if self._n_restarts <= MAX_REFUSALS:
            more = " Further restarts are not reported." * (self._n_restarts == MAX_REFUSALS)
            yield Noticed(
                f"{self._name}: the process that receives messages was started again. {reason} "
                f"Messages in transit can be lost.{more}"
            )
        # Do not restart in a fast loop if the process ends immediately
        if monotonic() - self._started_s < PAUSE_S:
            stop.wait(PAUSE_S)
        self._start()

    def _handled(self, item: Item) -> Iterator[Received | SourceEvent]:
        facts = item.facts
        match facts.get("event"):
            case "message":
                self._last_s, self._is_quiet = monotonic(), False
                self._chosen = facts.get("chosen", self._chosen)
                yield Received(
                    (item.header, item.data),
                    item.at_s,
                    str(facts.get("text", "")),
                    bool(facts.get("follows", False)),
                    bool(facts.get("has_reconnected", False)),
                )
            case "alive":
                yield from self._quiet()
            case "open":
                self._is_open = True
                if not self._n_restarts:
                    yield Waiting(
                        f"{self._name}: the program waits for {self._noun}s.{self._listening}"
                    )
            case "presence":
                yield self._presence(bool(facts["is_disconnected"]))
            case "refused":
                yield Noticed(f"{self._name}: messages are refused. {facts['text']}")
            case "noticed":
                yield Noticed(f"{self._name}: {facts['text']}")
            case "invalid":
                yield from self.invalid(str(facts["text"]))
            case "senders":
                found = (RefusedSender(**each) for each in facts["refused"])
                self.refused = tuple(each for each in found if each.identity != self._required)
                self.summary = str(facts["summary"])
            case "fault":
                # After a restart, the port may still be in use
                if self._n_restarts and not facts["is_setting"]:
                    return
                kind = SettingsError if facts["is_setting"] else ResourceError
                raise kind(str(facts["text"]))

    def _quiet(self) -> Iterator[Waiting]:
        if not self._is_quiet and monotonic() - self._last_s > QUIET_S:
            self._is_quiet = True
            yield Waiting(f"{self._name}: no {self._noun} for {QUIET_S:g} s. Waiting for more.")

    def _presence(self, is_disconnected: bool) -> SourceEvent:
        if not is_disconnected:
            return Resumed(f"{self._name}: a sender is connected again.")
        return SourceLost(
            f"{self._name}: the sender has disconnected. {self._noun.capitalize()}s "
            "continue when it returns."
        )

    @property
    def _listening(self) -> str:
        if not (listens(self._name) and self._name.startswith("tcp:")):
            return ""
        keys = len(self._stream.sender_keys)
        if self._stream.network and keys:
            return f" It listens on all networks. Allowed sender keys: {keys}."
        if self._stream.network:
            return " It listens on all networks. Senders on other computers need a token."
        if keys:
            return f" It accepts only senders on this computer. Allowed sender keys: {keys}."
        return (
            " It accepts only senders on this computer. To accept senders on other computers, add "
            "--network, or check the box in the window."
        )
