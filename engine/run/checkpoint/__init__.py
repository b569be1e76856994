"""Jobs on disk: what an interrupted reconstruction needs to go on, and where it is found."""

from engine.run.checkpoint.job import Job, jobs
from engine.run.checkpoint.job_record import JobInfo
from engine.run.checkpoint.keeping import keep

__all__ = ["Job", "JobInfo", "jobs", "keep"]
