"""Functions of one number."""
