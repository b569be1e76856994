"""Looking at a scan: its geometry, its projections, slices with other values."""
