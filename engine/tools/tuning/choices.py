"""What can be asked of a search, in words: known without loading a kernel."""

from importlib.util import find_spec

from engine.core.errors import SettingsError

TARGETS = {"cone": ("cone_back",), "listmode": ("rays",), "dual-head": ("matrix",)}
"""Kind of scan to the kernels that are tuned for it."""
MODALITIES = {"ct": "cone", "pet": "listmode", "dual-head": "dual-head"}
"""Kind of scan as protocols call it, to what tunes its kernels."""
KERNELS = {
    "cone_back": "Back projection of cone beams",
    "rays": "Update of list mode",
    "matrix": "Projection with a stored response",
}
"""Kernels in words."""
STRATEGIES = (
    *("greedy_ils", "greedy_mls", "simulated_annealing", "genetic_algorithm"),
    *("random_sample", "brute_force"),
)
"""Strategies of Kernel Tuner that take parameters which are words; the first is the usual one."""
NEEDS_TUNER = (
    "kernels are tuned with Kernel Tuner, which is not installed; install it into "
    "Isocenter's environment: `.venv/bin/python -m pip install kernel-tuner`."
)


def check_choices(strategy: str, budget_s: float) -> None:
    """Raise `SettingsError` where a strategy or a time is none."""
    if strategy not in STRATEGIES:
        names = ", ".join(STRATEGIES)
        raise SettingsError(f"strategy {strategy!r}: it must be one of {names}.")
    if not budget_s > 0:
        raise SettingsError(f"a budget of {budget_s:g} s: tuning needs some time.")


def why_no_search() -> str:
    """Return why nothing can be tuned here, empty if it can."""
    return "" if find_spec("kernel_tuner") is not None else NEEDS_TUNER
