"""The queue as the window uses it: actions, scans that are added together, and answers."""
