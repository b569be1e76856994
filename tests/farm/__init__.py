"""Long runs of hostile inputs, faults and pairs of processes; short ones are in the test suite."""
