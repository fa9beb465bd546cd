"""Normalizations and Softmax."""
