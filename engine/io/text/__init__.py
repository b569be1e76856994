"""Text formats: JSON, TOML, rows of numbers, labels of facts."""
