"""Run our kernel variants for the strategies of Kernel Tuner, instead of a CUDA source.

Strategies, restrictions and the file of trials are those of Kernel Tuner (van Werkhoven, Future
Generation Computer Systems 90 (2019) 347). Its tools can read the file, and its simulation mode can
replay it. Its own backends measure one simple kernel each. Ours use textures, several launches or
the CPU, so our operators measure the variants.
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

MAX_THREADS = 1 << 20
"""Threads per block for Kernel Tuner's own restriction; our problems have their own."""

Try = Callable[[Values, Plain | None], Plain | None]
"""Called with a variant and its stored trial; returns the trial, None to stop."""


class FormsRunner(Runner):  # type: ignore[misc, unused-ignore]  # no types
    """Runs the variants that a strategy requests."""

    simulation_mode = False

    def __init__(self, problem: TuningProblem, attempt: Try) -> None:
        super().__init__()
        self._problem, self._attempt = problem, attempt
        self.dev = SimpleNamespace(name=problem.on.machine, max_threads=MAX_THREADS)

    def get_device_info(self) -> SimpleNamespace:
        """Return the device with its name."""
        return self.dev

    def get_environment(self, tuning_options: Plain) -> Plain:
        """Return the properties of the device for a strategy.

        Parameters
        ----------
        tuning_options
            options of Kernel Tuner, unused
        """
        return {"device_name": self.dev.name}

    def run(
        self, parameter_space: list[list[object]], tuning_options: Options
    ) -> list[Plain | None]:
        """Return the trials of variants, and run those without a stored trial.

        Parameters
        ----------
        parameter_space
            values of each variant, in the order of the parameters
        tuning_options
            options of Kernel Tuner

        Returns
        -------
        rows
            trials; None once the search is stopped
        """
        return [self._known(list(each), tuning_options) for each in parameter_space]

    def _known(self, element: list[object], options: Options) -> Plain | None:
        # Strategies ask for whole generations, so the time is checked for each variant
        if options.budget.is_done():
            return None
        values: Values = dict(zip(self._problem.parameters, element, strict=True))  # type: ignore[arg-type]
        # Kernel Tuner's own key, so that its tools read the file
        key, cache = ",".join(map(str, element)), options.cache
        found = self._attempt(values, cache.get(key))
        if found is None:
            return None
        options.budget.add_evaluations(1)
        row = values | found
        if key not in cache:
            # if the disk is full, the next session measures this variant again
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
    """Let a strategy try variants until it ends, or the time is over.

    Parameters
    ----------
    problem
        kernel with variants
    attempt
        tries one variant
    cache
        file of trials, read first and extended; None for no file
    seconds
        search time
    strategy
        name of a strategy of Kernel Tuner
    seed
        random seed of the strategy
    """
    runner, parameters = FormsRunner(problem, attempt), _lists(problem)
    # Strategies draw from the global generators of Python and NumPy
    with _seeded(seed):
        restrictions = list(problem.restrictions)
        space = Searchspace(parameters, restrictions, MAX_THREADS)
        start: list[object] = [problem.shipped[name] for name in parameters]
        options = Options(
            tune_params=parameters,
            restrictions=restrictions,
            objective=["ratio"],
            objective_higher_is_better=[False],
            strategy_options=Options(_options_of(strategy, space.size, start)),
            budget=util.TuningBudget(max(seconds, 1e-3)),
            # Every variant may be tried: the time is the only limit
            max_fevals=space.size,
            verbose=False,
            simulation_mode=False,
            # Ratios to the default are compared, which a slower machine does not change
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
    """Start from the default variant, if the strategy has a start."""
    if strategy == "brute_force":
        return {}
    options: Plain = {"max_fevals": size}
    return options if strategy == "random_sample" else options | {"x0": start}


def _opened(cache: Path, problem: TuningProblem, options: Options, runner: Runner) -> Plain:
    """Read a file of earlier trials; replace one that cannot be read."""
    kernel = SimpleNamespace(kernel_name=problem.slot.kernel, problem_size=problem.work)
    try:
        found: Plain = util.process_cache(str(cache), kernel, options, runner)
    except (ValueError, KeyError, TypeError, AttributeError):
        # torn by a dead process, or with other parameters: everything in it can be measured again
        with suppress(OSError):
            cache.unlink(missing_ok=True)
        found = util.process_cache(str(cache), kernel, options, runner)
    except OSError:
        found = {}
    return found


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed the generators of the strategies, and restore their state afterwards."""
    state, arrays = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)
        np.random.set_state(arrays)
