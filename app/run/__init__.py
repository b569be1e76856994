"""The run at work: progress, profile, facts, log."""
