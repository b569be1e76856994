"""CT inspection: geometry, projections, slices with other parameters."""
