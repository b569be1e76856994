"""Drawing one volume over another."""
