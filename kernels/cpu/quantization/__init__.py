"""Quantized numbers."""
