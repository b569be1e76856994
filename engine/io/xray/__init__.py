"""Read and write X-ray projections: one file per format, with shared parts."""
