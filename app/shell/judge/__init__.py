"""The page Judge: card of the run, warnings, and the rail of panels."""
