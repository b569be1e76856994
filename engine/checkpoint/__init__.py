"""Jobs on disk: what an interrupted reconstruction needs to go on, and where it is found."""

from engine.checkpoint.job import Job, jobs
from engine.checkpoint.keeping import keep
from engine.checkpoint.record import JobInfo

__all__ = ["Job", "JobInfo", "jobs", "keep"]
