"""Commands that simulate scans and responses."""
