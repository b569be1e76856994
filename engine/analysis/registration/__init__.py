"""Register the μ-map to the emission image."""
