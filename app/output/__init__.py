"""Results, exports and reports."""
