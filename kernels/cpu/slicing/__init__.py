"""Cutting, joining, padding and repeating tensors."""
