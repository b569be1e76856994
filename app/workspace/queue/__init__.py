"""The queue: studies that wait for their turn."""
