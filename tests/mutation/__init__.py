"""Small faults planted one by one, to test whether the tests of the code detect them."""
