"""Benchmarks of live reconstruction."""
