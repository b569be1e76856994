"""What Kernel Tuner's strategies ask for times: the forms of our kernels instead of a CUDA source.

Strategies, restrictions and the file of what was tried are Kernel Tuner's own (van Werkhoven,
Future Generation Computer Systems 90 (2019) 347); its tools read the file, and its simulation mode
replays it. Its own backends measure one plain kernel each; ours take textures, several launches,
or the CPU, so a form is measured by our operators.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from kernel_tuner import util
from kernel_tuner.interface import Options, strategy_map
from kernel_tuner.runners.runner import Runner
from kernel_tuner.searchspace import Searchspace

from engine.core.json_types import Plain
from engine.tools.tuning.problem import TuningProblem, Values

MOST_THREADS = 1 << 20
"""Threads of a block for Kernel Tuner's own restriction: ours know what a form may be."""

Try = Callable[[Values, Plain | None], Plain | None]
"""Called with a form and what is known of it; returns what is to be known, None to stop."""


class FormsRunner(Runner):  # type: ignore[misc]  # Kernel Tuner has no types
    """Runs the forms that a strategy asks for."""

    simulation_mode = False

    def __init__(self, problem: TuningProblem, attempt: Try) -> None:
        super().__init__()
        self._problem, self._attempt = problem, attempt
        self.dev = SimpleNamespace(name=problem.on.machine, max_threads=MOST_THREADS)

    def get_device_info(self) -> SimpleNamespace:
        """Name of the device."""
        return self.dev

    def get_environment(self, tuning_options: Plain) -> Plain:
        """What a strategy may know of the device."""
        return {"device_name": self.dev.name}

    def run(
        self, parameter_space: list[list[object]], tuning_options: Options
    ) -> list[Plain | None]:
        """Return what is known of forms, by trying those that nobody tried before."""
        return [self._known(list(each), tuning_options) for each in parameter_space]

    def _known(self, element: list[object], options: Options) -> Plain | None:
        if options.budget.is_done():
            return None
        values: Values = dict(zip(self._problem.parameters, element, strict=True))  # type: ignore[arg-type]
        key, cache = ",".join(map(str, element)), options.cache
        found = self._attempt(values, cache.get(key))
        if found is None:
            return None
        options.budget.add_evaluations(1)
        row = values | found
        if key not in cache:
            # a full disk costs what the next session would have known, nothing of this one
            with suppress(OSError):
                util.store_cache(key, row, options.cachefile, cache)
        return row


def search(
    problem: TuningProblem,
    attempt: Try,
    *,
    cache: Path | None,
    seconds: float,
    strategy: str,
    seed: int,
) -> None:
    """Have a strategy try forms until it, or the time, has come to an end.

    Parameters
    ----------
    problem
        whose forms
    attempt
        tries one
    cache
        file of what was tried; read first, and added to; None: none is kept
    seconds
        how long
    strategy
        of Kernel Tuner, by its name
    seed
        of what the strategy draws
    """
    runner, parameters = FormsRunner(problem, attempt), _lists(problem)
    with _seeded(seed):
        restrictions = list(problem.restrictions)
        space = Searchspace(parameters, restrictions, MOST_THREADS)
        start: list[object] = [problem.shipped[name] for name in parameters]
        options = Options(
            tune_params=parameters,
            restrictions=restrictions,
            objective=["ratio"],
            objective_higher_is_better=[False],
            strategy_options=Options(_options_of(strategy, space.size, start)),
            budget=util.TuningBudget(max(seconds, 1e-3)),
            max_fevals=space.size,
            verbose=False,
            simulation_mode=False,
            metrics=None,
        )
        options["cachefile"] = None if cache is None else str(cache)
        options["cache"] = {} if cache is None else _opened(cache, problem, options, runner)
        try:
            strategy_map[strategy].tune(space, runner, options)
        except util.StopCriterionReached:
            return
        finally:
            if cache is not None:
                with suppress(OSError, ValueError):
                    util.close_cache(str(cache))


def _lists(problem: TuningProblem) -> dict[str, list[object]]:
    return {name: list(values) for name, values in problem.parameters.items()}


def _options_of(strategy: str, size: int, start: list[object]) -> Plain:
    """Start from the shipped form, where a strategy can start somewhere."""
    if strategy == "brute_force":
        return {}
    options: Plain = {"max_fevals": size}
    return options if strategy == "random_sample" else options | {"x0": start}


def _opened(cache: Path, problem: TuningProblem, options: Options, runner: Runner) -> Plain:
    """What a file of earlier trials holds; one that cannot be read is begun anew."""
    kernel = SimpleNamespace(kernel_name=problem.slot.kernel, problem_size=problem.work)
    try:
        found: Plain = util.process_cache(str(cache), kernel, options, runner)
    except (ValueError, KeyError, TypeError, AttributeError):
        # torn when a process died, or of other parameters: what it held can be measured again
        with suppress(OSError):
            cache.unlink(missing_ok=True)
        found = util.process_cache(str(cache), kernel, options, runner)
    except OSError:
        found = {}
    return found


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Give the generators that strategies draw from a seed, and give them back as they were."""
    state, arrays = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)
        np.random.set_state(arrays)
