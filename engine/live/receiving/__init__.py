"""Messages of a live scan are received by a process of its own, with limits and deadlines."""
