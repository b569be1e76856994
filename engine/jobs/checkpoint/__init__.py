"""Jobs on disk: what an interrupted reconstruction needs to go on, and where it is found."""

from engine.jobs.checkpoint.job import Job, job_files, jobs
from engine.jobs.checkpoint.job_record import JobInfo
from engine.jobs.checkpoint.saving import keep

__all__ = ["Job", "JobInfo", "job_files", "jobs", "keep"]
