"""How fast this machine does the work, measured side by side and against stated bars."""
