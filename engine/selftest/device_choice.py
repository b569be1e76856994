"""Choose the device of a run: a GPU is tested before its first use, and not used if it fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.core import backend
from engine.core.backend import Backend
from engine.core.backend.driver import NvidiaCard
from engine.core.backend.selftest_results import SelfTestResult, stored_result, tested_of, text_of
from engine.core.errors import EngineError
from engine.core.paths import made
from engine.io.safety.atomic_write import write_atomically

if TYPE_CHECKING:
    from engine.selftest.running import Finding

TESTING = "Testing the GPU (once for each card, driver and version)."


def named(
    name: str, threads: int | None = None, *, log: Callable[[str], None] | None = None
) -> Backend:
    """Return the device of this name; a GPU only if it passes the self-test.

    Parameters
    ----------
    name
        a name of `engine.core.backend.named`
    threads
        threads of the CPU; None: all available cores
    log
        called with a sentence before a self-test, which takes some seconds
    """
    return backend.named(name, threads, check=_check(log))


def best() -> Backend:
    """Return the fastest device of this machine: a GPU if one passes the self-test.

    Returns
    -------
    on
        the GPU, or the CPU with all its cores; `note` then states the reason if there is a driver

    Examples
    --------
    >>> import engine
    >>> engine.best().name in ("cuda", "cpu")
    True
    """
    return backend.best(_check(None))


def _check(log: Callable[[str], None] | None) -> backend.Check:
    def obstacle(on: Backend, card: NvidiaCard) -> str:
        verdict = stored_result(card)
        if verdict is None:
            # This import loads all kernels of the CPU, which takes seconds; CPU runs skip it.
            from engine.selftest.running import findings

            if log is not None:
                log(TESTING)
            found = tuple(findings(on))
            if any(finding.was_full for finding in found):
                # A full memory says nothing about the answers, so no verdict is stored and the next
                # run tests again.
                full = next(finding for finding in found if finding.was_full)
                return f"{card.name} could not be tested ({full.faults[-1].rstrip('.')})."
            verdict = keep(card, found)
        return verdict.words

    return obstacle


def keep(card: NvidiaCard, found: tuple[Finding, ...]) -> SelfTestResult:
    """Store the result of a self-test for this card, its driver, its libraries and our sources.

    Parameters
    ----------
    card
        tested card
    found
        findings of all families

    Returns
    -------
    SelfTestResult
        also if it could not be written
    """
    faults = tuple(f"{finding.name}: {fault}" for finding in found for fault in finding.faults)
    verdict = SelfTestResult(
        tested_of(card), faults, datetime.now(UTC).isoformat(timespec="seconds")
    )
    try:
        made(verdict.of.path.parent)
        write_atomically((text_of(verdict) + "\n").encode(), verdict.of.path)
    except EngineError:
        pass  # for example a full disk: the card is tested again next time
    return verdict
