"""Models of a scan: E[y] = A x + b, with counts y and sensitivity s.

List mode (Barrett, White & Parra, JOSA A 14 (1997) 2914; Parra & Barrett, IEEE TMI 17 (1998) 228):
each event is a row of A with y = 1. The detection factors n·a of a line are divided out. A row is
then A_j, its background g_j = c_j / (n_j a_j), and n·a acts only through s_n = Σ over all lines of
n·a·A_in.
"""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.recon.model.base import Model as Model
    from engine.recon.model.binned import BinnedModel as BinnedModel
    from engine.recon.model.binned import HistogramModel as HistogramModel
    from engine.recon.model.blurred import BlurredModel as BlurredModel
    from engine.recon.model.counts import EmLoop as EmLoop
    from engine.recon.model.counts import EmStep as EmStep
    from engine.recon.model.counts import ReadyModel as ReadyModel
    from engine.recon.model.counts import SystemModel as SystemModel
    from engine.recon.model.linear import LinearModel as LinearModel
    from engine.recon.model.linearised import LinearisedCounts as LinearisedCounts
    from engine.recon.model.listmode import ListModeModel as ListModeModel
    from engine.recon.model.map_model import MapModel as MapModel
    from engine.recon.model.replicate_loop import ReplicateLoop as ReplicateLoop
    from engine.recon.model.sharded import ShardedModel as ShardedModel
    from engine.recon.model.subset_objective import SubsetGradient as SubsetGradient
    from engine.recon.model.subset_objective import SubsetObjective as SubsetObjective
    from engine.recon.model.timed import TimedModel as TimedModel

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "base": ("Model",),
            "binned": (
                "BinnedModel",
                "HistogramModel",
            ),
            "blurred": ("BlurredModel",),
            "counts": (
                "EmLoop",
                "EmStep",
                "ReadyModel",
                "SystemModel",
            ),
            "linear": ("LinearModel",),
            "linearised": ("LinearisedCounts",),
            "listmode": ("ListModeModel",),
            "map_model": ("MapModel",),
            "replicate_loop": ("ReplicateLoop",),
            "sharded": ("ShardedModel",),
            "subset_objective": ("SubsetGradient", "SubsetObjective"),
            "timed": ("TimedModel",),
        },
    )
