"""Events, history and record of a run."""
