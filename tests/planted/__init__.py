"""Mistakes planted in kernels and in what launches them, which the tests must find.

python -m tests.planted        run the twin tests with each mistake in turn
"""
