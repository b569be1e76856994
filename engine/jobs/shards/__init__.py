"""One run shared out over the workers of a Dask cluster: updates of list mode, slabs of FDK.

The machine that runs it reads, corrects and sorts the events, and writes those of each shard into a
file that all machines see; a worker reads the file of its shard once. For an update the image is
written beside them and its name is sent; workers write integer sums there and send back a name and
two numbers. So no array passes through the scheduler, and none is lost with a worker: what Dask
scatters is gone with the one who holds it, and a file is not.

Whoever adds integers gets the same bits, however many they are and whoever comes first.
"""

from engine.jobs.shards.dividing import DividedRun

__all__ = ["DividedRun"]
