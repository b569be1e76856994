"""Choices for a search, known without loading a kernel."""

from importlib.util import find_spec

from engine.core.errors import SettingsError

TARGETS = {"cone": ("cone_back",), "listmode": ("rays",), "dual-head": ("matrix",)}
"""Kernels that are tuned for each kind of scan."""
MODALITIES = {"ct": "cone", "pet": "listmode", "dual-head": "dual-head"}
"""Kind of scan in protocols, and its name here."""
KERNELS = {
    "cone_back": "Cone-beam back projection",
    "rays": "List-mode update",
    "matrix": "Projection with a stored response matrix",
}
"""Titles of the kernels."""
STRATEGIES = (
    *("greedy_ils", "greedy_mls", "simulated_annealing", "genetic_algorithm"),
    *("random_sample", "brute_force"),
)
"""Strategies of Kernel Tuner that accept parameters with text values; the first is the default."""
NEEDS_TUNER = (
    "tuning needs Kernel Tuner, which is not installed; install it in Isocenter's environment "
    "with `.venv/bin/python -m pip install kernel-tuner`."
)


def check_choices(strategy: str, budget_s: float) -> None:
    """Check the choices of a search.

    Parameters
    ----------
    strategy
        name of the strategy
    budget_s
        search time [s]

    Raises
    ------
    SettingsError
        if the strategy is unknown, or the time is not positive
    """
    if strategy not in STRATEGIES:
        names = ", ".join(STRATEGIES)
        raise SettingsError(f"strategy is {strategy!r}, expected one of {names}.")
    # Also refuses NaN
    if not budget_s > 0:
        raise SettingsError(f"the time budget is {budget_s:g} s, expected more than 0 s.")


def why_no_search() -> str:
    """Return why nothing can be tuned here; empty if it can."""
    # Without importing it, which takes seconds
    return "" if find_spec("kernel_tuner") is not None else NEEDS_TUNER
