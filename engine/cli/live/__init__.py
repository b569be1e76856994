"""The command `isocenter live`."""
