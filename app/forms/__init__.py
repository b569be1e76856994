"""Forms made from settings."""
