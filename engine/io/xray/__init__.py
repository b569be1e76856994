"""X-ray projections in and out: one file per format, on a few parts that all formats share."""
