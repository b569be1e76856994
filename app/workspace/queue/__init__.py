"""The queue of waiting studies."""
