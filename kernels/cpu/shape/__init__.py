"""Dimensions and element types."""
