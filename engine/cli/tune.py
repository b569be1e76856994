"""`isocenter tune`: the fastest forms of the kernels on this machine, kept for the runs to come."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from engine import backend
from engine.backend import Backend
from engine.cli.console import Console, Verbs
from engine.cli.outputs import Output, add_force
from engine.io.atomic_write import write_atomically
from engine.io.json_text import to_json
from engine.plain import Plain
from engine.tuning.choices import STRATEGIES, TARGETS

if TYPE_CHECKING:
    from engine.tuning.outcome import Outcome, TriedForm
    from engine.tuning.problem import TuningProblem

FORMAT = "isocenter-tuning-1"
DEVICES = ("auto", "cpu", "cuda")


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = verbs.add_parser("tune", help="find the fastest kernels on this machine, and keep them")
    p.add_argument("target", choices=tuple(TARGETS), help="kind of scan")
    p.add_argument("--study", type=Path, metavar="FILE.toml", help="tune in the size of this study")
    p.add_argument("--device", choices=DEVICES, default="auto")
    p.add_argument("--threads", type=_count, metavar="N", help="of the CPU")
    p.add_argument("--budget", type=float, default=60.0, metavar="S", help="time to take [s]")
    p.add_argument("--strategy", choices=STRATEGIES, default=STRATEGIES[0], help="of Kernel Tuner")
    p.add_argument("--seed", type=int, default=1, metavar="N", help="of the strategy")
    p.add_argument("--json", type=Path, action=Output, metavar="OUT", help="write all trials")
    p.add_argument("--forget", action="store_true", help="take away what was kept, and tune not")
    p.add_argument("--show", action="store_true", help="say what is kept, and tune not")
    add_force(p)
    p.set_defaults(act=_act)


def _act(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tuning.keeping import all_kept, forget_all
    from engine.tuning.problems import problems_of

    kernels = TARGETS[arguments.target]
    if arguments.forget:
        n = forget_all(kernels)
        console.line(f"{n} tuned form{'' if n == 1 else 's'} taken away; kernels run as shipped.")
        return
    on = backend.named(arguments.device, arguments.threads)
    if arguments.show:
        _show(all_kept(kernels, on), on, console)
        return
    if arguments.study is None:
        problems = problems_of(arguments.target, on)
    else:
        from engine.modalities.studies import read_study
        from engine.tuning.of_study import problem_of_study

        problems = [problem_of_study(arguments.target, read_study(arguments.study), on)]
    parts = [_tune(each, arguments, arguments.budget / len(problems), console) for each in problems]
    if arguments.json is not None:
        figures = {"format": FORMAT, "target": arguments.target, "machine": on.machine}
        write_trials(figures | {"kernels": parts}, arguments.json)
    if any(part["stopped"] for part in parts):
        some = any(part["kept"] for part in parts)
        raise KeyboardInterrupt("the best so far is kept" if some else "nothing was changed")


def write_trials(figures: Plain, path: Path) -> None:
    """Write all that was tried as JSON."""
    write_atomically((to_json(figures, indent=2) + "\n").encode(), path)


def _tune(
    problem: TuningProblem, arguments: argparse.Namespace, budget_s: float, console: Console
) -> Plain:
    from engine.tuning.outcome import SearchEvent, TriedForm
    from engine.tuning.request import SearchRequest
    from engine.tuning.search import Search

    console.line(f"{problem.title} on {problem.on.label}: {problem.work}")

    def tell(event: SearchEvent) -> None:
        if isinstance(event, TriedForm) and (event.is_best or event.fault):
            console.line(f"  {event.seconds_left:4.0f} s left  {_words(event)}")

    request = SearchRequest(
        arguments.target, budget_s=budget_s, strategy=arguments.strategy, seed=arguments.seed
    )
    outcome, ended = Search(problem, request, tell).run()
    console.line(f"  {ended.verdict}")
    if outcome.is_lost:
        console.line("  A form left the device unable to run any other; call again to go on.")
    return _figures(problem, outcome, budget_s)


def _words(tried: TriedForm) -> str:
    from engine.tuning.words import form_words

    if tried.comparison is None:
        return f"{form_words(tried.values)}: {tried.fault}"
    speed = 1 / tried.comparison.ratio
    return f"{form_words(tried.values)}: {speed:.2f} × the speed of the shipped form"


def _figures(problem: TuningProblem, outcome: Outcome, budget_s: float) -> Plain:
    return {
        "kernel": problem.slot.kernel,
        "shape": problem.slot.shape,
        "work": problem.work,
        "parameters": {name: list(values) for name, values in problem.parameters.items()},
        "shipped": problem.shipped,
        "shipped_seconds": outcome.shipped_seconds,
        "budget_s": budget_s,
        "seconds": outcome.seconds,
        "stopped": outcome.was_stopped,
        "best": outcome.best,
        "gain": outcome.gain,
        "kept": outcome.best is not None,
        "tried": [asdict(tried) for tried in outcome.tried],
    }


def _show(records: list[Plain], on: Backend, console: Console) -> None:
    if not records:
        console.line(f"Nothing is tuned for {on.machine}; kernels run as shipped.")
    for record in records:
        form = ", ".join(f"{name} {value}" for name, value in record["values"].items())
        console.line(f"{record['kernel']}, {record['shape']}: {form}")
        console.line(f"  {record['gain']:.2f} × the shipped form, {record['tuned_utc']}")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("want 1 or more")
    return number
