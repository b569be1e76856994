"""The process of a search: it runs one request, sends events, and stops on request."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.jobs.process.side_process import (
    Refused,
    SideProcess,
    leave_signals_alone,
    run_commands,
    tell,
)
from engine.tools.tuning.outcome import SearchEvent
from engine.tools.tuning.request import SearchRequest
from engine.tools.tuning.search import Search, problem_of
from engine.tools.tuning.search_text import SearchEnded


@dataclass(frozen=True)
class SearchPrepared:
    """The tuning problem is known.

    Attributes
    ----------
    title : title of the kernel
    device : name of the device
    work : measured problem as text
    was_stored : True if a variant is stored already
    trials : file of trials
    facts : kernel, shape, parameters and default variant, for figures
    """

    title: str
    device: str
    work: str
    was_stored: bool
    trials: Path
    facts: Plain


Message = SearchPrepared | SearchEvent | SearchEnded | Refused


class SearchProcess(SideProcess[Message]):
    """One process with one search, started at once."""

    def __init__(self, request: SearchRequest) -> None:
        super().__init__(_main, request, name="isocenter-tuning")

    def stop(self) -> None:
        """Ask it to stop after the current run."""
        self.ask("stop")


def _main(request: SearchRequest, events: Connection, requests: Connection) -> None:
    leave_signals_alone()
    try:
        problem = (request.problem or problem_of)(request)
        search = Search(problem, request, lambda each: tell(events, each))
        # Before the search: a stop during the preparation counts, too
        run_commands(requests, lambda _: search.stop())
        tell(events, _prepared(search))
        _, ended = search.run()
        tell(events, ended)
    except EngineError as e:
        tell(events, Refused(str(e)))
    except MemoryError:
        tell(events, Refused("Not enough memory. Close other programs, and tune again."))
    except Exception:  # noqa: BLE001  the last door: nothing may end without a word
        tell(events, Refused(f"Internal error in the search: {traceback.format_exc(limit=-1)}"))
    finally:
        events.close()


def _prepared(search: Search) -> SearchPrepared:
    problem = search.problem
    facts = {
        "kernel": problem.slot.kernel,
        "shape": problem.slot.shape,
        "work": problem.work,
        "parameters": {name: list(values) for name, values in problem.parameters.items()},
        "shipped": problem.shipped,
    }
    title, device = problem.title, problem.on.label
    return SearchPrepared(title, device, problem.work, search.was_stored, search.trials, facts)
