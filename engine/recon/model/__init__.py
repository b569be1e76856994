"""What an algorithm may know about a scan: E[y] = A x + b, the counts y and the sensitivity s.

List mode (facts: Barrett, White & Parra, JOSA A 14 (1997) 2914; Parra & Barrett, IEEE TMI 17
(1998) 228): every event is a row of A with y = 1. Detection factors n·a of a line are divided
out, so a row is A_j, its background g_j = c_j / (n_j a_j), and n·a acts only through
s_n = Σ over all lines of n·a·A_in.
"""

from engine.recon.model.base import Model
from engine.recon.model.binned import BinnedModel, HistogramModel
from engine.recon.model.blurred import BlurredModel
from engine.recon.model.counts import EmLoop, EmStep, ReadyModel, SystemModel
from engine.recon.model.linear import LinearModel
from engine.recon.model.listmode import ListModeModel
from engine.recon.model.sharded import ShardedModel
from engine.recon.model.timed import TimedModel

__all__ = [
    "BinnedModel",
    "BlurredModel",
    "EmLoop",
    "EmStep",
    "HistogramModel",
    "LinearModel",
    "ListModeModel",
    "Model",
    "ReadyModel",
    "ShardedModel",
    "SystemModel",
    "TimedModel",
]
