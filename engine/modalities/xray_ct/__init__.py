"""X-ray CT: projections, prepared and projected back."""
