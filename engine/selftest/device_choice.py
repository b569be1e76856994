"""The device of a run: a GPU is tested before its first use, and what fails is not used."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.core import backend
from engine.core.backend import Backend
from engine.core.backend.driver import NvidiaCard
from engine.core.backend.selftest_results import Verdict, tested_of, text_of, verdict_of
from engine.core.errors import EngineError
from engine.core.paths import made
from engine.io.safety.atomic_write import write_atomically

if TYPE_CHECKING:
    from engine.selftest.running import Finding

TESTING = "Testing the GPU, once for this card, driver and version."


def named(
    name: str, threads: int | None = None, *, say: Callable[[str], None] | None = None
) -> Backend:
    """Return the device of this name; a GPU only if it computes right.

    Names are those of `engine.core.backend.named`.

    say : told that a test begins, which takes some seconds
    """
    return backend.named(name, threads, check=_check(say))


def best() -> Backend:
    """Return the fastest device of this machine: a GPU if one answers and computes right.

    Returns
    -------
    on
        the GPU, or the CPU with all its cores; its `remark` then says why, where there is a driver

    Examples
    --------
    >>> import engine
    >>> engine.best().name in ("cuda", "cpu")
    True
    """
    return backend.best(_check(None))


def _check(say: Callable[[str], None] | None) -> backend.Check:
    def why_not(on: Backend, card: NvidiaCard) -> str:
        verdict = verdict_of(card)
        if verdict is None:
            # with all kernels of the CPU, which no run on the CPU is to wait for
            from engine.selftest.running import findings

            if say is not None:
                say(TESTING)
            found = tuple(findings(on))
            if any(finding.was_full for finding in found):
                full = next(finding for finding in found if finding.was_full)
                return f"{card.name} could not be tested ({full.faults[-1].rstrip('.')})."
            verdict = keep(card, found)
        return verdict.words

    return why_not


def keep(card: NvidiaCard, found: tuple[Finding, ...]) -> Verdict:
    """Keep what a test found, for this card, its driver, its libraries and our sources."""
    faults = tuple(f"{finding.name}: {fault}" for finding in found for fault in finding.faults)
    verdict = Verdict(tested_of(card), faults, datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        made(verdict.of.path.parent)
        write_atomically((text_of(verdict) + "\n").encode(), verdict.of.path)
    except EngineError:
        pass  # a full disk: the card is tested again next time
    return verdict
