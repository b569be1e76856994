"""The desktop window; all physics is in `engine`."""
