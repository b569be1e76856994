"""Run cases in child processes with limits on memory and CPU time; a crash is a fault."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from engine.core.errors import EngineError

SPARE_BYTES = 2**30
"""Memory that a case may use beyond its nearly zero need; the system refuses more. A library that
gets no memory must report this, or its process ends.
"""
SECONDS = 5.0
"""CPU time for one case."""
SILENCE_S = 120.0
"""A child without output for this time waits for something; the machine may be busy."""
FAULTS = ("died", "hang", "traceback", "memory")

LIBRARY = "library"
"""A crash or hang inside the HDF5 library, which the same process cannot prevent. The program reads
such files in a child process.
"""
Case = Callable[[], object]


@dataclass(frozen=True)
class Outcome:
    """Outcome of a case.

    Attributes
    ----------
    index : number of the case
    verdict : "read", "refused", `LIBRARY` or one of `FAULTS`
    text : the message of the refusal or exception
    seconds : CPU time
    """

    index: int
    verdict: str
    text: str
    seconds: float = 0.0


def run(cases: Sequence[Case], silence_s: float = SILENCE_S) -> list[Outcome]:
    """Run cases, many per child process; a new one continues after a case that ended the child."""
    outcomes: list[Outcome] = []
    while len(outcomes) < len(cases):
        outcomes += _child(cases, len(outcomes), silence_s)
    return outcomes


def _child(cases: Sequence[Case], first: int, silence_s: float) -> list[Outcome]:
    sys.stdout.flush()
    here, there = os.pipe()
    last_words = tempfile.TemporaryFile("w+")  # noqa: SIM115 - the child writes it, we read it
    process = os.fork()
    if process == 0:
        os.close(here)
        faulthandler.enable(last_words)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        faulthandler.register(signal.SIGPROF, last_words, chain=True)
        _work(cases, first, there)
    os.close(there)
    text, timed_out = _listen(here, process, silence_s)
    status = os.waitpid(process, 0)[1]
    last_words.seek(0)
    stack = [line for line in last_words if line.lstrip().startswith("File")]
    last_words.close()
    done = [Outcome(**json.loads(line)) for line in text.splitlines() if line.endswith(b"}")]
    if first + len(done) == len(cases):
        return done
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    hung = timed_out or number == signal.SIGPROF
    why = f"signal {number}" if number else f"exit {os.WEXITSTATUS(status)}"
    verdict = "hang" if hung else "died"
    if stack and "/h5py/" in stack[0]:
        verdict, why = LIBRARY, f"{verdict}, {why}"
    return [*done, Outcome(first + len(done), verdict, why, SECONDS * hung)]


def _listen(pipe: int, process: int, silence_s: float) -> tuple[bytes, bool]:
    """Return the output of the child, and True if it fell silent and was killed."""
    output = b""
    with os.fdopen(pipe, "rb", buffering=0) as stream:
        while True:
            ready, _, _ = select.select([stream], [], [], silence_s)
            if not ready:
                os.kill(process, signal.SIGKILL)
                return output, True
            piece = stream.read(65_536)
            if not piece:
                return output, False
            output += piece


def _work(cases: Sequence[Case], first: int, pipe: int) -> NoReturn:
    """Run the cases in the child process."""
    limit = _peak_bytes() + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for index in range(first, len(cases)):
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        begin = time.process_time()
        verdict, text = judge(cases[index])
        seconds = time.process_time() - begin
        signal.setitimer(signal.ITIMER_PROF, 0)
        outcome = {"index": index, "verdict": verdict, "text": text[:500], "seconds": seconds}
        os.write(pipe, json.dumps(outcome).encode() + b"\n")
    os._exit(0)


def _peak_bytes() -> int:
    """Return the largest address space that this process ever had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(line for line in lines if line.startswith("VmPeak"))
    return int(peak.split()[1]) * 1024


def judge(case: Case) -> tuple[str, str]:
    """Return the verdict on a case and its message."""
    try:
        case()
    except EngineError as e:
        text = str(e)
        if isinstance(e.__cause__, MemoryError):
            return "memory", text
        is_sentence = "\n" not in text and text.endswith((".", "?")) and len(text) < 2000
        return ("refused", text) if is_sentence else ("traceback", f"no sentence: {text}")
    except MemoryError as e:
        return "memory", f"{e} ({_where(e)})"
    except BaseException as e:  # noqa: BLE001 - every other exception is a fault
        return "traceback", f"{type(e).__name__}: {e} ({_where(e)})"
    return "read", ""


def _where(e: BaseException) -> str:
    """Return the last line of the engine in a traceback."""
    trace, place = e.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if "/engine/" in code.co_filename:
            place = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
