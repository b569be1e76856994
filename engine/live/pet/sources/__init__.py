"""Sources of the events of a running scan: a stored scan, a stream."""
