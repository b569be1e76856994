"""How the window looks: theme, icons, small widgets, words and numbers."""
