"""Solvers side by side: ours, those of others where they are installed, and rules of runtimes."""
