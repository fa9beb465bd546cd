"""Explorable "Fit it in 16 KB": a small network, a small memory, and what can be moved."""
