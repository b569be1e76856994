"""The current run: progress, profile, facts, log."""
