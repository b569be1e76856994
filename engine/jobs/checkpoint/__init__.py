"""Jobs on disk: what an interrupted reconstruction needs to go on, and where it is found."""

from engine.jobs.checkpoint.job import Job, jobs
from engine.jobs.checkpoint.job_record import JobInfo
from engine.jobs.checkpoint.keeping import keep

__all__ = ["Job", "JobInfo", "jobs", "keep"]
