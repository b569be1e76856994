"""X-ray operators: projection, back projection, slices and patches."""
