"""Divide one run among the workers of a Dask cluster: list-mode updates, or slabs of FDK.

The main machine reads, corrects and sorts the events. It writes the events of each shard to a file
that all machines see, and a worker reads the file of its shard once. For each update, the image is
written to a file too, and only its name is sent. Workers write integer sums and return a file name
and two numbers. No array passes through the scheduler, so none is lost with a worker (data that
Dask scatters is lost with the worker that stores it).

Integer sums have the same bits for any number and any order of workers.
"""

from engine.jobs.shards.dividing import DividedRun

__all__ = ["DividedRun"]
