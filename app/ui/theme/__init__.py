"""Theme, icons, small widgets, texts and numbers."""
