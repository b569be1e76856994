"""Benchmarks of cone-beam CT."""
