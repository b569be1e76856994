"""Sources of a running scan: a stored scan, a folder that fills, a stream, a file being written."""
