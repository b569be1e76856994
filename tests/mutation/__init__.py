"""Small faults planted one by one, to see whether the tests beside the code catch them."""
