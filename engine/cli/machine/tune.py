"""`isocenter tune`: find and store the fastest kernel variants for this machine."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.device import add_device, device_of
from engine.cli.outputs import add_force, add_json, add_threads, seed, write_json
from engine.cli.parser import excludes
from engine.cli.verbs import Verbs, add_verb
from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.io.text.json_text import to_json
from engine.tools.tuning.choices import STRATEGIES, TARGETS

if TYPE_CHECKING:
    from engine.tools.tuning.outcome import TriedVariant
    from engine.tools.tuning.request import SearchRequest
    from engine.tools.tuning.search_text import SearchEnded

FORMAT = "isocenter-tuning-1"


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter tune`.

    The search runs in a separate process, since a variant can crash the GPU's driver.
    """
    p = add_verb(verbs, "tune")
    p.add_argument("target", choices=tuple(TARGETS), help="kind of scan")
    p.add_argument(
        "--study",
        type=Path,
        metavar="FILE.toml",
        help="tune for the size and data of this study (default: a typical study)",
    )
    add_device(p)
    add_threads(p)
    p.add_argument(
        "--budget",
        type=float,
        default=60.0,
        metavar="S",
        help="search time [s] (default: %(default)g)",
    )
    p.add_argument(
        "--strategy",
        choices=STRATEGIES,
        default=STRATEGIES[0],
        help="search strategy of Kernel Tuner (default: %(default)s)",
    )
    p.add_argument("--seed", type=seed, default=1, metavar="N", help="random seed of the strategy")
    add_json(p, "write all tried variants as JSON")
    p.add_argument("--forget", action="store_true", help="delete the stored variants; do not tune")
    p.add_argument("--show", action="store_true", help="show the stored variants; do not tune")
    add_force(p)
    search = ("--study", "--budget", "--strategy", "--seed", "--json")
    excludes(p, "--show", *search)
    # The stored variants of all devices are deleted
    excludes(p, "--forget", "--show", "--device", "--threads", *search)
    p.set_defaults(act=_act)


def _act(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.tuning.storing import forget_all, stored_records

    kernels = TARGETS[arguments.target]
    # Before the device is opened: variants of a removed GPU can be deleted too
    if arguments.forget:
        n = forget_all(kernels)
        console.line(f"Deleted tuned variants: {n}. Kernels use the default variant.")
        return
    on = device_of(arguments.device, arguments.threads, console)
    if arguments.show:
        _show(stored_records(kernels, on), on, console)
        return
    part = _tune(arguments, console)
    if arguments.json is not None:
        figures = {"format": FORMAT, "target": arguments.target, "machine": on.machine}
        write_trials(figures | {"kernels": [part]}, arguments.json)
    # An interrupted search is not an error, but scripts see the exit code of Ctrl+C
    if part["stopped"]:
        outcome = "the best variant so far is stored." if part["kept"] else "nothing was changed."
        raise KeyboardInterrupt(outcome)


def write_trials(figures: Plain, path: Path) -> None:
    """Write all tried variants as JSON, atomically.

    Parameters
    ----------
    figures
        machine, target and the tried variants
    path
        output file
    """
    write_json(to_json(figures, indent=2) + "\n", path)


def _tune(arguments: argparse.Namespace, console: Console) -> Plain:
    """Search in a separate process, print its progress, and return its figures."""
    from engine.jobs.process.side_process import Refused
    from engine.tools.tuning.outcome import Began, TriedVariant
    from engine.tools.tuning.search_process import SearchPrepared
    from engine.tools.tuning.search_text import SearchEnded
    from engine.tools.tuning.worker_process import search_in_processes

    figures: Plain = {"budget_s": arguments.budget, "tried": []}
    with _interrupts() as is_interrupted:
        for event in search_in_processes(_request(arguments), is_interrupted):
            match event:
                case SearchPrepared():
                    console.log(f"{event.title} on {event.device}: {event.work}")
                    figures |= event.facts
                case Began():
                    figures["shipped_seconds"] = event.shipped_seconds
                case TriedVariant():
                    figures["tried"].append(asdict(event))
                    # Hundreds of slower variants would hide the progress
                    if event.is_best or event.fault:
                        console.log(f"  {event.seconds_left:4.0f} s left  {_words(event)}")
                case Refused():
                    raise ResourceError(event.text)
                case SearchEnded():
                    console.line(f"  {event.verdict}")
                    figures |= _results(event)
    return figures


def _request(arguments: argparse.Namespace) -> SearchRequest:
    from engine.tools.tuning.request import SearchRequest

    study = ""
    if arguments.study is not None:
        from engine.modalities.studies import read_study
        from engine.protocols.study.study import refuse_changed_files

        found = read_study(arguments.study).with_absolute_paths()
        # Here too, because the error of another process would lose its kind
        refuse_changed_files(found)
        study = found.model_dump_json()
    return SearchRequest(
        arguments.target,
        device=arguments.device,
        threads=arguments.threads,
        study=study,
        budget_s=arguments.budget,
        strategy=arguments.strategy,
        seed=arguments.seed,
    )


def _results(ended: SearchEnded) -> Plain:
    compared = ended.comparison
    return {
        "seconds": ended.seconds,
        "stopped": ended.was_stopped,
        "best": ended.best,
        "gain": 1.0 if ended.best is None or compared is None else 1 / compared.ratio,
        "kept": ended.best is not None,
    }


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl+C into a stop request; yield a function that reports it."""
    # The search process ends after the current variant and stores the best one
    pressed = Event()
    before = signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _words(tried: TriedVariant) -> str:
    from engine.tools.tuning.search_text import form_text

    if tried.comparison is None:
        return f"{form_text(tried.values)}: {tried.fault}"
    speed = 1 / tried.comparison.ratio
    return f"{form_text(tried.values)}: {speed:.2f} × as fast as the default"


def _show(records: list[Plain], on: Backend, console: Console) -> None:
    if not records:
        console.line(f"No stored variants for {on.machine}. Kernels use the default variant.")
    for record in records:
        form = ", ".join(f"{name} {value}" for name, value in record["values"].items())
        console.line(f"{record['kernel']}, {record['shape']}: {form}")
        console.line(f"  {record['gain']:.2f} × as fast as the default, {record['tuned_utc']}")
