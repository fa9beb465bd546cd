"""Helpers that kernels of several families share."""
