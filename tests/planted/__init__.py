"""Faults planted in kernels and in the code that launches them; the tests must detect them.

python -m tests.planted        run the twin tests with each fault in turn
"""
