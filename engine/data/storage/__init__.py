"""Arrays in memory or in mapped files."""
