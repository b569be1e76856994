"""Commands that test, measure and tune this machine."""
