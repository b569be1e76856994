"""Benchmarks of dual-head PET."""
