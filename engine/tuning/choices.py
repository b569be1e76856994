"""What can be asked of a search, in words: known without loading a kernel."""

TARGETS = {"cone": ("cone_back",), "listmode": ("rays",), "dual-head": ("matrix",)}
"""Kind of scan to the kernels that are tuned for it."""
STRATEGIES = (
    *("greedy_ils", "greedy_mls", "simulated_annealing", "genetic_algorithm"),
    *("random_sample", "brute_force"),
)
"""Strategies of Kernel Tuner that take parameters which are words; the first is the usual one."""
